"""Brings every picture of `sets.tsv` to the same form, three ways, whatever its file was: PICTURES/views/SHA-WAY.jpg and PICTURES/views.tsv.

    PICTURES=folder python3 views.py

`sent`: a square crop at full size. `small`: the picture at 800 pixels, then a square crop. `messenger`: at 1,024 to 1,600 pixels and two JPEG passes,
then a square crop. What is there already stays. The side of a crop, the quality, the colour sampling and the place are drawn alike for both classes. A picture that never was a JPEG is
one before it is cropped, so that two passes, out of step, are in every file.
"""

import csv
import hashlib
import io
import os
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

HERE = Path(__file__).parent
PICTURES = Path(os.environ["PICTURES"])
VIEWS = PICTURES / "views"
WAYS = ("sent", "small", "messenger")
SIDES = (512, 512, 640, 768, 1024)
warnings.filterwarnings("ignore")
Image.MAX_IMAGE_PIXELS = None


def again(image, quality, sampling=2):
    out = io.BytesIO()
    image.save(out, "JPEG", quality=int(quality), subsampling=sampling)
    return Image.open(io.BytesIO(out.getvalue())).convert("RGB")


def shrink(image, side):
    scale = side / max(image.size)
    return image if scale >= 1 else image.resize([max(1, round(n * scale)) for n in image.size], Image.Resampling.LANCZOS)


def view(row):
    sha = row["sha256"]
    rng = np.random.default_rng(int(sha[:12], 16))
    image = Image.open(PICTURES / "found" / sha)
    was_jpeg = image.format in ("JPEG", "MPO")
    image = ImageOps.exif_transpose(image).convert("RGB")
    if not was_jpeg:
        image = again(image, rng.integers(88, 98), rng.choice([0, 2]))
    lines = []
    for way in WAYS:
        one = image
        if way == "small":
            one = shrink(image, 800)
        if way == "messenger":
            one = again(shrink(image, int(rng.integers(1024, 1601))), rng.integers(65, 85))
        side = int(rng.choice([s for s in SIDES if s <= min(one.size)] or [min(one.size)]))
        left, top = (int(rng.integers(0, n - side + 1)) for n in one.size)
        one = one.crop((left, top, left + side, top + side))
        quality = int(rng.integers(65, 80) if way == "messenger" else rng.integers(75, 96))
        path = VIEWS / f"{sha[:20]}-{way}.jpg"
        one.save(path, "JPEG", quality=quality, subsampling=int(rng.choice([0, 2])))
        mean = np.asarray(one.resize((8, 8), Image.Resampling.BOX), float).mean((0, 1))
        lines.append([sha, way, side, quality, path.stat().st_size, *np.round(mean, 1)])
    return lines


def main():
    VIEWS.mkdir(parents=True, exist_ok=True)
    rows = list(csv.DictReader(open(HERE / "sets.tsv", newline=""), delimiter="\t", quoting=csv.QUOTE_NONE))
    listed = PICTURES / "views.tsv"
    known = {}
    for line in listed.read_text().splitlines()[1:] if listed.exists() else []:
        if line.count("\t") == 7:
            known.setdefault(line.split("\t")[0], []).append(line)
    known = {sha: lines for sha, lines in known.items() if len(lines) == len(WAYS)}
    missing = [row for row in rows if row["sha256"] not in known]
    with ProcessPoolExecutor(2) as pool:
        for row, lines in zip(missing, pool.map(view, missing, chunksize=8)):
            known[row["sha256"]] = ["\t".join(map(str, line)) for line in lines]
    with open(listed, "w") as out:
        out.write("sha256\tway\tside\tquality\tbytes\tred\tgreen\tblue\n")
        out.writelines(line + "\n" for row in rows for line in known[row["sha256"]])


if __name__ == "__main__":
    sys.exit(main())
