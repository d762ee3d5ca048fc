"""Brings every picture of `sets.tsv.gz` to the same form, three ways, whatever its file was, and cuts a square of 256 pixels to fit on.

    PICTURES=folder python3 views.py

`sent`: at full size. `small`: at 800 pixels. `messenger`: at 1,024 to 1,600 pixels and two JPEG passes. The square (PICTURES/fit/SHA-WAY.jpg; PICTURES/views.json lists the pictures) is compressed
once more. Quality, colour sampling and place are drawn alike for both classes. A picture that never was a JPEG is one before it is cut, so that two passes, out of step, are in every view.
`score.ts` brings pictures to these forms to judge.
"""

import csv
import gzip
import io
import json
import os
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

HERE = Path(__file__).parent
PICTURES = Path(os.environ["PICTURES"])
FIT = PICTURES / "fit"
WAYS = ("sent", "small", "messenger")
warnings.filterwarnings("ignore")
Image.MAX_IMAGE_PIXELS = None


def again(image, quality, sampling=2):
    out = io.BytesIO()
    image.save(out, "JPEG", quality=int(quality), subsampling=int(sampling))
    return Image.open(io.BytesIO(out.getvalue())).convert("RGB")


def shrink(image, side):
    scale = side / max(image.size)
    return image if scale >= 1 else image.resize([max(1, round(n * scale)) for n in image.size], Image.Resampling.LANCZOS)


def arriving(image, way, rng):
    if way == "small":
        return shrink(image, 800)
    if way == "messenger":
        return again(shrink(image, int(rng.integers(1024, 1601))), rng.integers(65, 85))
    return image


def crop(image, side, rng):
    side = min(side, *image.size)
    left, top = (int(rng.integers(0, n - side + 1)) for n in image.size)
    return image.crop((left, top, left + side, top + side))


def view(row):
    """Part, class and so on; None for a file that is no picture."""
    sha = row["sha256"][:20]
    rng = np.random.default_rng(int(sha[:12], 16))
    try:
        image = Image.open(PICTURES / "found" / row["sha256"])
        was_jpeg = image.format in ("JPEG", "MPO")
        image = ImageOps.exif_transpose(image).convert("RGB")
    except OSError:
        return None
    if not was_jpeg:
        image = again(image, rng.integers(88, 98), rng.choice([0, 2]))
    for way in WAYS:
        one = arriving(image, way, rng)
        quality = int(rng.integers(65, 80) if way == "messenger" else rng.integers(75, 96))
        small = crop(one, 256, rng)
        if small.width == 256:
            small.save(FIT / f"{sha}-{way}.jpg", "JPEG", quality=quality, subsampling=int(rng.choice([0, 2])))
    return {**{name: row[name] for name in ("part", "label", "generator", "source", "repository")}, "sha": sha}


def main():
    FIT.mkdir(parents=True, exist_ok=True)
    rows = list(csv.DictReader(gzip.open(HERE / "sets.tsv.gz", "rt", newline=""), delimiter="\t", quoting=csv.QUOTE_NONE))
    with ProcessPoolExecutor() as pool:
        found = [one for one in pool.map(view, rows, chunksize=8) if one]
    (PICTURES / "views.json").write_text(json.dumps(found))


if __name__ == "__main__":
    sys.exit(main())
