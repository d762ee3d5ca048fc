/** Writes a tiny ONNX model as protobuf: the mean of all input values, times `gain`, plus `bias`. */

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  bytes.push(left);
  return bytes;
}
const field = (number: number, data: string | Uint8Array | number): Buffer => {
  if (typeof data === 'number') return Buffer.from([...varint(number * 8), ...varint(data)]);
  const body = Buffer.from(data as string);
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(body.length)]), body]);
};
const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields);

const FLOAT = 1;

function scalar(name: string, value: number): Buffer {
  const raw = Buffer.alloc(4);
  raw.writeFloatLE(value);
  return message(field(2, FLOAT), field(8, name), field(9, raw));
}
const node = (op: string, inputs: string[], output: string): Buffer =>
  message(...inputs.map(input => field(1, input)), field(2, output), field(4, op));
const valueInfo = (name: string, shape: number[]): Buffer =>
  message(
    field(1, name),
    field(2, field(1, message(field(1, FLOAT), field(2, message(...shape.map(size => field(1, field(1, size)))))))),
  );

export function meanModel(shape: number[], gain: number, bias: number): Buffer {
  const graph = message(
    field(1, node('ReduceMean', ['x'], 'mean')),
    field(1, node('Mul', ['mean', 'gain'], 'scaled')),
    field(1, node('Add', ['scaled', 'bias'], 'y')),
    field(2, 'mean'),
    field(5, scalar('gain', gain)),
    field(5, scalar('bias', bias)),
    field(11, valueInfo('x', shape)),
    field(12, valueInfo('y', [1, 1, 1, 1])),
  );
  return message(field(1, 8), field(7, graph), field(8, message(field(1, ''), field(2, 13))));
}
