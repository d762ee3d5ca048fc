"""Brings every picture of `sets.tsv` to the same form, three ways, whatever its file was: PICTURES/views/SHA-WAY.jpg and PICTURES/views.tsv.

    PICTURES=folder python3 views.py

`sent`: a square crop at full size. `small`: the picture at 800 pixels, then a square crop. `messenger`: at 1,024 to 1,600 pixels and two JPEG passes,
then a square crop. What is there already stays. The side of a crop, the quality, the colour sampling and the place are drawn alike for both classes. A picture that never was a JPEG is
one before it is cropped, so that two passes, out of step, are in every file.
"""

import gzip
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
# Side of a square crop, by use.
SIDES = {"fit": 256, "choose": 384, "judge": 384}
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
    for way in WAYS:
        one = image
        if way == "small":
            one = shrink(image, 800)
        if way == "messenger":
            one = again(shrink(image, int(rng.integers(1024, 1601))), rng.integers(65, 85))
        side = min(SIDES[row["use"]], *one.size)
        left, top = (int(rng.integers(0, n - side + 1)) for n in one.size)
        one = one.crop((left, top, left + side, top + side))
        quality = int(rng.integers(65, 80) if way == "messenger" else rng.integers(75, 96))
        one.save(path_of(row, way), "JPEG", quality=quality, subsampling=int(rng.choice([0, 2])))


def path_of(row, way):
    return VIEWS / f"{row['sha256'][:20]}-{way}.jpg"


def seen(row):
    """What both classes should share: side, bytes and mean colour of each view."""
    for way in WAYS:
        path = path_of(row, way)
        one = Image.open(path)
        mean = np.asarray(one.resize((8, 8), Image.Resampling.BOX), float).mean((0, 1))
        yield [row["sha256"], way, one.width, path.stat().st_size, *np.round(mean, 1)]


def main():
    VIEWS.mkdir(parents=True, exist_ok=True)
    rows = list(csv.DictReader(gzip.open(HERE / "sets.tsv.gz", "rt", newline=""), delimiter="\t", quoting=csv.QUOTE_NONE))
    missing = [row for row in rows if not all(path_of(row, way).exists() for way in WAYS)]
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(view, missing, chunksize=8))
    with open(PICTURES / "views.tsv", "w") as out:
        out.write("sha256\tway\tside\tbytes\tred\tgreen\tblue\n")
        out.writelines("\t".join(map(str, line)) + "\n" for row in rows for line in seen(row))


if __name__ == "__main__":
    sys.exit(main())
