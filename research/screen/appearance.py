"""Trains the network that looks at the whole picture, starting from an image classifier.

    python3 research/screen/appearance.py shrink CACHE --repositories FOLDER [--data FOLDER]
    python3 research/screen/appearance.py fit CACHE context.generated.onnx appearance [STEPS] [PART]

`shrink` reads the pictures of `sets.tsv` from clones at FOLDER/OWNER/NAME (or `.git` below it) and those of a MANIFEST.tsv and keeps them at 640
pixels. KEPT_APART in the environment names a file of SHA-256 sums of pictures that are kept apart for judging: they, and every other picture of
their repositories, are refused. `fit` trains on the uses FIT_ON; with PART (0 to 4) less one source in five. It starts from the weights in
`context.generated.onnx` (`networks.py`), writes `appearance.generated.onnx` and `appearance.generated.json`, and prints how the network does on pictures that it was not
trained on. Needs numpy, pillow, onnx, torch 2; two threads, a quarter of an hour for 600 steps.
"""
import hashlib
import io
import json
import multiprocessing
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from bands import inside, shrink
from views import HEIGHT, Samples, WIDTH, read, sized

KEPT = 640
FIT_ON = ('report', 'develop', 'manifest', 'fit', 'choose', 'further')
REPORTED = ('held', 'display-held', 'genuine-held', 'confounder', 'further-held')
PARTS = 5
# Views for training are smaller (`views.py`): a network that saw few pixels sees more displays in larger pictures, `HISTORY.md` compares.
READ_AT = 480, 360
# Of three runs with other seeds, the one that told the people of `display-held` best.
SEED = 2


# ---- Pictures


def keep_small(path, content, _name):
    picture = Image.open(io.BytesIO(content))
    if picture.format == 'JPEG':
        picture.draft('RGB', (2 * KEPT, 2 * KEPT))
    picture = ImageOps.exif_transpose(picture).convert('RGB')
    while max(picture.size) // 2 >= KEPT:
        picture = picture.reduce(2)
    inside(picture, KEPT, Image.BOX).save(f'{path}.png', compress_level=1)


def load(cache, uses):
    fields = ('key', 'use', 'label', 'source', 'name')
    rows = [dict(zip(fields, line.rstrip('\n').split('\t'))) for line in open(Path(cache) / 'index.tsv')]
    return [{**row, 'label': int(row['label']), 'path': Path(cache) / f"{row['key']}.png"} for row in rows if row['use'] in uses]


def part_of(source):
    return hashlib.sha1(source.encode()).digest()[0] % PARTS


# ---- The network: MobileNetV2 up to block 15

# Outputs' channels, blocks and first step of each kind of block, and how much wider it is inside.
KINDS = ((16, 1, 1, 1), (24, 2, 2, 6), (32, 3, 2, 6), (64, 4, 2, 6), (96, 3, 1, 6), (160, 3, 2, 6))
# Blocks whose layers are read; of block 3, what is expanded in it.
READ = (3, 5, 12, 15)
# Blocks that stay as the classifier has them.
FROZEN = 3
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
            with torch.no_grad():
                x = functional.relu6(self.first((levels - 128) / 128))
                for block in self.blocks[:FROZEN]:
                    x, _ = block(x)
            for number, block in enumerate(self.blocks[FROZEN:], FROZEN):
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


def deliver(rows, seed, queue):
    samples = Samples(rows, np.random.default_rng(seed))
    while True:
        queue.put(samples.batch())


def answers(network, rows):
    import torch

    network.eval()
    out = []
    for at in range(0, len(rows), 32):
        levels = np.stack([sized(read(row), *READ_AT).transpose(2, 0, 1) for row in rows[at:at + 32]])
        with torch.no_grad():
            out.append(network(torch.from_numpy(levels)).numpy())
    return np.concatenate(out)


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


def train(network, rows, seed, steps, rate):
    """Returns the network with the running mean of its weights."""
    import torch
    from torch.nn import functional

    queue = multiprocessing.Queue(6)
    drawing = multiprocessing.Process(target=deliver, args=(rows, seed, queue), daemon=True)
    drawing.start()
    given = lambda levels: torch.from_numpy(levels).float().to(memory_format=torch.channels_last)
    with torch.no_grad():
        found = torch.cat([network.statistics(given(queue.get()[0])) for _ in range(4)])
        network.norm.running_mean.copy_(found.mean(0))
        network.norm.running_var.copy_(found.var(0) + 1e-3)
    fitting = Fitting(network, steps, rate, 0.02, 0.005)
    network.train()
    for step in range(steps):
        levels, labels = queue.get()
        with torch.autocast('cpu', dtype=torch.bfloat16):
            log_odds = network(given(levels))
        loss = functional.binary_cross_entropy_with_logits(log_odds.float(), torch.from_numpy(labels) * 0.94 + 0.03)
        fitting.step(loss)
        if step % 50 == 0:
            print(seed, step, f'{loss.item():.3f}', flush=True)
    drawing.terminate()
    return fitting.mean.module.eval()


def fit(cache, classifier, out, steps=600, part=None):
    import torch

    steps, part = int(steps), None if part is None else int(part)
    torch.set_num_threads(2)
    rows = [row for row in load(cache, FIT_ON) if part_of(row['source']) != part]
    torch.manual_seed(SEED)
    network = build()
    start_from(network, classifier)
    network = train(network, rows, SEED, steps, 3e-4)
    export(network, classifier, out)
    left_out = [row for row in load(cache, FIT_ON) if part_of(row['source']) == part]
    compare(network, [{**row, 'use': 'left out'} for row in left_out] + load(cache, REPORTED))


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


def compare(network, rows):
    """Prints how the network alone tells displays from genuine pictures that it was not trained on."""
    scores, labels = answers(network, rows), np.array([row['label'] for row in rows])
    for use in sorted({row['use'] for row in rows}):
        part = np.array([row['use'] == use for row in rows])
        genuine = np.sort(scores[part & (labels == 0)])
        print(f'{use}: {len(genuine)} genuine, 99 in 100 below {np.quantile(genuine, 0.99):.2f}', end='')
        if (part & (labels == 1)).any():
            shown = scores[part & (labels == 1)]
            print(f'; {len(shown)} displays, AUC {(shown[:, None] > genuine).mean():.3f}, {(shown > np.quantile(genuine, 0.99)).mean():.2f} of them above', end='')
        print()


if __name__ == '__main__':
    verb, *words = sys.argv[1:]
    if verb == 'shrink':
        options = dict(zip(words[1::2], words[2::2]))
        shrink(keep_small, words[0], options['--repositories'], options.get('--data'))
    else:
        fit(*words)
