/** A step of an ONNX graph. */
export interface OnnxNode {
  operation: string;
  inputs: string[];
  output: string;
  /** Attributes that are lists of whole numbers, and those that are one whole number. */
  numbers: Record<string, number[]>;
}

/** A constant of the graph. `type` is a number of `TensorProto.DataType`: 1 float, 2 unsigned byte. */
export interface OnnxConstant {
  type: number;
  shape: number[];
  raw: Buffer;
}

interface OnnxGraph {
  nodes: OnnxNode[];
  constants: Map<string, OnnxConstant>;
}

/** Fields of the messages in onnx.proto that a network of convolutions has. */
const MODEL = { graph: 7 };
const GRAPH = { node: 1, constant: 5 };
const NODE = { input: 1, output: 2, operation: 4, attribute: 5 };
const ATTRIBUTE = { name: 1, number: 3, numbers: 8 };
const TENSOR = { shape: 1, type: 2, name: 8, raw: 9 };

/** Reads the nodes, in order, and the constants of an ONNX model. The file is one of ours: a broken one throws something. */
export function readOnnx(file: Buffer): OnnxGraph {
  const graph = fieldsOf(fieldsOf(file).bytes(MODEL.graph)[0]!);
  const constants = graph.bytes(GRAPH.constant).map((bytes): [string, OnnxConstant] => {
    const tensor = fieldsOf(bytes);
    const [name = '', raw = Buffer.alloc(0)] = [tensor.text(TENSOR.name)[0], tensor.bytes(TENSOR.raw)[0]];
    return [name, { type: tensor.numbers(TENSOR.type)[0]!, shape: tensor.numbers(TENSOR.shape), raw }];
  });
  const nodes = graph.bytes(GRAPH.node).map((bytes): OnnxNode => {
    const node = fieldsOf(bytes);
    const attributes = node.bytes(NODE.attribute).map((bytes): [string, number[]] => {
      const attribute = fieldsOf(bytes);
      return [
        attribute.text(ATTRIBUTE.name)[0]!,
        [...attribute.numbers(ATTRIBUTE.number), ...attribute.numbers(ATTRIBUTE.numbers)],
      ];
    });
    return {
      operation: node.text(NODE.operation)[0]!,
      inputs: node.text(NODE.input),
      output: node.text(NODE.output)[0]!,
      numbers: Object.fromEntries(attributes),
    };
  });
  return { nodes, constants: new Map(constants) };
}

interface Fields {
  bytes(field: number): Buffer[];
  text(field: number): string[];
  /** Whole numbers, packed or not. */
  numbers(field: number): number[];
}

/** Splits a protobuf message into its fields. */
function fieldsOf(message: Buffer): Fields {
  const whole: [number, number][] = [];
  const parts: [number, Buffer][] = [];
  let at = 0;
  const varint = (from: Buffer): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = from[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = varint(message);
    const [field, kind] = [key >> 3, key & 7];
    if (kind === 0) whole.push([field, varint(message)]);
    else if (kind === 5) at += 4;
    else if (kind === 1) at += 8;
    else {
      const length = varint(message);
      parts.push([field, message.subarray(at, at + length)]);
      at += length;
    }
  }
  const bytes = (field: number): Buffer[] => parts.filter(([found]) => found === field).map(([, part]) => part);
  return {
    bytes,
    text: field => bytes(field).map(part => part.toString('utf8')),
    numbers: field => [
      ...whole.filter(([found]) => found === field).map(([, value]) => value),
      ...bytes(field).flatMap(part => {
        const values: number[] = [];
        for (at = 0; at < part.length; ) values.push(varint(part));
        return values;
      }),
    ],
  };
}
