"""Converts layers of a published object detector's trunk to the ONNX files that `measureScreen` uses.

    npm pack @vladmandic/human@3.3.6 && tar xzf vladmandic-human-3.3.6.tgz
    python3 forensics/training/screen/networks.py package/models/centernet forensics/src/screen

Reads a TensorFlow.js graph model (`.json` and `.bin`) and traces it from a layer of its MobileNetV3 trunk back to the image.
Writes the same operations for channels-first input of any size: float32 [1, 3, height, width], levels 0..255, to the mean of each
of the layer's channels, [1, channels, 1, 1]. `context.generated.onnx` uses the last block, `texture.generated.onnx` an early layer
at a quarter of the size. Weights keep half precision, as published. Needs numpy and onnx.
"""
import base64
import json
import sys

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

TRUNK = 'tower_0/MobilenetV3/'
# Name of the output, layer, number of channels.
NETWORKS = (('context', 'expanded_conv_14/add', 120), ('texture', 'expanded_conv_3/expand/Relu', 72))


def read_weights(manifest, data):
    weights, offset = {}, 0
    for entry in manifest:
        count = int(np.prod(entry['shape']))
        kind = np.int32 if entry['dtype'] == 'int32' else np.float16 if 'quantization' in entry else np.float32
        weights[entry['name']] = np.frombuffer(data, kind, count, offset).reshape(entry['shape'])
        offset += count * np.dtype(kind).itemsize
    assert offset == len(data)
    return weights


class Converter:
    def __init__(self, nodes, weights):
        self.nodes, self.weights = nodes, weights
        self.operations, self.constants, self.names = [], {}, {}

    def add(self, kind, inputs, name, **attributes):
        self.operations.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def constant(self, name, values):
        """Keeps half precision, with a cast, if the weights were published so."""
        if values.dtype != np.float16:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(values, np.float32), name)
            return name
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
            self.add('Cast', [name], name + ':f32', to=TensorProto.FLOAT)
        return name + ':f32'

    def clip(self, name, given):
        return self.add('Clip', [given, self.constant('zero', np.array(0, np.float32)), self.constant('six', np.array(6, np.float32))], name)

    def visit(self, name):
        if name not in self.names:
            self.names[name] = self.convert(name, self.nodes[name])
        return self.names[name]

    def convert(self, name, node):
        kind, inputs = node['op'], node.get('input', [])
        if kind == 'Placeholder':
            return 'image'
        if kind == 'Const':
            return self.constant(name, self.weights[name])
        if kind in ('Add', 'Mul'):
            return self.add(kind, [self.visit(given) for given in inputs], name)
        if kind == 'Relu6':
            return self.clip(name, self.visit(inputs[0]))
        if kind == 'Mean':
            assert sorted(self.weights[inputs[1]]) == [1, 2]
            return self.add('GlobalAveragePool', [self.visit(inputs[0])], name)
        if kind in ('_FusedConv2D', 'FusedDepthwiseConv2dNative'):
            return self.convolution(name, node)
        raise ValueError(f'{name}: {kind} is not known')

    def convolution(self, name, node):
        attributes = node['attr']
        text = lambda value: base64.b64decode(value).decode()
        kernel = self.weights[node['input'][1]]
        depthwise = 'Depthwise' in node['op']
        fused = [text(value) for value in attributes['fused_ops']['list']['s']]
        assert fused[0] == 'BiasAdd' and fused[1:] in ([], ['Relu']) and text(attributes['padding']['s']) == 'SAME'
        given = [
            self.visit(node['input'][0]),
            self.constant(node['input'][1], kernel.transpose(2, 3, 0, 1) if depthwise else kernel.transpose(3, 2, 0, 1)),
            self.constant(node['input'][2], self.weights[node['input'][2]]),
        ]
        strides = [int(step) for step in attributes['strides']['list']['i'][1:3]]
        group = kernel.shape[2] if depthwise else 1
        out = self.add('Conv', given, name + ':linear' if fused[1:] else name, strides=strides, group=group,
                       kernel_shape=list(kernel.shape[:2]), auto_pad='SAME_UPPER')
        return self.add('Relu', [out], name) if fused[1:] else out


def write(nodes, weights, name, layer, channels, folder):
    converter = Converter(nodes, weights)
    converter.add('GlobalAveragePool', [converter.visit(TRUNK + layer)], name)
    graph = helper.make_graph(
        converter.operations, name,
        [helper.make_tensor_value_info('image', TensorProto.FLOAT, [1, 3, 'height', 'width'])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, channels, 1, 1])],
        list(converter.constants.values()))
    result = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 13)])
    result.ir_version = 7
    checker.check_model(result)
    with open(f'{folder}/{name}.generated.onnx', 'wb') as out:
        out.write(result.SerializeToString())


def main():
    source, folder = sys.argv[1:]
    model = json.load(open(source + '.json'))
    weights = read_weights(model['weightsManifest'][0]['weights'], open(source + '.bin', 'rb').read())
    nodes = {node['name']: node for node in model['modelTopology']['node']}
    for name, layer, channels in NETWORKS:
        write(nodes, weights, name, layer, channels, folder)


main()
