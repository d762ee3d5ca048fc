"""Trains the screen detector's trunk end to end on patches of the views, at full size.

    PICTURES=folder python3 patches.py NAME PARTS [STEPS] [SEED]

Fits on the views of `views.py` in these PARTS (such as 0,1,2), and writes PICTURES/nets/NAME.generated.onnx and .json, as `forensics/src/ai/patches.ts` reads them. The network is that of
`../screen/appearance.py`, from the classifier's weights on. 700 steps take twenty minutes of two cores. Needs numpy, pillow, onnx and torch.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).parents[1] / "screen"))
from appearance import CLASSIFIER, CLIPPED, Fitting, build, export, start_from  # noqa: E402

PICTURES = Path(os.environ["PICTURES"])
BATCH, SIDE, RATE = 32, 192, 3e-4
WAYS = ("sent", "small", "messenger")
# A source counts by the root of its pictures, up to so many.
MOST = 16


# ---- Patches


def cosines():
    n = torch.arange(8.0)
    table = torch.cos((2 * n[None] + 1) * n[:, None] * torch.pi / 16) / 2
    table[0] /= 2**0.5
    return table


COSINES = cosines()
STEPS = torch.tensor(
    [[16, 11, 10, 16, 24, 40, 51, 61], [12, 12, 14, 19, 26, 58, 60, 55], [14, 13, 16, 24, 40, 57, 69, 56], [14, 17, 22, 29, 51, 87, 80, 62],
     [18, 22, 37, 56, 68, 109, 103, 77], [24, 35, 55, 64, 81, 104, 113, 92], [49, 64, 78, 87, 103, 121, 120, 101], [72, 92, 95, 98, 112, 100, 103, 99]],
    dtype=torch.float32)  # fmt: skip
TO_YCC = torch.tensor([[0.299, 0.587, 0.114], [-0.1687, -0.3313, 0.5], [0.5, -0.4187, -0.0813]])
TO_RGB = torch.tensor([[1, 0, 1.402], [1, -0.3441, -0.7141], [1, 1.772, 0]])


def jpeg(image, quality):
    """What a JPEG of this quality keeps; its grid begins at the patch's corner."""
    n, _, height, width = image.shape
    image = torch.einsum("ij,njhw->nihw", TO_YCC, image - 128)
    scale = torch.where(quality < 50, 50 / quality, 2 - quality / 50)
    steps = (STEPS * scale[:, None, None]).clamp(1, 255)[:, None, None, None]
    blocks = image.reshape(n, 3, height // 8, 8, width // 8, 8).transpose(3, 4)
    kept = (torch.round(COSINES @ blocks @ COSINES.T / steps) * steps).clamp(-2048, 2048)
    image = (COSINES.T @ kept @ COSINES).transpose(3, 4).reshape(n, 3, height, width)
    return (torch.einsum("ij,njhw->nihw", TO_RGB, image) + 128).round().clamp(0, 255)


def uniform(low, high, n, channels=1):
    return torch.empty(n, channels, 1, 1).uniform_(low, high)


def patches(image, rng):
    """Random patches, some shrunk, compressed again, turned, toned and noisy, a quarter of them grey: the same for both classes."""
    image, n = image.float(), len(image)
    some = lambda share: torch.rand(n, 1, 1, 1) < share
    if rng.random() < 0.3:
        size = int(rng.integers(SIDE, image.shape[-1] + 1))
        image = F.interpolate(image, size=(size, size), mode="bicubic", antialias=True, align_corners=False).clamp(0, 255)
    top, left = (int(place) for place in rng.integers(0, image.shape[-1] - SIDE + 1, 2))
    image = image[:, :, top : top + SIDE, left : left + SIDE]
    image = torch.where(some(0.25), jpeg(image, uniform(60, 97, n).view(n)), image)
    if rng.random() < 0.5:
        image = image.flip(3)
    image = torch.rot90(image, int(rng.integers(4)), (2, 3))
    grey = image.mean(1, keepdim=True)
    colour = torch.where(some(0.25), torch.zeros(()), torch.where(some(0.5), uniform(0.2, 1.7, n), torch.ones(())))
    image = grey + (image - grey) * colour
    image = (image - 128) * uniform(0.8, 1.2, n) * uniform(0.94, 1.06, n, 3) + 128 + uniform(-16, 16, n) + uniform(-6, 6, n, 3)
    noise = torch.where(some(0.2), uniform(0, 2.5, n), torch.zeros(()))
    return (image + noise * torch.randn_like(image)).clamp(0, 255).contiguous(memory_format=torch.channels_last)


# ---- Training


def read(parts):
    """Views, classes and how often each is drawn: both classes alike, sources by the root of their pictures. The pairs of `pairs.py`, if there are any, are one source of generated ones."""
    rows = [row for row in json.loads((PICTURES / "views.json").read_text()) if row["part"] in parts]
    listed = [(row, PICTURES / "fit" / f"{row['sha']}-{way}.jpg") for row in rows for way in WAYS]
    listed += [({"label": "generated", "source": "pairs"}, PICTURES / "fit" / f"{row['sha']}-pair-{way}.jpg") for row in rows for way in WAYS]
    listed = [(row, path) for row, path in listed if path.exists()]
    with ThreadPoolExecutor(4) as pool:
        views = np.stack(list(pool.map(lambda one: np.asarray(Image.open(one[1]).convert("RGB")), listed)))
    generated = np.array([row["label"] == "generated" for row, _ in listed])
    source = np.array([f"{row['label']} {row['source']}" for row, _ in listed])
    share = np.zeros(len(listed))
    for name in set(source):
        here = source == name
        share[here] = min(np.sqrt(here.sum() / len(WAYS)), MOST) / here.sum()
    for one in (True, False):
        share[generated == one] /= 2 * share[generated == one].sum()
    return torch.from_numpy(views).permute(0, 3, 1, 2).contiguous(), torch.from_numpy(generated.astype(np.float32)), share


def main():
    name, parts = sys.argv[1], sys.argv[2].split(",")
    steps, seed = (int(word) for word in (sys.argv[3:] + ["700", "1"][len(sys.argv) - 3 :]))
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    F.relu6 = lambda x: torch.clamp(x, 0, 6)  # has a gradient in half precision on processors
    views, labels, share = read(parts)
    network = build()
    start_from(network, CLASSIFIER)
    network = network.to(memory_format=torch.channels_last).train()

    def drawn():
        at = torch.from_numpy(rng.choice(len(share), BATCH, p=share))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return network.statistics(patches(views[at], rng)).float(), labels[at]

    with torch.no_grad():
        found = torch.cat([drawn()[0] for _ in range(6)])
        network.norm.running_mean.copy_(found.mean(0))
        network.norm.running_var.copy_(found.var(0) + 1e-3)
    fitting = Fitting(network, steps, RATE, 0.05, 0.003)
    for step in range(steps):
        numbers, labelled = drawn()
        odds = network.head(network.drop(network.norm(numbers).clamp(-CLIPPED, CLIPPED))).squeeze(1)
        loss = F.binary_cross_entropy_with_logits(odds, labelled * 0.96 + 0.02)
        fitting.step(loss)
        if step % 50 == 0:
            print(step, f"{loss.item():.3f}", flush=True)
    (PICTURES / "nets").mkdir(exist_ok=True)
    export(fitting.mean.module.eval(), CLASSIFIER, str(PICTURES / "nets" / name))


if __name__ == "__main__":
    main()
