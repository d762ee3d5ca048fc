"""Trains networks of a picture's patches at full size, and of the whole picture at twice the appearance's size, on a GPU.

    python3 research/screen/patches.py FOLDER OUT [SECONDS] [FINAL SECONDS]

FOLDER holds what `pack.ts` packed. Every network is trained without one source in five for so many seconds, and the two that tell these sources best, at 800
and 700 pixels, on all. OUT gets the answers on the sources left out, and all networks as ONNX files and heads, which `trunk.ts` runs. Starts from
`context.generated.onnx` as `appearance.py` does. Needs numpy, pillow, onnx, torch 2, one GPU of 80 GB.
"""
import io
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.nn import functional

import appearance
from appearance import CLIPPED, Fitting, export, part_of, start_from

CLASSIFIER = Path(__file__).parents[2] / 'src/screen/context.generated.onnx'
DEVICE = 'cuda' if torch.cuda.is_available() else 'cpu'
SHORT = not torch.cuda.is_available()
VIEWS = 3 if SHORT else 10
# Name: patches a picture, their side; of the whole picture, its width and height.
KINDS = {
    'patches256': dict(count=5, side=256),
    'patches128': dict(count=14, side=128),
    'whole640': dict(width=640, height=480),
    'level256': dict(count=5, side=256, level=True),
}
PAPER_SHARE = 3


# ---- Pictures

def encoded(picture, rng, low, high):
    out = io.BytesIO()
    picture.save(out, 'JPEG', quality=int(rng.integers(low, high)), subsampling=2 if rng.random() < 0.85 else 0)
    picture = Image.open(out)
    picture.load()
    return picture


FILTERS = [Image.LANCZOS, Image.LANCZOS, Image.BICUBIC, Image.BILINEAR, Image.BOX]


def inside(picture, side, how=Image.LANCZOS):
    share = side / max(picture.size)
    return picture if share >= 1 else picture.resize([max(1, round(length * share)) for length in picture.size], how)


def view(picture, number, rng, display):
    """View 0 is the picture, 1 a messenger's at 800 pixels, 2 one at 700 pixels and quality 45, the others are at random."""
    if number == 0:
        return picture
    if number == 1:
        return encoded(inside(picture, 800), rng, 75, 76)
    if number == 2:
        return encoded(inside(picture, 700), rng, 45, 46)
    if rng.random() < 0.5:
        share, shape = rng.uniform(0.6, 1), np.exp(rng.uniform(-0.12, 0.12))
        width, height = min(picture.width, int(picture.width * share * shape)), min(picture.height, int(picture.height * share / shape))
        place = np.clip(rng.normal(0.5, 0.2, 2), 0, 1) if display else rng.uniform(0, 1, 2)
        left, top = int((picture.width - width) * place[0]), int((picture.height - height) * place[1])
        picture = picture.crop((left, top, left + width, top + height))
    picture = inside(picture, int(rng.integers(560, 1024)), FILTERS[rng.integers(len(FILTERS))])
    for _ in range(1 + (rng.random() < 0.35)):
        picture = encoded(picture, rng, 40, 92)
    return picture


def prepare(row, folder, count):
    rng = np.random.default_rng(int(row['key'][:8], 16))
    picture = Image.open(folder / f"{row['key']}.jpg").convert('RGB')
    whole = [view(picture, number, rng, row['label']) for number in range(count)]
    parts = []
    for number in range(row['crops']):
        part = Image.open(folder / f"{row['key']}_{number}.jpg").convert('RGB')
        parts += [part, encoded(part, rng, 50, 90)]
    return [[np.array(one.convert('RGB')) for one in ones] for ones in (whole, parts)]


def read_all(folder):
    rows = [json.loads(path.read_text()) for path in sorted(folder.glob('*.json'))]
    if SHORT:
        rows = rows[::90]
    with ThreadPoolExecutor(16) as pool:
        for row, (whole, parts) in zip(rows, pool.map(lambda row: prepare(row, folder, VIEWS), rows)):
            row['whole'] = [torch.from_numpy(one).to(DEVICE) for one in whole]
            row['parts'] = [torch.from_numpy(one).to(DEVICE) for one in parts]
    return rows


# ---- Views

def whole_of(levels, kind, random):
    """Lying, at the network's size."""
    if levels.shape[0] > levels.shape[1]:
        levels = levels.transpose(0, 1).flip(int(torch.rand(()) < 0.5) if random else 0)
    if random and torch.rand(()) < 0.6:
        height, width = levels.shape[:2]
        share = float(torch.empty(()).uniform_(0.6, 1))
        h, w = int(height * share), int(width * share)
        top, left = int(torch.rand(()) * (height - h)), int(torch.rand(()) * (width - w))
        levels = levels[top:top + h, left:left + w]
    levels = levels.permute(2, 0, 1)[None].float()
    return functional.interpolate(levels, (kind['height'], kind['width']), mode='bilinear', antialias=True)


