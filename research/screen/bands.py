"""Trains a small network on whole pictures of 256 pixels, and compares it with hand-made features of coloured bands.

    python3 research/screen/bands.py shrink CACHE --repositories FOLDER [--data FOLDER]
    python3 research/screen/bands.py fit CACHE bands.onnx [STEPS]

`shrink` reads the pictures of `sets.tsv` from clones at FOLDER/OWNER/NAME (or `.git` below it) and those of a MANIFEST.tsv, brings each to the forms in
which it may arrive, and keeps them at 256 pixels. KEPT_APART in the environment names a file of SHA-256 sums of pictures that are kept apart for
judging: they, and every other picture of their repositories, are refused. `fit` trains on the uses FIT_ON less one source in five,
which choose; simulated bands over genuine pictures are added, to training only. It then scores `held` (for the threshold), `display-held` and `confounder`, which no fit
has seen. Needs numpy, pillow, torch. One thread; about three minutes of processor time for 1,500 steps.
"""
import gzip
import csv
import hashlib
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

WIDTH, HEIGHT = 256, 192
SMALL = 320
FORMS = ('orig', '800', '700', 'twice')
FIT_ON = ('report', 'develop', 'manifest', 'fit', 'choose')
REPORTED = ('held', 'display-held', 'confounder')


def kept_apart():
    path = os.environ.get('KEPT_APART')
    lines = open(path) if path else []
    return {line.split()[0] for line in lines if line.strip() and not line.startswith('#')}


class Clones:
    """Reads files of clones at their commits."""

    def __init__(self, folder):
        self.folder, self.refused = Path(folder), {}
        self.kept = kept_apart()

    def git(self, repository, *words, check=True):
        return subprocess.run(['git', '-C', self.folder / repository, *words], capture_output=True, check=check).stdout

    def read(self, repository, commit, path):
        """Ends the program at a repository that holds a picture kept apart."""
        if self.kept and (repository, commit) not in self.refused:
            lines = self.git(repository, 'ls-tree', '-r', '-z', commit).decode().split('\0')
            blobs = [line.split()[2] for line in lines if line.lower().endswith(('.jpg', '.jpeg', '.png', '.webp', '.heic'))]
            # A partial clone may lack some; those cannot be measured either.
            sums = (hashlib.sha256(self.git(repository, 'cat-file', 'blob', blob, check=False)).hexdigest() for blob in blobs)
            self.refused[repository, commit] = any(sum in self.kept for sum in sums)
        if self.refused.get((repository, commit)):
            sys.exit(f'kept apart for judging: {repository}')
        return self.git(repository, 'show', f'{commit}:{path}')


def listed(repositories, data):
    """Yields (use, label, source, name, read) of every picture."""
    clones = Clones(repositories)
    for row in csv.DictReader(gzip.open(Path(__file__).parent / 'sets.tsv.gz', 'rt'), delimiter='\t', quoting=csv.QUOTE_NONE):
        place = row['repository'], row['commit'], row['path']
        yield (row['use'], int(row['label'] == 'display'), row['source'] or place[0].split('/')[0], f'{place[0]}/{place[2]}',
               lambda place=place: clones.read(*place))
    if not data:
        return
    for line in open(Path(data) / 'MANIFEST.tsv').read().strip().split('\n')[1:]:
        kind, path, repository = line.split('\t')[:3]
        if kind in ('camera', 'screen'):
            yield 'manifest', int(kind == 'screen'), repository.split('/')[0], path, (Path(data) / path).read_bytes


def inside(picture, side, how=Image.LANCZOS):
    share = side / max(picture.size)
    return picture.resize([max(1, round(length * share)) for length in picture.size], how) if share < 1 else picture


def encoded(picture, quality):
    out = io.BytesIO()
    picture.save(out, 'JPEG', quality=quality, subsampling=2)
    return Image.open(io.BytesIO(out.getvalue())).convert('RGB')


def small(picture):
    while max(picture.size) // 2 >= SMALL:
        picture = picture.reduce(2)
    picture = inside(picture, SMALL, Image.BOX)
    if picture.height > picture.width:
        picture = picture.transpose(Image.ROTATE_90)
    return np.asarray(picture.resize((WIDTH, HEIGHT), Image.BOX))


