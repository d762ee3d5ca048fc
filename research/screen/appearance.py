"""Trains the network that looks at the whole picture, starting from an image classifier, on a GPU.

    python3 research/screen/appearance.py prepare PACKED VIEWS [COUNT]
    python3 research/screen/appearance.py fit VIEWS OUT [SECONDS] [SEED] [apart]

`prepare` draws COUNT (6) views of each picture that `pack.ts` packed: as it is, at 800 and 700 pixels, and others at random; 21 GB for 2,705 pictures.
`fit` trains for so many SECONDS (125; 1,575 steps of 64 pictures on an H200) and writes OUT.generated.onnx and OUT.generated.json. With `apart` it leaves one source in five out and then
says how it tells these. Starts from the weights in `context.generated.onnx` (`networks.py`). Needs numpy, pillow, onnx, torch 2, one GPU of 40 GB.
"""
import hashlib
import io
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image

CLASSIFIER = Path(__file__).parents[2] / 'forensics/src/screen/context.generated.onnx'
WIDTH, HEIGHT = 640, 480
PAIRS, RATE = 32, 3e-4
# How often papers, cards and covers count.
PAPER_SHARE = 4
PARTS = 5


def part_of(source):
    return hashlib.sha1(source.encode()).digest()[0] % PARTS


# ---- Views

FILTERS = [Image.LANCZOS, Image.LANCZOS, Image.BICUBIC, Image.BILINEAR, Image.BOX]


def encoded(picture, rng, low, high):
    out = io.BytesIO()
    picture.save(out, 'JPEG', quality=int(rng.integers(low, high)), subsampling=2 if rng.random() < 0.85 else 0)
    picture = Image.open(out)
    picture.load()
    return picture


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


def lying(levels):
    """A mirrored quarter turn of what stands; training mirrors all."""
    return np.ascontiguousarray(levels.transpose(1, 0, 2)) if levels.shape[0] > levels.shape[1] else levels


def draw(job):
    """Writes the views of some pictures one after the other, and adds where each lies."""
    number, rows, packed, out, count = job
    at = 0
    with open(out / f'{number:02}.views', 'wb') as file:
        for row in rows:
            rng = np.random.default_rng(int(row['key'][:8], 16))
            picture = Image.open(packed / f"{row['key']}.jpg").convert('RGB')
            row['views'] = []
            for one in range(count):
                levels = lying(np.array(view(picture, one, rng, row['label']).convert('RGB')))
                row['views'].append([at, *levels.shape[:2]])
                file.write(levels.tobytes())
                at += levels.nbytes
    return rows, at


def prepare(packed, out, count=6):
    packed, out, count = Path(packed), Path(out), int(count)
    rows = [json.loads(path.read_text()) for path in sorted(packed.glob('*.json'))]
    parts = os.cpu_count()
    with ProcessPoolExecutor(parts) as pool:
        drawn = list(pool.map(draw, [(number, rows[number::parts], packed, out, count) for number in range(parts)]))
    (out / 'index.json').write_text(json.dumps(drawn))
    print(f'{len(rows)} pictures, {sum(row["label"] for row in rows)} displays')


# ---- The network: MobileNetV2 up to block 15

# Outputs' channels, blocks and first step of each kind of block, and how much wider it is inside.
KINDS = ((16, 1, 1, 1), (24, 2, 2, 6), (32, 3, 2, 6), (64, 4, 2, 6), (96, 3, 1, 6), (160, 3, 2, 6))
# Blocks whose layers are read; of block 3, what is expanded in it.
READ = (3, 5, 12, 15)
CHANNELS = 144 + 32 + 96 + 160
# Features are clipped at so many deviations, as `linear.ts` does.
CLIPPED = 3


