"""Converts layers of a published image classifier to the ONNX files that `measureScreen` uses.

    git -C test_data show 104342d2d3480b3e66203073dac24f4e2dbb4c41:mobilenet_v2_1.0_224_quant.tflite > classifier.tflite
    python3 research/screen/networks.py classifier.tflite forensics/src/screen

`test_data` is a clone of `google-coral/test_data`. Traces layers of the TensorFlow Lite file back to the image and writes the same operations
in floating point for channels-first input of any size: float32 [1, 3, height, width], levels 0..255, to numbers for each of the layers'
channels, [1, numbers, 1, 1]: layer by layer, and in each layer statistic by statistic. Weights keep their 8 bits, with scale and zero point.
Needs numpy, onnx and flatbuffers.
"""
import hashlib
import sys

import numpy as np
from flatbuffers import number_types as kinds
from flatbuffers.table import Table
from onnx import TensorProto, checker, helper, numpy_helper

SHA256 = '7aad0c74c5e3c06e5eb3c827e13304fdd68a83da6087d92ee169c24ff9fd4776'
TEXTURE = 'expanded_conv_3/expand/Relu6'
# Name of the output, its layers, its statistics over all places.
NETWORKS = (
    ('context', (TEXTURE, 'expanded_conv_5/add', 'expanded_conv_12/add', 'expanded_conv_15/add'), ('mean', 'deviation', 'highest')),
    ('texture', (TEXTURE,), ('mean',)),
)
# From the schema of TensorFlow Lite: places of fields in their tables, numbers of operations and types.
ADD, CONV, DEPTHWISE = 0, 3, 4
UINT8, INT32 = 3, 2
RELU6 = 3


class Reader:
    """A table of the file, with its fields by place."""

    def __init__(self, table):
        self.table = table

    @classmethod
    def root(cls, data):
        return cls(Table(data, int.from_bytes(data[:4], 'little')))

    def at(self, place):
        return self.table.Offset(4 + 2 * place)

    def number(self, place, kind=kinds.Int8Flags):
        at = self.at(place)
        return self.table.Get(kind, self.table.Pos + at) if at else 0

    def child(self, place):
        at = self.at(place)
        return Reader(Table(self.table.Bytes, self.table.Indirect(self.table.Pos + at))) if at else None

    def children(self, place):
        at = self.at(place)
        if not at:
            return []
        start = self.table.Vector(at)
        return [Reader(Table(self.table.Bytes, self.table.Indirect(start + 4 * i))) for i in range(self.table.VectorLen(at))]

    def numbers(self, place, kind=kinds.Int32Flags):
        at = self.at(place)
        return self.table.GetVectorAsNumpy(kind, at) if at else np.zeros(0)

    def text(self, place):
        return self.table.String(self.table.Pos + self.at(place)).decode()


class Tensor:
    def __init__(self, reader, buffers):
        self.name, self.shape, self.kind = reader.text(3).split(';')[0], reader.numbers(0), reader.number(1)
        values = buffers[reader.number(2, kinds.Uint32Flags)].numbers(0, kinds.Uint8Flags)
        ranges = reader.child(4)
        self.scale, self.zero = ranges.numbers(2, kinds.Float32Flags), ranges.numbers(3, kinds.Int64Flags)
        self.values = values.view({UINT8: np.uint8, INT32: np.int32}[self.kind]).reshape(self.shape) if len(values) else None