def forms(data, name):
    """The picture as it is, sent by messenger at 800 pixels, squeezed to 700, and recompressed twice."""
    picture = Image.open(io.BytesIO(data))
    if picture.format == 'JPEG' and max(picture.size) > 3200:
        picture.draft('RGB', [length // 2 for length in picture.size])
    picture = ImageOps.exif_transpose(picture.convert('RGB'))
    rng = np.random.default_rng(int(hashlib.sha1(name.encode()).hexdigest()[:8], 16))
    sent = encoded(inside(picture, 1600), 75)
    yield 'orig', small(picture)
    yield '800', small(encoded(inside(sent, 800, Image.BICUBIC), 75))
    yield '700', small(encoded(inside(picture, 700, Image.BILINEAR), int(rng.integers(35, 60))))
    once = encoded(inside(picture, 1280), 70)
    yield 'twice', small(encoded(inside(once, int(rng.integers(900, 1200)), Image.BICUBIC), int(rng.integers(60, 80))))


def keep_forms(path, content, name):
    np.savez(f'{path}.npz', **{f'form_{form}': values for form, values in forms(content, name)})


def shrink(keep, cache, repositories, data=None):
    """Lists every picture in CACHE, once `keep` has written it there. Ends the program at one that is kept apart for judging."""
    Path(cache).mkdir(parents=True, exist_ok=True)
    kept, index = kept_apart(), open(Path(cache) / 'index.tsv', 'a')
    done = {line.split('\t')[0] for line in open(Path(cache) / 'index.tsv')}
    for use, label, source, name, read in listed(repositories, data):
        key = hashlib.sha1(name.encode()).hexdigest()[:16]
        if key in done:
            continue
        content = read()
        if hashlib.sha256(content).hexdigest() in kept:
            sys.exit(f'kept apart for judging: {name}')
        try:
            keep(Path(cache) / key, content, name)
        except OSError as cause:
            print(f'{name}: {cause}', file=sys.stderr)
            continue
        print(key, use, label, source, name, sep='\t', file=index, flush=True)


def load(cache, uses):
    rows = []
    for line in open(Path(cache) / 'index.tsv'):
        key, use, label, source, name = line.rstrip('\n').split('\t')
        if use in uses:
            views = np.load(Path(cache) / f'{key}.npz')
            rows.append({'use': use, 'label': int(label), 'source': source, 'name': name, 'views': [views[f'form_{form}'] for form in FORMS]})
    return rows


def chooses(source):
    """One source in five is not fitted on; with these the form of the network was chosen."""
    return hashlib.sha1(source.encode()).digest()[0] % 5 == 0


class Bands:
    """Draws coloured bands, as a display's rows and columns leave them below the camera's resolution."""

    def __init__(self, rng):
        self.rng = rng
        y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
        self.x, self.y = x / WIDTH - 0.5, (y - HEIGHT / 2) / WIDTH

    def field(self):
        """A smooth random surface."""
        coarse = self.rng.normal(0, 1, (4, 5)).astype(np.float32)
        return np.asarray(Image.fromarray(coarse).resize((WIDTH, HEIGHT), Image.BICUBIC))

    def lattice(self, coloured):
        """Waves of one lattice, 2 to 60 cycles a picture, whose frequency changes over the picture as in perspective."""
        rng = self.rng
        frequency, angle = np.exp(rng.uniform(np.log(2), np.log(60))), rng.uniform(0, 2 * np.pi)
        u = self.x * np.cos(angle) + self.y * np.sin(angle)
        v = -self.x * np.sin(angle) + self.y * np.cos(angle)
        chirp = rng.normal(0, 1, 3) * frequency * rng.choice([0.05, 0.4, 1.2, 3])
        phase = 2 * np.pi * (frequency * u + chirp[0] * u * u + chirp[1] * u * v + chirp[2] * v * v + rng.uniform()
                             + (0.3 * self.field() if rng.random() < 0.5 else 0))
        shift, height = np.zeros(3), np.ones(3)
        if coloured:
            # Subpixels side by side, or those of green against the other two.
            kind = rng.random()
            shift = np.array([0, 1 / 3, 2 / 3]) if kind < 0.4 else np.array([0, 0.5, 0]) if kind < 0.8 else rng.uniform(0, 1, 3)
            shift = shift * rng.choice([-1, 1]) + rng.normal(0, 0.04, 3)
            height = np.ones(3) if rng.random() < 0.6 else rng.uniform(0.3, 1, 3)
        place = 1 / (1 + np.exp(-(1.5 * self.field() + rng.normal(0.5, 1)))) if rng.random() < 0.7 else None
        waves = np.stack([height[c] * np.cos(phase + 2 * np.pi * shift[c]) for c in range(3)], -1)
        if rng.random() < 0.4:
            waves = waves + 0.4 * np.stack([height[c] * np.cos(2 * phase + 4 * np.pi * shift[c]) for c in range(3)], -1)
        return waves if place is None else waves * place[..., None]

    def strength(self, low, high):
        return np.exp(self.rng.uniform(np.log(low), np.log(high)))

    def over(self, picture):
        """Multiplies, so that dark parts lose the bands; often with a display's black level and contrast."""
        rng = self.rng
        total = 0
        for _ in range(rng.integers(1, 4)):
            total = total + self.strength(0.015, 0.16) * self.lattice(rng.random() < 0.8)
        total = total + self.strength(0.02, 0.14) * self.lattice(True)
        picture = picture * (1 + total)
        return rng.uniform(0, 25) + picture * rng.uniform(0.75, 1) if rng.random() < 0.5 else picture


def by_source(rows):
    """Returns the chance of each row to be drawn: sources count by the root of their size."""
    sizes = {}
    for row in rows:
        sizes[row['source']] = sizes.get(row['source'], 0) + 1
    w = np.array([sizes[row['source']] ** -0.5 for row in rows])
    return w / w.sum()


class Samples:
    """Draws views of genuine pictures, displays, and genuine pictures under simulated bands."""

    KINDS = ['display'] * 5 + ['simulated'] * 4 + ['genuine'] * 7

    def __init__(self, rows, rng):
        self.rng, self.bands = rng, Bands(rng)
        self.displays = [row for row in rows if row['label']]
        self.genuine = [row for row in rows if not row['label']]
        self.weights = {id(part): by_source(part) for part in (self.displays, self.genuine)}

    def view(self, rows):
        rng = self.rng
        row = rows[rng.choice(len(rows), p=self.weights[id(rows)])]
        picture = row['views'][rng.integers(len(FORMS))].astype(np.float32)
        if rng.random() < 0.5:
            picture = picture[:, ::-1]
        if rng.random() < 0.5:
            picture = picture[::-1]
        if rng.random() < 0.4:
            share = rng.uniform(0.7, 1)
            h, w = int(HEIGHT * share), int(WIDTH * share)
            top, left = rng.integers(0, HEIGHT - h + 1), rng.integers(0, WIDTH - w + 1)
            part = Image.fromarray(picture[top:top + h, left:left + w].astype(np.uint8))
            picture = np.asarray(part.resize((WIDTH, HEIGHT), Image.BILINEAR), dtype=np.float32)
        return picture

    def toned(self, picture):
        picture = picture * self.rng.uniform(0.8, 1.2) * self.rng.uniform(0.93, 1.07, 3) + self.rng.uniform(-8, 8)
        return np.clip(picture, 0, 255)

    def draw(self, kind):
        if kind == 'display':
            return self.toned(self.view(self.displays)), 1
        picture = self.view(self.genuine)
        if kind == 'simulated':
            return self.toned(self.bands.over(picture)), 1
        if self.rng.random() < 0.25:
            # Stripes in brightness alone, as cloth and blinds have.
            picture = picture * (1 + self.bands.strength(0.03, 0.3) * self.bands.lattice(False))
        return self.toned(picture), 0


def planes(picture):
    """Luma and two opponent colours, as the first layer of the exported network computes them."""
    r, g, b = np.moveaxis(np.asarray(picture, np.float32), -1, 0)
    y = 0.299 * r + 0.587 * g + 0.114 * b
    return np.stack([(y - 110) / 64, (r - g) / 24, (b - y) / 24])


def build():
    from torch import nn

    def separable(given, out, stride=1, dilation=1):
        return nn.Sequential(
            nn.Conv2d(given, given, 3, stride, dilation, dilation=dilation, groups=given, bias=False), nn.BatchNorm2d(given),
            nn.Conv2d(given, out, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU())

    return nn.Sequential(
        nn.Conv2d(3, 16, 5, 2, 2, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
        separable(16, 32, 2), separable(32, 48), separable(48, 64, 2), separable(64, 64, 1, 2), separable(64, 96, 2),
        separable(96, 96, 1, 2), nn.Conv2d(96, 1, 1))


def pooled(cells):
    """Half the mean over all cells, half that over the highest quarter, as `bands.ts` does."""
    cells = cells.flatten(1)
    return (cells.mean(1) + cells.topk(cells.shape[1] // 4, 1).values.mean(1)) / 2


def fit(cache, out, steps=1500):
    import torch

    steps = int(steps)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rows = [row for row in load(cache, FIT_ON) if not chooses(row['source'])]
    samples = Samples(rows, np.random.default_rng(0))
    network = build().to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps, pct_start=0.15)
    for step in range(steps):
        drawn = [samples.draw(kind) for kind in Samples.KINDS]
        given = torch.tensor(np.stack([planes(picture) for picture, _ in drawn])).to(memory_format=torch.channels_last)
        labels = torch.tensor([label for _, label in drawn], dtype=torch.float32)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(pooled(network(given)), labels * 0.94 + 0.03)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(step, f'{loss.item():.3f}', flush=True)
    export(network.eval(), out)
    compare(network, load(cache, REPORTED))


def compare(network, rows):
    """Prints, by form, how the network alone tells displays from genuine pictures that no fit has seen."""
    import torch

    def score(form):
        given = (torch.tensor(planes(row['views'][form]))[None] for row in rows)
        with torch.no_grad():
            return np.array([pooled(network(picture)).item() for picture in given])

    scores = [score(form) for form in range(len(FORMS))]
    of = lambda use, label: np.array([row['use'] == use and row['label'] == label for row in rows])
    threshold = max(np.quantile(values[of('held', 0)], 0.99) for values in scores)
    for form, values in zip(FORMS, scores):
        shown, genuine = values[of('display-held', 1)], values[of('display-held', 0)]
        above = lambda use, label: f"{(values[of(use, label)] > threshold).sum()} of {of(use, label).sum()}"
        print(f"{form:6} AUC {(shown[:, None] > genuine).mean():.3f}  displays {above('display-held', 1)}  genuine {above('display-held', 0)}"
              f"  held {above('held', 0)}  confounders {above('confounder', 0)}")


def export(network, out):
    """Writes the network with a first layer that takes R, G, B planes of levels 0..255, to log odds by cell."""
    import torch

    class Exported(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.opponent, self.network = torch.nn.Conv2d(3, 3, 1), network
            luma = torch.tensor([0.299, 0.587, 0.114])
            red_green, blue_yellow = torch.tensor([1.0, -1.0, 0.0]), torch.tensor([0.0, 0.0, 1.0]) - luma
            rows = torch.stack([luma / 64, red_green / 24, blue_yellow / 24])
            self.opponent.weight.data = rows[:, :, None, None]
            self.opponent.bias.data = torch.tensor([-110 / 64, 0.0, 0.0])

        def forward(self, image):
            return self.network(self.opponent(image))

    torch.onnx.export(Exported().eval(), torch.zeros(1, 3, HEIGHT, WIDTH), out, input_names=['image'], output_names=['bands'],
                      opset_version=13)


if __name__ == '__main__':
    verb, *words = sys.argv[1:]
    if verb == 'shrink':
        options = dict(zip(words[1::2], words[2::2]))
        shrink(keep_forms, words[0], options['--repositories'], options.get('--data'))
    else:
        fit(*words)
