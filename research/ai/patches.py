"""Trains the screen detector's trunk end to end on native-resolution patches of the views, and scores every view of people and generators it left out.

    python3 patches.py DATA OUT SECONDS [RUNS]

DATA holds `views.json` (a list of [file, use, label, source, generator, way]), the files, and `context.generated.onnx`. Two trunks: `half` begins with a step of two
pixels, as the trunk that ships, `full` with a step of one, so that the finest detail is not averaged away. Each is fitted on the use `fit`, and again without one family of
generators at a time. OUT gets `scores.npz` and the weights. SECONDS is shared out among the trainings, so numbers vary with the machine. Of the trainings, RUNS are made (all).
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import nn
from torch.nn import functional as F

from shared import FAMILIES, auc

DATA, OUT, SECONDS = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BATCH = 128 if DEVICE == "cuda" else 8
CROP = {"half": 192, "full": 160}
torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True


# ---- The trunk


def layers_of(path):
    """Weights, bias, step, groups, whether clipped, and whether the block's input is added, of each convolution."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    constants = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    made = {node.output[0]: node for node in graph.node}
    clipped = {node.input[0] for node in graph.node if node.op_type == "Clip"}
    # The second input of an addition is what the block began with.
    adding = {node.input[0] for node in graph.node if node.op_type == "Add"}
    layers = []
    for node in graph.node:
        if node.op_type != "Conv":
            continue
        kernel = made.get(node.input[1])
        if kernel is None:
            weights = constants[node.input[1]]
        else:
            values, scale, zero = (constants[name] for name in kernel.input)
            weights = (values.astype(np.float32) - np.float32(zero)) * scale
        attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        name = node.output[0]
        layers.append((weights.astype(np.float32), constants[node.input[2]], attributes["strides"][0], attributes.get("group", 1), name in clipped, name in adding))
    return layers


