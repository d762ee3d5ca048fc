"""Adds pairs to the views of `views.py`: each genuine picture of these PARTS once more, as the autoencoder of a generator gives it back, to fit on as a generated one.

    AUTOENCODER=folder PICTURES=folder python3 pairs.py PARTS

AUTOENCODER is a clone of `madebyollin/taesd` (MIT): `taef2_encoder.pth` and `taef2_decoder.pth` stand in for the autoencoder of FLUX.2. A square of 512 pixels of the picture at 1,024 to 1,600 pixels passes through it, and becomes the three views
PICTURES/fit/SHA-pair-WAY.jpg. A second a picture on two cores. Needs numpy, pillow and torch.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import nn

from views import FIT, PICTURES, WAYS, again, crop, shrink

# Most pictures by one person.
MOST = 4
SIDE, LATENT, WIDTH = 512, 32, 64


class Norm(nn.GroupNorm):
    def forward(self, x):
        return super().forward(x.float())


class Residual(nn.Module):
    """Three convolutions around a way past them; `pool` normalises over the whole picture."""

    def __init__(self, pooled):
        super().__init__()
        layer = lambda: nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.conv = nn.Sequential(layer(), nn.ReLU(), layer(), nn.ReLU(), layer())
        wide = 4 * WIDTH
        self.pool = nn.Sequential(nn.Conv2d(WIDTH, wide, 1, bias=False), Norm(4, wide), nn.ReLU(), nn.Conv2d(wide, WIDTH, 1, bias=False)) if pooled else None

    def forward(self, x):
        x = x + self.pool(x) if self.pool else x
        return torch.relu(self.conv(x) + x)


class Bounded(nn.Module):
    def forward(self, x):
        return 3 * torch.tanh(x / 3)


def encoder():
    layers = [nn.Conv2d(3, WIDTH, 3, padding=1), Residual(False)]
    for pooled in (False, False, True):
        layers += [nn.Conv2d(WIDTH, WIDTH, 3, stride=2, padding=1, bias=False), *(Residual(pooled) for _ in range(3))]
    return nn.Sequential(*layers, nn.Conv2d(WIDTH, LATENT, 3, padding=1))


def decoder():
    layers = [Bounded(), nn.Conv2d(LATENT, WIDTH, 3, padding=1), nn.ReLU()]
    for pooled in (True, False, False):
        layers += [*(Residual(pooled) for _ in range(3)), nn.Upsample(scale_factor=2), nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=False)]
    return nn.Sequential(*layers, Residual(False), nn.Conv2d(WIDTH, 3, 3, padding=1))


def load(network, name):
    network.load_state_dict(torch.load(Path(os.environ["AUTOENCODER"]) / name, map_location="cpu"))
    return network.eval().to(memory_format=torch.channels_last)


def main():
    parts = sys.argv[1].split(",")
    there, back = load(encoder(), "taef2_encoder.pth"), load(decoder(), "taef2_decoder.pth")
    rows = [row for row in json.loads((PICTURES / "views.json").read_text()) if row["part"] in parts and row["label"] == "genuine"]
    files = {path.name[:20]: path for path in (PICTURES / "found").iterdir()}
    taken = {}
    for row in rows:
        taken[row["source"]] = taken.get(row["source"], 0) + 1
        if taken[row["source"]] > MOST:
            continue
        rng = np.random.default_rng(int(row["sha"][:12], 16) + 1)
        image = ImageOps.exif_transpose(Image.open(files[row["sha"]])).convert("RGB")
        image = shrink(image, int(rng.integers(1024, 1601)))
        if min(image.size) < SIDE:
            continue
        part = torch.from_numpy(np.asarray(crop(image, SIDE, rng)).copy()).permute(2, 0, 1)[None] / 255
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            given = back(there(part.contiguous(memory_format=torch.channels_last)))
        given = Image.fromarray((given[0].float().clamp(0, 1) * 255).round().byte().permute(1, 2, 0).numpy())
        given = again(given, rng.integers(88, 98), rng.choice([0, 2]))
        for way in WAYS:
            one = shrink(given, max(256, round(SIDE * 800 / max(image.size)))) if way == "small" else again(given, rng.integers(65, 85)) if way == "messenger" else given
            quality = int(rng.integers(65, 80) if way == "messenger" else rng.integers(75, 96))
            crop(one, 256, rng).save(FIT / f"{row['sha']}-pair-{way}.jpg", "JPEG", quality=quality, subsampling=int(rng.choice([0, 2])))


if __name__ == "__main__":
    main()
