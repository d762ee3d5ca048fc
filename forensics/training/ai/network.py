"""Trains a small network on the patches and writes its log odds a view to PICTURES/network.npy and its weights to PICTURES/network.pt.

    PICTURES=folder python3 network.py

The first layer takes each colour less its surroundings; the rest is four convolutions. Weights of a picture: each use
of a class counts alike, and each source by the square root of its pictures.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from rows import load

PICTURES = Path(os.environ["PICTURES"])
MINUTES = float(os.environ.get("MINUTES", "8"))


class Noise(nn.Module):
    """Three high-pass kernels a colour; clipped, so that edges do not drown the noise."""

    def __init__(self):
        super().__init__()
        square = torch.tensor([[-1, 2, -1], [2, -4, 2], [-1, 2, -1]]) / 4.0
        across = torch.tensor([[0, 0, 0], [1, -2, 1], [0, 0, 0]]) / 2.0
        kernels = torch.stack([square, across, across.T])
        self.register_buffer("kernels", kernels[:, None].repeat(3, 1, 1, 1))

    def forward(self, image):
        noise = nn.functional.conv2d(image, self.kernels, groups=3)
        return noise.clamp(-12, 12) / 4


def block(before, after, stride):
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU())


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.noise = Noise()
        self.layers = nn.Sequential(block(9, 16, 2), block(16, 32, 2), block(32, 64, 2), block(64, 128, 1))
        self.head = nn.Linear(2 * 128, 1)

    def forward(self, image):
        planes = self.layers(self.noise(image))
        return self.head(torch.cat([planes.mean((2, 3)), planes.amax((2, 3))], 1))[:, 0]


def tensor(patches):
    # In memory as they were: colours innermost. The convolutions are several times faster so.
    return torch.from_numpy(np.array(patches)).permute(0, 3, 1, 2).float()


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rng = np.random.default_rng(1)
    views = load()
    patches = np.load(PICTURES / "patches.npy", mmap_mode="r")
    fit = np.flatnonzero(views["use"] == "fit")
    chance = views["weight"][fit] / views["weight"][fit].sum()
    network = Network().to(memory_format=torch.channels_last)
    print(sum(p.numel() for p in network.parameters()), "parameters", flush=True)
    optimiser = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=0.02)
    start, step, total = time.time(), 0, 0.0
    while (spent := (time.time() - start) / 60 / MINUTES) < 1:
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * min(1, step / 50) * (1 - spent) + 1e-5
        at = rng.choice(fit, 48, p=chance)
        which = rng.integers(0, patches.shape[1], 48)
        batch = patches[at, which]
        turned = [np.rot90(one, rng.integers(4)) if rng.random() < 0.8 else one for one in batch]
        batch = np.stack([one[:, ::-1] if rng.random() < 0.5 else one for one in turned])
        image = tensor(batch)
        image = image + torch.randn_like(image) * float(rng.choice([0, 0, 1.5]))
        loss = nn.functional.binary_cross_entropy_with_logits(
            network(image), torch.from_numpy(views["label"][at].astype(np.float32) * 0.96 + 0.02)
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        step, total = step + 1, total + loss.item()
        if step % 100 == 0:
            print(step, round(total / 100, 3), round(time.time() - start), flush=True)
            total = 0.0
    network.eval()
    torch.save(network.state_dict(), PICTURES / "network.pt")
    odds = np.zeros(patches.shape[:2], np.float32)
    with torch.no_grad():
        for first in range(0, len(patches), 16):
            part = patches[first : first + 16]
            odds[first : first + 16] = network(tensor(part.reshape(-1, *part.shape[2:]))).reshape(len(part), -1).numpy()
    np.save(PICTURES / "network.npy", odds)


if __name__ == "__main__":
    sys.exit(main())