def grid(height, width, side):
    """Fixed places: three by two, for small patches five by three, the longer row along the longer side."""
    along = lambda length, count: [max(0, (length - side) // 2)] if count == 1 else \
        [int(min(0.06 * length, (length - side) / 2) + (length - side - 2 * min(0.06 * length, (length - side) / 2)) * i / (count - 1)) for i in range(count)]
    small = side < 200
    long, short = (5, 3) if small else (3, 2)
    columns, rows = (long, short) if width >= height else (short, long)
    return [(top, left) for top in along(height, rows) for left in along(width, columns)]


def cut(levels, top, left, side):
    part = levels[top:top + side, left:left + side]
    missing = side - part.shape[0], side - part.shape[1]
    if max(missing) > 0:
        part = functional.pad(part.permute(2, 0, 1)[None].float(), (0, missing[1], 0, missing[0]), mode='replicate')[0].permute(1, 2, 0).to(levels.dtype)
    return part


def patches_of(levels, kind, random, display=False):
    height, width = levels.shape[:2]
    side = kind['side']
    if random:
        spread = torch.randn(kind['count'], 2) * 0.22 + 0.5 if display else torch.rand(kind['count'], 2)
        spread = spread.clamp(0, 1)
        places = [(int(max(0, height - side) * a), int(max(0, width - side) * b)) for a, b in spread.tolist()]
    else:
        places = grid(height, width, side)
    out = torch.stack([cut(levels, top, left, side) for top, left in places]).permute(0, 3, 1, 2)
    if random and torch.rand(()) < 0.5:
        out = out.transpose(2, 3)
    return out


def toned(levels, groups):
    """Another exposure, cast, saturation, contrast, turn and noise for each picture."""
    n = levels.shape[0] // groups
    per = lambda low, high, channels=1: torch.empty(n, channels, 1, 1, device=levels.device).uniform_(low, high).repeat_interleave(groups, 0)
    x = levels.float() / 255
    curve = torch.where(per(0, 1) < 0.4, torch.exp(per(-0.3, 0.3)), torch.ones((), device=x.device))
    x = x.clamp(1e-4, 1) ** curve
    x = x * per(0.8, 1.2) * per(0.93, 1.07, 3) + per(-0.04, 0.04)
    grey = x.mean(1, keepdim=True)
    x = grey + (x - grey) * torch.where(per(0, 1) < 0.4, per(0.3, 1.5), torch.ones((), device=x.device))
    noise = torch.where(per(0, 1) < 0.25, per(0, 0.02), torch.zeros((), device=x.device))
    x = x + noise * torch.randn_like(x)
    x = (x.clamp(0, 1) * 255)
    if torch.rand(()) < 0.5:
        x = x.flip(2)
    if torch.rand(()) < 0.5:
        x = x.flip(3)
    return x


def levelled(x):
    """Each patch at mid grey and one contrast, so that its tone says nothing."""
    deviation = x.std((1, 2, 3), keepdim=True)
    return ((x - x.mean((2, 3), keepdim=True)) * (40 / (deviation + 4)) + 128).clamp(-64, 320)


# ---- Networks

def build():
    appearance.FROZEN = 0
    network = appearance.build()
    start_from(network, CLASSIFIER)
    return network.to(DEVICE, memory_format=torch.channels_last)


def numbers_of(network, levels, groups):
    """Statistics of all patches of a picture: means of means and deviations, highest of the highest."""
    found = network.statistics(levels.contiguous(memory_format=torch.channels_last))
    if groups == 1:
        return found
    found = found.view(-1, groups, found.shape[1])
    mean, high = found.mean(1), found.amax(1)
    out, at = [], 0
    for channels in (144, 32, 96, 160):
        out += [mean[:, at:at + 2 * channels], high[:, at + 2 * channels:at + 3 * channels]]
        at += 3 * channels
    return torch.cat(out, 1)


def answer(network, numbers):
    return network.head(network.drop(network.norm(numbers).clamp(-CLIPPED, CLIPPED))).squeeze(1)


def given(row, kind, random):
    whole = 'width' in kind
    if random:
        # One view in four of a large picture is a part at its own size.
        if not whole and row['parts'] and torch.rand(()) < 0.25:
            levels = row['parts'][int(torch.rand(()) * len(row['parts']))]
        else:
            levels = row['whole'][int(torch.rand(()) * len(row['whole']))]
    else:
        levels = row
    return whole_of(levels, kind, random) if whole else patches_of(levels, kind, random, random and row['label'])


class Draws:
    """Half of the pictures are displays. Sources count by the root of their size; half the time both classes come from one source."""

    def __init__(self, rows, rng):
        self.rng = rng
        self.by = {}
        for row in rows:
            self.by.setdefault(row['label'], {}).setdefault(row['source'], []).append(row)
        self.both = [source for source in self.by[1] if source in self.by[0]]
        self.share = {label: self.shares(label, sources) for label, sources in ((0, list(self.by[0])), (1, list(self.by[1])))}
        self.paired = self.shares(1, self.both) if self.both else None

    def shares(self, label, sources):
        size = lambda row: PAPER_SHARE if row['paper'] and label == 0 else 1
        w = np.array([np.sqrt(sum(size(row) for row in self.by[label][source])) * (2 if label == 0 and self.by[label][source][0]['paper'] else 1) for source in sources])
        return sources, w / w.sum()

    def of(self, label, source):
        rows = self.by[label][source]
        return rows[self.rng.integers(len(rows))]

    def pair(self):
        if self.paired and self.rng.random() < 0.5:
            source = self.rng.choice(self.paired[0], p=self.paired[1])
            return self.of(1, source), self.of(0, source)
        return tuple(self.of(label, self.rng.choice(self.share[label][0], p=self.share[label][1])) for label in (1, 0))


def batch(draws, kind, pairs):
    rows = [row for _ in range(pairs) for row in draws.pair()]
    levels = torch.cat([given(row, kind, True) for row in rows])
    x = toned(levels, levels.shape[0] // len(rows))
    return (levelled(x) if kind.get('level') else x), torch.tensor([float(row['label']) for row in rows], device=DEVICE)


def train(kind, rows, seed, seconds, pairs=32, rate=3e-4):
    torch.manual_seed(seed)
    draws = Draws(rows, np.random.default_rng(seed))
    network = build()
    groups = kind.get('count', 1)
    if SHORT:
        pairs = 2
    cast = lambda: torch.autocast(DEVICE, dtype=torch.bfloat16)
    with torch.no_grad(), cast():
        found = torch.cat([numbers_of(network, batch(draws, kind, pairs)[0], groups).float() for _ in range(8)])
        network.norm.running_mean.copy_(found.mean(0))
        network.norm.running_var.copy_(found.var(0) + 1e-3)
    steps = 2 if SHORT else count_steps(network, kind, draws, pairs, seconds)
    fitting = Fitting(network, steps, rate, 0.03, 0.004)
    network.train()
    began = time.time()
    for step in range(steps):
        x, labels = batch(draws, kind, pairs)
        with cast():
            numbers = numbers_of(network, x, groups)
        log_odds = answer(network, numbers.float())
        loss = functional.binary_cross_entropy_with_logits(log_odds, labels * 0.94 + 0.03)
        fitting.step(loss)
        if step % 100 == 0:
            print(f'  {step} {loss.item():.3f} {time.time() - began:.0f} s', flush=True)
    return fitting.mean.module.eval()


def count_steps(network, kind, draws, pairs, seconds):
    """How many steps take so long."""
    for number in range(25):
        if number == 5:
            torch.cuda.synchronize()
            began = time.time()
        x, labels = batch(draws, kind, pairs)
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            numbers = numbers_of(network, x, kind.get('count', 1))
        functional.binary_cross_entropy_with_logits(network.head(numbers.float()).squeeze(1), labels).backward()
    torch.cuda.synchronize()
    network.zero_grad()
    return int(seconds / ((time.time() - began) / 20 * 1.08))


def score(network, kind, levels):
    """Log odds of a picture, of its patches in a grid or of the whole."""
    x = given(levels, kind, False).float()
    if kind.get('level'):
        x = levelled(x)
    with torch.no_grad(), torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == 'cuda'):
        numbers = numbers_of(network, x.to(DEVICE), x.shape[0])
    with torch.no_grad():
        return answer(network, numbers.float()).item()


def measures(scores, labels):
    scores, labels = np.array(scores), np.array(labels)
    shown, genuine = scores[labels == 1], scores[labels == 0]
    if not len(shown) or not len(genuine):
        return 0, 'one class'
    order = np.sort(genuine)
    area = ((shown[:, None] > genuine).mean() + 0.5 * (shown[:, None] == genuine).mean())
    return area, f'AUC {area:.3f}, {(shown > np.quantile(order, 0.99)).mean():.2f} at 1%, {(shown > np.quantile(order, 0.95)).mean():.2f} at 5%'


def main():
    began = time.time()
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    seconds, final = (float(word) for word in sys.argv[3:5])
    torch.backends.cudnn.benchmark = True
    rows = read_all(folder)
    print(f'{len(rows)} pictures, {sum(row["label"] for row in rows)} displays, {time.time() - began:.0f} s', flush=True)
    scores, ranks = {}, {}
    for name, kind in KINDS.items():
        network = train(kind, [row for row in rows if part_of(row['source']) != 0], 1, seconds)
        apart = [row for row in rows if part_of(row['source']) == 0]
        for form in range(3):
            found = [score(network, kind, row['whole'][form]) for row in apart]
            scores[f'{name} apart {form}'] = [[row['key'], row['label'], row['source'], value] for row, value in zip(apart, found)]
            area, text = measures(found, [row['label'] for row in apart])
            ranks[name] = ranks.get(name, 0) + (form > 0) * area
            print(f'{name}, view {form}: {text} of {len(apart)}, {time.time() - began:.0f} s', flush=True)
        export(network.cpu(), CLASSIFIER, out / f'{name}_apart')
        (out / 'scores.json').write_text(json.dumps(scores))
    for name in sorted(ranks, key=ranks.get)[::-1][:2]:
        kind = KINDS[name]
        network = train(kind, rows, 2, final)
        export(network.cpu(), CLASSIFIER, out / name)
        print(f'{name}: all, {time.time() - began:.0f} s', flush=True)


if __name__ == '__main__':
    main()
