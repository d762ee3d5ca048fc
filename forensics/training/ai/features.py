"""Measures the views: patches for the network, statistics of the noise for the regressions. Writes PICTURES/patches.npy and PICTURES/statistics.npy.

    PICTURES=folder python3 features.py

Four patches of 128 pixels a view, those with the most detail that is not clipped, out of all on a grid. The statistics are means over
the patches: co-occurrences and moments of three high-pass residuals, the radial spectrum of one of them, and how the residuals of the colours agree.
"""

import csv
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image

PICTURES = Path(os.environ["PICTURES"])
SIDE, PATCHES = 128, 4


def patches_of(pixels):
    height, width = pixels.shape[:2]
    places = []
    for y in range(0, height - SIDE + 1, SIDE):
        for x in range(0, width - SIDE + 1, SIDE):
            green = pixels[y : y + SIDE, x : x + SIDE, 1].astype(np.float32)
            clipped = np.mean((green < 4) | (green > 251))
            detail = np.abs(np.diff(green, axis=0)).mean() + np.abs(np.diff(green, axis=1)).mean()
            places.append((-(min(detail, 24) * (1 - clipped)), y, x))
    places.sort()
    return np.stack([pixels[y : y + SIDE, x : x + SIDE] for _, y, x in (places * PATCHES)[:PATCHES]])


def residuals(plane):
    """First and second differences along rows, and the 3 x 3 kernel that removes planes."""
    c = plane[1:-1, 1:-1]
    first = plane[1:-1, 2:] - c
    second = plane[1:-1, 2:] + plane[1:-1, :-2] - 2 * c
    square = (
        2 * (plane[1:-1, 2:] + plane[1:-1, :-2] + plane[2:, 1:-1] + plane[:-2, 1:-1])
        - (plane[2:, 2:] + plane[2:, :-2] + plane[:-2, 2:] + plane[:-2, :-2])
        - 4 * c
    )
    return first, second / 2, square / 4


ROWS, COLUMNS = np.indices((SIDE - 2, SIDE - 2))
RADIUS = np.hypot(np.fft.fftfreq(SIDE - 2)[:, None], np.fft.fftfreq(SIDE - 2)[None, :])
RINGS = np.minimum((RADIUS / 0.5 * 24).astype(int), 24)
WINDOW = np.hanning(SIDE - 2)[:, None] * np.hanning(SIDE - 2)[None, :]
AXIS = (np.abs(np.fft.fftfreq(SIDE - 2)) < 0.01)[:, None] | (np.abs(np.fft.fftfreq(SIDE - 2)) < 0.01)[None, :]


def measure(patch):
    planes = patch.astype(np.float32).transpose(2, 0, 1)
    grey = planes.mean(0)
    values = []
    for residual in residuals(grey):
        scale = max(1.0, np.median(np.abs(residual)))
        step = np.clip(np.round(residual / scale), -2, 2).astype(int) + 2
        for a, b in ((step[:, :-1], step[:, 1:]), (step[:-1], step[1:])):
            pairs = np.bincount((a * 5 + b).ravel(), minlength=25).reshape(5, 5) / a.size
            values.extend(((pairs + pairs[::-1, ::-1]) / 2).ravel()[:13])
        spread = residual.std() + 1e-3
        values += [np.log(spread), np.mean(residual**4) / spread**4 / 10, np.log(scale)]
    third = [residuals(plane)[2] for plane in planes]
    power = np.abs(np.fft.fft2(third[1] * WINDOW)) ** 2
    rings = (np.bincount(RINGS[~AXIS], power[~AXIS], 25) / np.maximum(1, np.bincount(RINGS[~AXIS], minlength=25)))[1:]
    values.extend(np.log(rings + 1) - np.log(rings.mean() + 1))
    flat = np.stack([plane.ravel() for plane in third])
    values.extend(np.corrcoef(flat + 1e-3 * np.random.default_rng(0).normal(size=flat.shape))[np.triu_indices(3, 1)])
    # How the noise grows with brightness, and how its lattices of two by two pixels differ.
    dark = grey[1:-1, 1:-1] < np.median(grey)
    values.append(np.log((np.abs(third[1][dark]).mean() + 0.1) / (np.abs(third[1][~dark]).mean() + 0.1)))
    lattice = [np.log(np.var(third[1][y::2, x::2]) + 0.1) for y in (0, 1) for x in (0, 1)]
    values += [np.ptp(lattice), np.var(lattice)]
    return np.array(values, np.float32)


def both(name):
    """Measures a view and keeps the result in PICTURES/measured; what is there already stays."""
    kept = PICTURES / "measured" / f"{name}.npz"
    if not kept.exists():
        patches = patches_of(np.asarray(Image.open(PICTURES / "views" / f"{name}.jpg").convert("RGB")))
        each = np.stack([measure(patch) for patch in patches])
        np.savez(kept, patches=patches, statistics=np.concatenate([each.mean(0), each.std(0)]))
    return name


def main():
    rows = list(csv.DictReader(open(PICTURES / "views.tsv", newline=""), delimiter="\t"))
    names = [f"{row['sha256'][:20]}-{row['way']}" for row in rows]
    (PICTURES / "measured").mkdir(exist_ok=True)
    form = (len(rows), PATCHES, SIDE, SIDE, 3)
    packed = np.lib.format.open_memmap(PICTURES / "patches.npy", "w+", np.uint8, form)
    statistics = []
    with ProcessPoolExecutor(2) as pool:
        for i, name in enumerate(pool.map(both, names, chunksize=16)):
            with np.load(PICTURES / "measured" / f"{name}.npz") as found:
                packed[i] = found["patches"]
                statistics.append(found["statistics"])
    np.save(PICTURES / "statistics.npy", np.nan_to_num(np.stack(statistics)))


if __name__ == "__main__":
    main()