class Same(nn.Module):
    """A convolution with the padding that ONNX calls SAME_UPPER."""

    def __init__(self, weights, bias, step, groups, clipped):
        super().__init__()
        out, depth, side, _ = weights.shape
        self.layer = nn.Conv2d(depth * groups, out, side, step, 0, groups=groups)
        self.layer.weight.data, self.layer.bias.data = torch.from_numpy(weights.copy()), torch.from_numpy(bias.copy())
        self.side, self.step, self.clipped = side, step, clipped

    def forward(self, planes):
        if self.side == 3:
            before = [max(0, (-(-n // self.step) - 1) * self.step + 3 - n) for n in planes.shape[2:]]
            planes = F.pad(planes, (before[1] // 2, before[1] - before[1] // 2, before[0] // 2, before[0] - before[0] // 2))
        planes = self.layer(planes)
        return planes.clamp(0, 6) if self.clipped else planes


class Trunk(nn.Module):
    """Log odds of each place; a picture's are their mean, so the map says where."""

    def __init__(self, layers, kind):
        super().__init__()
        self.added = [add for *_, add in layers]
        step = 1 if kind == "full" else 2
        self.layers = nn.ModuleList(Same(weights, bias, step if i == 0 else by, groups, clipped) for i, (weights, bias, by, groups, clipped, _) in enumerate(layers))
        width = layers[-1][0].shape[0]
        self.wide, self.drop, self.head = nn.Conv2d(width, 512, 1), nn.Dropout2d(0.2), nn.Conv2d(512, 1, 1)

    def places(self, image):
        planes, entry = (image - 128) / 127.5, None
        for layer, add in zip(self.layers, self.added):
            planes = layer(planes)
            if not layer.clipped:
                if add:
                    planes = planes + entry
                entry = planes
        return self.head(self.drop(F.relu(self.wide(planes))))

    def forward(self, image):
        return self.places(image).float().mean((1, 2, 3))


# ---- Patches on the device


def cosines():
    n = torch.arange(8.0)
    table = torch.cos((2 * n[None] + 1) * n[:, None] * torch.pi / 16) / 2
    table[0] /= 2**0.5
    return table.to(DEVICE)


COSINES = cosines()
STEPS = torch.tensor(
    [[16, 11, 10, 16, 24, 40, 51, 61], [12, 12, 14, 19, 26, 58, 60, 55], [14, 13, 16, 24, 40, 57, 69, 56], [14, 17, 22, 29, 51, 87, 80, 62],
     [18, 22, 37, 56, 68, 109, 103, 77], [24, 35, 55, 64, 81, 104, 113, 92], [49, 64, 78, 87, 103, 121, 120, 101], [72, 92, 95, 98, 112, 100, 103, 99]],
    device=DEVICE, dtype=torch.float32)  # fmt: skip
TO_YCC = torch.tensor([[0.299, 0.587, 0.114], [-0.1687, -0.3313, 0.5], [0.5, -0.4187, -0.0813]], device=DEVICE)
TO_RGB = torch.tensor([[1, 0, 1.402], [1, -0.3441, -0.7141], [1, 1.772, 0]], device=DEVICE)


def jpeg(image, quality):
    """What a JPEG of this quality keeps; its grid begins at the patch's corner."""
    n, _, height, width = image.shape
    image = torch.einsum("ij,njhw->nihw", TO_YCC, image - torch.tensor([128.0, 128, 128], device=DEVICE)[:, None, None])
    scale = torch.where(quality < 50, 50 / quality, 2 - quality / 50)
    steps = (STEPS * scale[:, None, None]).clamp(1, 255)[:, None, None, None]
    blocks = image.reshape(n, 3, height // 8, 8, width // 8, 8).transpose(3, 4)
    kept = (torch.round(COSINES @ blocks @ COSINES.T / steps) * steps).clamp(-2048, 2048)
    image = (COSINES.T @ kept @ COSINES).transpose(3, 4).reshape(n, 3, height, width)
    image = torch.einsum("ij,njhw->nihw", TO_RGB, image) + 128
    return image.round().clamp(0, 255)


def patches(pictures, at, side, rng):
    """Random patches, some shrunk, compressed again, turned, grey, noisy: the same for both classes."""
    image = pictures[at].float()
    smallest = side / image.shape[-1]
    if rng.random() < 0.3:
        size = int(image.shape[-1] * rng.uniform(smallest, 1))
        image = F.interpolate(image, size=(size, size), mode="bicubic", antialias=True, align_corners=False).clamp(0, 255)
    top, left = (torch.from_numpy(rng.integers(0, image.shape[-1] - side + 1, len(image))).to(DEVICE) for _ in range(2))
    line = torch.arange(side, device=DEVICE)
    rows, columns = top[:, None] + line, left[:, None] + line
    image = image[torch.arange(len(image), device=DEVICE)[:, None, None], :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)
    again = torch.from_numpy(rng.random(len(image)) < 0.3).to(DEVICE)
    quality = torch.from_numpy(rng.uniform(60, 97, len(image)).astype(np.float32)).to(DEVICE)
    if again.any():
        image = torch.where(again[:, None, None, None], jpeg(image, quality), image)
    if rng.random() < 0.5:
        image = image.flip(3)
    image = torch.rot90(image, int(rng.integers(4)), (2, 3))
    grey = torch.from_numpy(rng.random(len(image)) < 0.1).to(DEVICE)[:, None, None, None]
    image = torch.where(grey, image.mean(1, keepdim=True), image)
    gain = torch.from_numpy(rng.uniform(0.85, 1.15, (len(image), 1, 1, 1)).astype(np.float32)).to(DEVICE)
    level = torch.from_numpy(rng.uniform(-12, 12, (len(image), 3, 1, 1)).astype(np.float32)).to(DEVICE)
    noise = torch.from_numpy((rng.uniform(0, 2.5, (len(image), 1, 1, 1)) * (rng.random((len(image), 1, 1, 1)) < 0.2)).astype(np.float32)).to(DEVICE)
    image = ((image - 128) * gain + 128 + level + noise * torch.randn_like(image)).clamp(0, 255)
    return image.contiguous(memory_format=torch.channels_last)


# ---- Training


def weights_of(views, fit):
    """Each class counts alike, and each source of one by the square root of its pictures."""
    who = np.array([f"{v[2]} {v[3]} {v[4] if v[2] == 'generated' else ''}" for v in views])
    weight = np.zeros(len(views))
    for name in set(who[fit]):
        here = fit & (who == name)
        weight[here] = 1 / np.sqrt(here.sum())
    label = np.array([v[2] == "generated" for v in views])
    for one in (True, False):
        weight[fit & (label == one)] /= weight[fit & (label == one)].sum()
    return weight / weight.sum()


def train(kind, layers, pictures, views, slot, fit, seconds, seed, log):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = Trunk(layers, kind).to(DEVICE, memory_format=torch.channels_last)
    average = Trunk(layers, kind).to(DEVICE, memory_format=torch.channels_last)
    average.load_state_dict(network.state_dict())
    torch.backends.cudnn.benchmark = True
    label = torch.tensor([float(v[2] == "generated") for v in views], device=DEVICE)
    chance = weights_of(views, fit)
    heads = list(network.wide.parameters()) + list(network.head.parameters())
    known = {id(p) for p in heads}
    optimiser = torch.optim.AdamW(
        [{"params": [p for p in network.parameters() if id(p) not in known], "most": 4e-4}, {"params": heads, "most": 2e-3}], 1e-3, weight_decay=0.05)
    start, step, total = time.time(), 0, 0.0
    while (spent := (time.time() - start) / seconds) < 1:
        for group in optimiser.param_groups:
            group["lr"] = group["most"] * (min(1, step / 60) * 0.5 * (1 + np.cos(np.pi * spent)) + 0.005)
        at = rng.choice(len(views), BATCH, p=chance)
        image = patches(pictures["fit"], torch.from_numpy(slot[at]).to(DEVICE), CROP[kind], rng)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            odds = network(image)
        loss = F.binary_cross_entropy_with_logits(odds, label[torch.from_numpy(at).to(DEVICE)] * 0.96 + 0.02)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimiser.step()
        step += 1
        if step == 3:  # by then the device has chosen its kernels
            start = time.time()
        with torch.no_grad():
            keep = min(0.998, step / (step + 10))
            torch._foreach_lerp_(list(average.parameters()), list(network.parameters()), 1 - keep)
        if step % 200 == 0 or DEVICE == "cpu":
            log(f"  {step} {loss.item():.3f} {time.time() - start:.0f}")
    log(f"  {step} steps")
    return average.eval()


def score(network, pictures, size=64):
    found = []
    torch.backends.cudnn.benchmark = False
    with torch.no_grad(), torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
        for first in range(0, len(pictures), size):
            found.append(network(pictures[first : first + size].float().contiguous(memory_format=torch.channels_last)).float().cpu())
    return torch.cat(found).numpy() if found else np.zeros(0, np.float32)


def read(path):
    return np.asarray(Image.open(path).convert("RGB"))


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    log_file = open(OUT / "log.txt", "a")

    def log(text):
        print(text, flush=True)
        print(text, file=log_file, flush=True)

    begun = time.time()
    views = json.load(open(DATA / "views.json"))
    with ThreadPoolExecutor(16) as pool:
        images = list(pool.map(read, [DATA / v[0] for v in views]))
    # Views of one size lie together on the device.
    whole = [v[1] != "fit" or image.shape == (256, 256, 3) for v, image in zip(views, images)]
    views, images = [v for v, ok in zip(views, whole) if ok], [image for image, ok in zip(images, whole) if ok]
    kinds = np.array(["fit" if v[1] == "fit" else f"{image.shape[0]}x{image.shape[1]}" for v, image in zip(views, images)])
    slot = np.zeros(len(views), int)
    pictures = {}
    for kind in sorted(set(kinds)):
        here = np.flatnonzero(kinds == kind)
        slot[here] = np.arange(len(here))
        pictures[kind] = torch.from_numpy(np.stack([images[i] for i in here])).permute(0, 3, 1, 2).contiguous().to(DEVICE)
    del images
    json.dump(views, open(OUT / "views.json", "w"))
    use, label, source, way = (np.array([v[i] for v in views]) for i in (1, 2, 3, 5))
    log(f"{len(views)} views in {time.time() - begun:.0f} s; sizes {[(k, len(p)) for k, p in pictures.items()]}")
    layers = layers_of(DATA / "context.generated.onnx")
    generated = label == "generated"
    more = {"andygock"}
    runs = [("half", "all", 1, 0.11), ("full", "all", 1, 0.16), ("half", "all and portraits", 1, 0.10), ("full", "all and portraits", 1, 0.13)]
    runs += [(kind, name, 1, share) for name in FAMILIES for kind, share in (("half", 0.035), ("full", 0.045))]
    runs = runs[: int(sys.argv[4])] if len(sys.argv) > 4 else runs
    scores = {}
    for kind, name, seed, share in runs:
        fit = (use == "fit") & ~(generated & np.isin(source, list(FAMILIES.get(name, set()))))
        given, places = pictures, slot
        if name == "all and portraits":
            extra = generated & np.isin(source, list(more))
            fit = fit | extra
            given, places = dict(pictures), slot.copy()
            at = np.flatnonzero(extra)
            side = pictures["fit"].shape[-1]
            cut = torch.stack([pictures[kinds[i]][slot[i]][:, 64 : 64 + side, 64 : 64 + side] for i in at]) if len(at) else pictures["fit"][:0]
            places[at] = len(pictures["fit"]) + np.arange(len(at))
            given["fit"] = torch.cat([pictures["fit"], cut])
        log(f"{kind}, {name}: {int(fit.sum())} views")
        network = train(kind, layers, given, views, places, fit, SECONDS * share, seed, log)
        wanted = ~fit | (use != "fit")
        found = np.full(len(views), np.nan, np.float32)
        for size, held in pictures.items():
            here = np.flatnonzero((kinds == size) & wanted)
            if len(here):
                found[here] = score(network, held[torch.from_numpy(slot[here]).to(DEVICE)])
        scores[f"{kind}, {name}"] = found
        np.savez(OUT / "scores.npz", **scores)
        if name.startswith("all"):
            torch.save({k: v.half().cpu() for k, v in network.state_dict().items()}, OUT / f"{kind}-{name.replace(' ', '-')}.pt")
        for one in ("sent", "small", "messenger"):
            genuine, chosen = (found[(use == u) & ~generated & (way == one)] for u in ("judge", "choose"))
            theirs = found[generated & (way == one) & ((use == "judge") if name.startswith("all") else (use == "fit")) & ~np.isnan(found) & ~fit]
            if len(genuine) and len(theirs) and len(chosen):
                bound = np.quantile(chosen, 0.99)
                log(f"  {one}: AUC {auc(genuine, theirs):.3f}, found {np.mean(theirs > bound):.3f} of {len(theirs)}, genuine doubted {np.mean(genuine > bound):.4f} of {len(genuine)}, found at 1% {np.mean(theirs > np.quantile(genuine, 0.99)):.3f}")
        log(f"  {time.time() - begun:.0f} s in all")


if __name__ == "__main__":
    main()