def build():
    import torch
    from torch import nn
    from torch.nn import functional

    class Conv(nn.Conv2d):
        """Pads as TensorFlow does."""

        def forward(self, given):
            if self.kernel_size == (1, 1):
                return functional.conv2d(given, self.weight, self.bias)
            step = self.stride[0]
            missing = [max(0, (-(-length // step) - 1) * step + 3 - length) for length in given.shape[2:]]
            down, across = missing
            given = functional.pad(given, (across // 2, across - across // 2, down // 2, down - down // 2))
            return functional.conv2d(given, self.weight, self.bias, step, groups=self.groups)

    class Block(nn.Module):
        def __init__(self, given, out, step, wider):
            super().__init__()
            inside = given * wider
            self.residual = step == 1 and given == out
            self.expand = Conv(given, inside, 1) if wider > 1 else None
            self.depthwise, self.project = Conv(inside, inside, 3, step, groups=inside), Conv(inside, out, 1)

        def forward(self, given):
            expanded = functional.relu6(self.expand(given)) if self.expand else given
            out = self.project(functional.relu6(self.depthwise(expanded)))
            return (given + out if self.residual else out), expanded

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = Conv(3, 32, 3, 2)
            blocks, given = [], 32
            for out, count, step, wider in KINDS:
                for i in range(count):
                    blocks.append(Block(given, out, step if i == 0 else 1, wider))
                    given = out
            self.blocks = nn.ModuleList(blocks)
            self.norm = nn.BatchNorm1d(3 * CHANNELS, affine=False, momentum=0.02)
            self.drop, self.head = nn.Dropout(0.3), nn.Linear(3 * CHANNELS, 1)
            nn.init.zeros_(self.head.weight)
            nn.init.zeros_(self.head.bias)

        def statistics(self, levels):
            """Mean, deviation and highest value of each channel that is read."""
            found = []
            x = functional.relu6(self.first((levels - 128) / 128))
            for number, block in enumerate(self.blocks):
                x, expanded = block(x)
                if number in READ:
                    layer = expanded if number == READ[0] else x
                    mean, square = (values.mean((2, 3), dtype=torch.float32) for values in (layer, layer * layer))
                    found += [mean, (square - mean * mean).clamp(min=1e-6).sqrt(), layer.amax((2, 3)).float()]
            return torch.cat(found, 1)

        def forward(self, levels):
            return self.head(self.drop(self.norm(self.statistics(levels)).clamp(-CLIPPED, CLIPPED))).squeeze(1)

    return Network()


def convolutions(network):
    """The layers in the order of the file."""
    yield network.first
    for block in network.blocks:
        yield from (layer for layer in (block.expand, block.depthwise, block.project) if layer is not None)


def start_from(network, path):
    """Takes the classifier's weights."""
    import onnx
    import torch
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    constants = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    layers = [node for node in graph.node if node.op_type == 'Conv']
    for layer, node in zip(convolutions(network), layers, strict=True):
        name = node.input[1].removesuffix(':weights')
        levels, zero, unit = (constants[f'{name}:{part}'].astype(np.float32) for part in ('kernel', 'zero', 'scale'))
        layer.weight.data, layer.bias.data = torch.tensor((levels - zero) * unit), torch.tensor(constants[node.input[2]])


# ---- Training


def load(folder, device):
    """The pictures, their views on the device."""
    import torch

    out = []
    for number, (rows, size) in enumerate(json.loads((folder / 'index.json').read_text())):
        source = np.memmap(folder / f'{number:02}.views', dtype=np.uint8, mode='r')
        levels = torch.empty(size, dtype=torch.uint8, device=device)
        for at in range(0, size, 1 << 28):
            levels[at:at + (1 << 28)] = torch.from_numpy(np.array(source[at:at + (1 << 28)]))
        for row in rows:
            row['views'] = [levels[at:at + h * w * 3].view(h, w, 3) for at, h, w in row['views']]
        out += rows
    return sorted(out, key=lambda row: row['key'])


def sized(levels, random):
    """At the network's size; in training a part of it more often than not."""
    import torch
    from torch.nn import functional

    if random and torch.rand(()) < 0.6:
        height, width = levels.shape[:2]
        share = float(torch.empty(()).uniform_(0.6, 1))
        h, w = int(height * share), int(width * share)
        top, left = int(torch.rand(()) * (height - h)), int(torch.rand(()) * (width - w))
        levels = levels[top:top + h, left:left + w]
    return functional.interpolate(levels.permute(2, 0, 1)[None].float(), (HEIGHT, WIDTH), mode='bilinear', antialias=True)


def toned(levels):
    """Another exposure, cast, saturation, contrast, turn and noise for each picture."""
    import torch

    per = lambda low, high, channels=1: torch.empty(len(levels), channels, 1, 1, device=levels.device).uniform_(low, high)
    x = levels / 255
    curve = torch.where(per(0, 1) < 0.4, torch.exp(per(-0.3, 0.3)), torch.ones((), device=x.device))
    x = x.clamp(1e-4, 1) ** curve
    x = x * per(0.8, 1.2) * per(0.93, 1.07, 3) + per(-0.04, 0.04)
    grey = x.mean(1, keepdim=True)
    x = grey + (x - grey) * torch.where(per(0, 1) < 0.4, per(0.3, 1.5), torch.ones((), device=x.device))
    noise = torch.where(per(0, 1) < 0.25, per(0, 0.02), torch.zeros((), device=x.device))
    x = (x + noise * torch.randn_like(x)).clamp(0, 1) * 255
    for side in (2, 3):
        if torch.rand(()) < 0.5:
            x = x.flip(side)
    return x


class Draws:
    """Half of the pictures are displays. Sources count by the root of their size; half the time both classes come from one source."""

    def __init__(self, rows, rng):
        self.rng = rng
        self.by = {}
        for row in rows:
            self.by.setdefault(row['label'], {}).setdefault(row['source'], []).append(row)
        both = [source for source in self.by[1] if source in self.by[0]]
        self.share = {label: self.shares(label, list(self.by[label])) for label in (0, 1)}
        self.paired = self.shares(1, both)

    def shares(self, label, sources):
        size = lambda row: PAPER_SHARE if row['paper'] and label == 0 else 1
        papers = lambda source: 2 if label == 0 and self.by[0][source][0]['paper'] else 1
        w = np.array([np.sqrt(sum(map(size, self.by[label][source]))) * papers(source) for source in sources])
        return sources, w / w.sum()

    def of(self, label, source):
        rows = self.by[label][source]
        return rows[self.rng.integers(len(rows))]

    def pair(self):
        if self.rng.random() < 0.5:
            source = self.rng.choice(self.paired[0], p=self.paired[1])
            return self.of(1, source), self.of(0, source)
        return tuple(self.of(label, self.rng.choice(self.share[label][0], p=self.share[label][1])) for label in (1, 0))


def batch(draws):
    import torch

    rows = [row for _ in range(PAIRS) for row in draws.pair()]
    levels = torch.cat([sized(row['views'][int(torch.rand(()) * len(row['views']))], True) for row in rows])
    return toned(levels), torch.tensor([float(row['label']) for row in rows], device=levels.device)


def statistics(network, levels):
    import torch

    with torch.autocast('cuda', dtype=torch.bfloat16):
        return network.statistics(levels.contiguous(memory_format=torch.channels_last)).float()


class Fitting:
    """AdamW with one cycle of the learning rate. `mean` holds the running mean of the weights; each step moves it at least `least` of the way to the newest."""

    def __init__(self, network, steps, rate, decay, least):
        import torch

        self.network = network
        body = [values for name, values in network.named_parameters() if not name.startswith('head')]
        self.optimizer = torch.optim.AdamW([{'params': body}, {'params': network.head.parameters()}], weight_decay=decay)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, [rate, 4 * rate], total_steps=steps, pct_start=0.15)
        ramp = lambda mean, now, count: mean + (now - mean) * max(least, 9 / (int(count) + 10))
        self.mean = torch.optim.swa_utils.AveragedModel(network, avg_fn=ramp, use_buffers=True)

    def step(self, loss):
        import torch

        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 2.0)
        self.optimizer.step()
        self.schedule.step()
        self.mean.update_parameters(self.network)


def loss_of(network, draws):
    from torch.nn import functional

    levels, labels = batch(draws)
    found = network.drop(network.norm(statistics(network, levels)).clamp(-CLIPPED, CLIPPED))
    return functional.binary_cross_entropy_with_logits(network.head(found).squeeze(1), labels * 0.94 + 0.03)


def train(network, draws, seconds):
    """Returns the network with the running mean of its weights."""
    import torch

    network.train()
    for number in range(14):
        if number == 4:
            torch.cuda.synchronize()
            began = time.time()
        loss_of(network, draws).backward()
    torch.cuda.synchronize()
    steps = int(seconds / ((time.time() - began) / 10 * 1.12))
    network.zero_grad()
    with torch.no_grad():
        found = torch.cat([statistics(network, batch(draws)[0]) for _ in range(8)])
        network.norm.running_mean.copy_(found.mean(0))
        network.norm.running_var.copy_(found.var(0) + 1e-3)
    fitting = Fitting(network, steps, RATE, 0.03, 0.004)
    for step in range(steps):
        loss = loss_of(network, draws)
        fitting.step(loss)
        if step % 200 == 0:
            print(f'{step} of {steps} {loss.item():.3f}', flush=True)
    return fitting.mean.module.eval()


def fit(folder, out, seconds=125, seed=5, apart=None):
    import torch

    seed = int(seed)
    torch.manual_seed(seed)
    torch.backends.cudnn.benchmark = True
    rows = load(Path(folder), 'cuda')
    network = build()
    start_from(network, CLASSIFIER)
    network.to('cuda', memory_format=torch.channels_last)
    fitted = [row for row in rows if not apart or part_of(row['source']) != 0]
    network = train(network, Draws(fitted, np.random.default_rng(seed)), float(seconds))
    if apart:
        compare(network, [row for row in rows if part_of(row['source']) == 0])
    export(network.cpu(), CLASSIFIER, out)


def compare(network, rows):
    """Prints how the network alone tells displays from genuine pictures that it was not trained on, in the first three views."""
    import torch

    labels = np.array([row['label'] for row in rows])
    for number in range(3):
        with torch.no_grad():
            found = [statistics(network, sized(row['views'][number], False)) for row in rows]
            scores = torch.cat([network.head(network.norm(one).clamp(-CLIPPED, CLIPPED)) for one in found]).flatten().cpu().numpy()
        shown, genuine = scores[labels == 1], scores[labels == 0]
        at = lambda share: (shown > np.quantile(genuine, 1 - share)).mean()
        print(f'view {number}: AUC {(shown[:, None] > genuine).mean():.3f}, {at(0.01):.2f} at 1%, {at(0.05):.2f} at 5%, of {len(shown)} and {len(genuine)}')


def export(network, classifier, out):
    """Writes the classifier's graph with these weights in half precision, and the head."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(classifier)
    nodes, constants = list(model.graph.node), {one.name: one for one in model.graph.initializer}
    for layer, node in zip(convolutions(network), [node for node in nodes if node.op_type == 'Conv'], strict=True):
        name = node.input[1].removesuffix(':weights')
        put = lambda part, values: constants[part].CopyFrom(numpy_helper.from_array(values, part))
        put(f'{name}:kernel', layer.weight.detach().numpy().astype(np.float16))
        put(node.input[2], layer.bias.detach().numpy())
        place = next(i for i, other in enumerate(nodes) if other.output[0] == node.input[1])
        nodes[place] = helper.make_node('Cast', [f'{name}:kernel'], [node.input[1]], to=TensorProto.FLOAT)
        for part in ('scale', 'zero'):
            model.graph.initializer.remove(constants.pop(f'{name}:{part}'))
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, f'{out}.generated.onnx')
    digits = lambda values: [float(f'{value:.6g}') for value in values.detach().flatten().tolist()]
    norm, head = network.norm, network.head
    with open(f'{out}.generated.json', 'w') as file:
        json.dump({'mean': digits(norm.running_mean), 'scale': digits((norm.running_var + norm.eps).sqrt()),
                   'weight': digits(head.weight), 'bias': digits(head.bias)[0]}, file, separators=(',', ':'))
        file.write('\n')


if __name__ == '__main__':
    verb, *words = sys.argv[1:]
    {'prepare': prepare, 'fit': fit}[verb](*words)