class Converter:
    def __init__(self, data):
        model = Reader.root(data)
        codes = [code.number(0) for code in model.children(1)]
        graph = model.children(2)[0]
        self.tensors = [Tensor(one, model.children(4)) for one in graph.children(0)]
        self.input = graph.numbers(1)[0]
        self.made_by = {one.numbers(2)[0]: (codes[one.number(0, kinds.Uint32Flags)], one) for one in graph.children(3)}
        self.operations, self.constants, self.names = [], {}, {}

    def add(self, kind, inputs, name, **attributes):
        self.operations.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def constant(self, name, values):
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def kernel(self, name, tensor, order):
        """Weights of 8 bits become floating point when the network is loaded."""
        values = self.constant(name + ':kernel', tensor.values.transpose(order))
        scale = self.constant(name + ':scale', np.float32(tensor.scale[0]))
        zero = self.constant(name + ':zero', np.uint8(tensor.zero[0]))
        return self.add('DequantizeLinear', [values, scale, zero], name + ':weights')

    def visit(self, number):
        if number not in self.names:
            self.names[number] = self.levels() if number == self.input else self.convert(number)
        return self.names[number]

    def levels(self):
        """The classifier reads levels as (level - zero) * scale, about -1 to 1."""
        tensor = self.tensors[self.input]
        less = self.add('Sub', ['image', self.constant('zero', np.float32(tensor.zero[0]))], 'centred')
        return self.add('Mul', [less, self.constant('scale', np.float32(tensor.scale[0]))], 'input')

    def convert(self, number):
        code, operation = self.made_by[number]
        inputs, options, name = operation.numbers(1), operation.child(4), self.tensors[number].name
        if code == ADD:
            return self.add('Add', [self.visit(given) for given in inputs], name)
        if code not in (CONV, DEPTHWISE):
            raise ValueError(f'{name}: operation {code} is not known')
        depthwise = code == DEPTHWISE
        image, kernel, bias = inputs
        kernel, bias = self.tensors[kernel], self.tensors[bias]
        clipped = options.number(4 if depthwise else 3) == RELU6
        step = int(options.number(1, kinds.Int32Flags))
        given = [self.visit(image), self.kernel(name, kernel, (3, 0, 1, 2) if depthwise else (0, 3, 1, 2)),
                 self.constant(name + ':bias', (bias.values * np.float64(bias.scale[0])).astype(np.float32))]
        out = self.add('Conv', given, name + ':linear' if clipped else name, strides=[step, step],
                       group=int(kernel.shape[3]) if depthwise else 1, auto_pad='SAME_UPPER')
        return self.add('Clip', [out, self.constant('none', np.float32(0)), self.constant('six', np.float32(6))], name) if clipped else out


def statistic(converter, layer, kind):
    """Adds the operations for one number for each of a layer's channels and returns its name."""
    name = f'{layer}:{kind}'
    if kind == 'highest':
        return converter.add('GlobalMaxPool', [layer], name)
    if kind == 'mean':
        return converter.add('GlobalAveragePool', [layer], name)
    squares = converter.add('GlobalAveragePool', [converter.add('Mul', [layer, layer], layer + ':squares')], layer + ':square')
    mean = f'{layer}:mean'
    less = converter.add('Sub', [squares, converter.add('Mul', [mean, mean], mean + ':square')], name + ':square')
    return converter.add('Sqrt', [converter.add('Relu', [less], name + ':positive')], name)


def write(data, name, layers, kinds, path):
    converter = Converter(data)
    found, numbers = [], 0
    for layer in layers:
        number = next(i for i, tensor in enumerate(converter.tensors) if tensor.name.endswith(layer) and i in converter.made_by)
        numbers += len(kinds) * int(converter.tensors[number].shape[3])
        converter.visit(number)
        found += [statistic(converter, converter.names[number], kind) for kind in kinds]
    if len(found) > 1:
        converter.add('Concat', found, name, axis=1)
    else:
        converter.operations[-1].output[0] = name
    graph = helper.make_graph(
        converter.operations, name,
        [helper.make_tensor_value_info('image', TensorProto.FLOAT, [1, 3, 'height', 'width'])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, numbers, 1, 1])],
        list(converter.constants.values()))
    result = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 13)])
    result.ir_version = 7
    checker.check_model(result)
    with open(path, 'wb') as out:
        out.write(result.SerializeToString())


def main():
    source, folder = sys.argv[1:]
    data = open(source, 'rb').read()
    assert hashlib.sha256(data).hexdigest() == SHA256, f'{source} is another file'
    for name, layers, statistics in NETWORKS:
        write(data, name, layers, statistics, f'{folder}/{name}.generated.onnx')


if __name__ == '__main__':
    main()
