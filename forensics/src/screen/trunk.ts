import { readFileSync } from 'node:fs';
import type { Picture } from '../pixels/picture.ts';
import { readOnnx } from './onnx.ts';
import { outputOf, type Statistic, statisticAt } from './pooling.ts';
import { constantOf, READS_WEIGHTS, type Weights, weightsOf } from './weights.ts';

/**
 * Runs the networks of inverted residuals (`appearance`, `context`, `texture`) on one thread, in a third of the time of ONNX Runtime (`CARD.md`): a strip of rows passes through a
 * block of three layers while it is in the nearest caches, and pointwise layers multiply whole numbers of 16 bits. The weights have 9 bits
 * anyway, those of `appearance` 12. Rounding the layers' inputs to 15 bits moves a feature by at most 0.012 of its spread over pictures.
 */

/** `kernels/trunk` says what each function reads and writes. */
interface Layers {
  pointwise(
    from: number,
    weights: number,
    bias: number,
    out: number,
    pixels: number,
    depth: number,
    width: number,
    factor: number,
    limit: number,
  ): void;
  depthwise(
    from: number,
    weights: number,
    bias: number,
    out: number,
    top: number,
    height: number,
    width: number,
    depth: number,
    step: number,
    beforeRows: number,
    beforeColumns: number,
    first: number,
    last: number,
    columns: number,
    limit: number,
    factor: number,
  ): void;
  neighbourhoods(from: number, line: number, out: number, first: number, last: number, columns: number): void;
  add(to: number, from: number, count: number): void;
  largest(from: number, count: number): number;
  toFixed(from: number, out: number, count: number, factor: number): void;
  gather(from: number, sums: number, pixels: number, depth: number): void;
  detail(from: number, sums: number, out: number): number;
  putDetail(from: number, out: number, line: number, gain: number, low: number, high: number): void;
}

/** Where the input of a network goes: R, G, B of each pixel as 16 bits, {@link STEPS} a level, 0 for level {@link ZERO}. */
export interface Input {
  layers: Layers;
  /** Reserves bytes that stay until the network has run. May replace `memory`. */
  take(bytes: number): number;
  memory(): ArrayBuffer;
  /** Address of the first pixel, and bytes a row. */
  at: number;
  line: number;
}

/** A pointwise layer, or the first one, which reads 3 x 3 neighbourhoods. Addresses of its constants. */
interface Pointwise {
  weights: number;
  bias: number;
  depth: number;
  width: number;
  /** One unit of the weights. */
  scale: number;
  clipped: boolean;
  /** The network's output has numbers of this layer. */
  read: boolean;
  /** The largest input for which no sum exceeds 32 bits. */
  most: number;
}

interface Depthwise {
  weights: number;
  bias: number;
  depth: number;
  step: number;
}

interface Block {
  /** Absent: the input itself. */
  expand?: Pointwise;
  /** Absent in the last block of a network that ends within one. */
  rest?: { depthwise: Depthwise; project: Pointwise; residual: boolean; read: boolean };
}

interface Plan {
  blocks: Block[];
  statistics: Statistic[];
  /** The size of a level. */
  unit: number;
}

/** The limit of clipped layers. */
const SIX = 6;
/** The level that all networks count as 0, and the steps of their input a level. */
export const ZERO = 128;
export const STEPS = 256;
/** Numbers of a neighbourhood: three rows of nine and one of no weight, and two more. */
const NEIGHBOURS = 32;
/** Bytes of an expanded strip, about: it stays in the second cache. */
const STRIP = 262_144;
/** Bytes that layers may write past the end of a buffer: three pixels of the widest layer. */
const SLACK = 16_384;

const PAGE = 65_536;
const compiled = new WebAssembly.Module(readFileSync(new URL('./trunk.generated.wasm', import.meta.url)));

/** Memory and functions of this thread, shared by its networks; loaded with the first. */
let machine: { layers: Layers; memory: WebAssembly.Memory } | undefined;
/** Where constants end. The module has no data of its own: all of its memory is ours. */
let constantsEnd = 1024;

function loadMachine(): NonNullable<typeof machine> {
  if (!machine) {
    const { exports } = new WebAssembly.Instance(compiled);
    machine = { layers: exports as unknown as Layers, memory: exports.memory as WebAssembly.Memory };
  }
  return machine;
}

/** Returns, of a picture that `fill` writes, the statistics of the layers that the file names: layer by layer, and in each statistic by statistic. */
type Trunk = (fill: (input: Input) => void, width: number, height: number) => Float32Array;

/** Returns a network whose file is in this folder. Each thread loads it on first use. */
export function trunk(file: string): Trunk {
  let plan: Plan | undefined;
  return (fill, width, height) => {
    plan ??= load(readFileSync(new URL(file, import.meta.url)));
    return run(plan, fill, width, height);
  };
}

/** Fills the input with a picture as it is. */
export const levelsOf =
  ({ data, width, height }: Picture) =>
  ({ memory, at, line }: Input): void => {
    const rows = new Int16Array(memory());
    for (let y = 0; y < height; y++) putLevels(rows, (at + y * line) / 2, data, 3 * width * y, 3 * width);
  };

function putLevels(out: Int16Array, to: number, data: Uint8Array, from: number, count: number): void {
  for (let i = 0; i < count; i++) out[to + i] = (data[from + i]! - ZERO) * STEPS;
}

function reserve(bytes: number): void {
  const { memory } = loadMachine();
  const missing = bytes + SLACK - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
}

const aligned = (address: number): number => Math.ceil(address / 64) * 64;

/** Puts a constant into memory for good. */
function keep(values: Float32Array | Int16Array): number {
  const at = constantsEnd;
  constantsEnd = aligned(at + values.byteLength);
  reserve(constantsEnd);
  new Uint8Array(loadMachine().memory.buffer).set(new Uint8Array(values.buffer, 0, values.byteLength), at);
  return at;
}

// ---- Loading

function load(file: Buffer): Plan {
  const { nodes, constants } = readOnnx(file);
  const floats = (name: string): Float32Array => {
    const { raw, type } = constantOf(constants, name);
    if (type !== 1) throw new Error(`${name} is not floating point`);
    return new Float32Array(Uint8Array.from(raw).buffer);
  };
  const made = new Map(nodes.map(node => [node.output, node]));
  const { layers: readLayers, statistics } = outputOf(nodes, made);
  const blocks: Block[] = [];
  let open: Block = {};
  /** Output of the last block, which a residual adds. */
  let entry = '';
  for (const [index, node] of nodes.entries()) {
    if (node.operation === 'Add') {
      const last = blocks.at(-1)?.rest;
      if (!last || node.inputs[1] !== entry) throw new Error(`${node.output} is not a residual`);
      last.residual = true;
      last.read = readLayers.has(node.output);
      entry = node.output;
    }
    if (node.operation !== 'Conv') continue;
    const clipped = nodes[index + 1]?.operation === 'Clip' && nodes[index + 1]!.inputs[0] === node.output;
    const weights = weightsOf(made.get(node.inputs[1]!)!, constants, floats);
    const bias = floats(node.inputs[2]!);
    const step = node.numbers.strides![0]!;
    if (weights.shape[2] === 3 && weights.shape[1] === 1) {
      const { floats: values } = weights;
      const depth = bias.length;
      const turned = values.map((_, i) => values[(i % depth) * 9 + Math.floor(i / depth)]!);
      open.rest = {
        depthwise: { weights: keep(turned), bias: keep(bias), depth, step },
        project: undefined!,
        residual: false,
        read: false,
      };
    } else {
      const layer = pointwise(weights, bias, clipped, readLayers.has(clipped ? nodes[index + 1]!.output : node.output));
      if (clipped) open.expand = layer;
      else {
        open.rest!.project = layer;
        open.rest!.read = layer.read;
        blocks.push(open);
        open = {};
        const next = nodes.slice(index + 1).find(({ operation }) => !READS_WEIGHTS.has(operation));
        if (next?.operation !== 'Add') entry = node.output;
      }
    }
  }
  if (open.expand) blocks.push(open);
  if (floats('zero')[0] !== ZERO) throw new Error('The network counts another level as 0.');
  return { blocks, statistics, unit: floats('scale')[0]! };
}

/** Packs weights in groups of eight outputs, and within a group pairs of two inputs for each output. */
function pointwise({ values, shape, scale }: Weights, bias: Float32Array, clipped: boolean, read: boolean): Pointwise {
  const [width = 0, inputs = 0, side = 1] = shape;
  const depth = side === 3 ? NEIGHBOURS : inputs;
  const packed = new Int16Array(width * depth);
  let heaviest = 1;
  for (let n = 0; n < width; n++) {
    let sum = 0;
    for (let i = 0; i < inputs * side * side; i++) {
      const value = values[n * inputs * side * side + i]!;
      // A 3 x 3 kernel: channel, row, column.
      const k = side === 3 ? (Math.floor(i / 3) % 3) * 10 + (i % 3) * 3 + Math.floor(i / 9) : i;
      packed[(n >> 3) * depth * 8 + (k >> 1) * 16 + (n & 7) * 2 + (k & 1)] = value;
      sum += Math.abs(value);
    }
    heaviest = Math.max(heaviest, sum);
  }
  const most = Math.min(32_767, Math.floor((2 ** 31 - 1) / heaviest));
  return { weights: keep(packed), bias: keep(bias), depth, width, scale, clipped, read, most };
}

// ---- Running

/** Rows and columns, of one side, before the picture that a 3 x 3 layer reads, and the length of its output. ONNX calls it SAME_UPPER. */
function sameUpper(length: number, step: number): { before: number; out: number } {
  const out = Math.ceil(length / step);
  return { before: Math.max(0, (out - 1) * step + 3 - length) >> 1, out };
}

function run(plan: Plan, fill: (input: Input) => void, width: number, height: number): Float32Array {
  const { layers, memory } = loadMachine();
  let free = constantsEnd;
  const take = (bytes: number): number => {
    const at = free;
    free = aligned(at + bytes + SLACK);
    reserve(free);
    return at;
  };
  // The picture with a margin of zeros.
  const rows = sameUpper(height, 2);
  const columns = sameUpper(width, 2);
  const line = (width + 2) * 6;
  const picture = take(line * (height + 2));
  new Uint8Array(memory.buffer, picture, line * (height + 2) + 32).fill(0);
  fill({ layers, take, memory: () => memory.buffer, at: picture + rows.before * line + columns.before * 6, line });

  let [h, w] = [rows.out, columns.out];
  /** The fixed-point input of the block, its size of one, and the same in floating point. */
  let input = 0;
  let one = STEPS / plan.unit;
  let exact = 0;
  const most = Math.max(...plan.blocks.flatMap(({ expand, rest }) => [expand?.width ?? 0, rest?.project.width ?? 0]));
  const sums = take(3 * most * 4);
  const found: number[] = [];
  /** Clears the room for a layer's numbers, and puts its statistics into the output once they are gathered. */
  const clear = (channels: number): void => {
    new Float32Array(memory.buffer, sums, 2 * channels).fill(0);
    new Float32Array(memory.buffer, sums + 8 * channels, channels).fill(Number.NEGATIVE_INFINITY);
  };
  const put = (channels: number, pixels: number): void => {
    const gathered = new Float32Array(memory.buffer, sums, 3 * channels);
    for (const statistic of plan.statistics)
      for (let c = 0; c < channels; c++) found.push(statisticAt(statistic, gathered, c, channels, pixels));
  };
  for (const [index, { expand, rest }] of plan.blocks.entries()) {
    const first = input === 0;
    if (!expand) throw new Error('A block without its first layer.');
    const step = rest?.depthwise.step ?? 1;
    const down = rest ? sameUpper(h, step) : { before: 0, out: h };
    const across = rest ? sameUpper(w, step) : { before: 0, out: w };
    const span = rest ? 3 : 1;
    const outRows = Math.max(1, Math.min(down.out, Math.floor(STRIP / (step * w * expand.width * 4))));
    const stripRows = (outRows - 1) * step + span;
    const out = rest ? take(down.out * across.out * rest.project.width * 4) : 0;
    const kept = free;
    const strip = take(stripRows * w * expand.width * 4);
    const listed = first ? take(stripRows * w * NEIGHBOURS * 2) : 0;
    const narrow = rest ? take(outRows * across.out * expand.width * 2) : 0;
    const row = w * expand.width * 4;
    const factor = expand.scale / one;
    if (expand.read) clear(expand.width);
    let top = 0;
    let bottom = 0;
    for (let y = 0; y < down.out; y += outRows) {
      const until = Math.min(down.out, y + outRows);
      const from = Math.max(0, y * step - down.before);
      const to = Math.min(h, (until - 1) * step - down.before + span);
      if (bottom > from)
        new Uint8Array(memory.buffer).copyWithin(strip, strip + (from - top) * row, strip + (bottom - top) * row);
      else bottom = from;
      top = from;
      const at = strip + (bottom - top) * row;
      const pixels = (to - bottom) * w;
      if (first) layers.neighbourhoods(picture, line, listed, bottom, to, w);
      const given = first ? listed : input + bottom * w * expand.depth * 2;
      layers.pointwise(given, expand.weights, expand.bias, at, pixels, expand.depth, expand.width, factor, SIX);
      bottom = to;
      if (expand.read) layers.gather(at, sums, pixels, expand.width);
      if (!rest) continue;
      const { depthwise, project } = rest;
      const size = project.most / SIX;
      layers.depthwise(
        strip,
        depthwise.weights,
        depthwise.bias,
        narrow,
        top,
        h,
        w,
        depthwise.depth,
        step,
        down.before,
        across.before,
        y,
        until,
        across.out,
        SIX,
        size,
      );
      const onto = out + y * across.out * project.width * 4;
      const count = (until - y) * across.out;
      layers.pointwise(
        narrow,
        project.weights,
        project.bias,
        onto,
        count,
        project.depth,
        project.width,
        project.scale / size,
        0,
      );
    }
    if (expand.read) put(expand.width, h * w);
    if (!rest) break;
    [h, w] = [down.out, across.out];
    const count = h * w * rest.project.width;
    if (rest.residual) layers.add(out, exact, count);
    exact = out;
    if (rest.read) {
      clear(rest.project.width);
      layers.gather(out, sums, h * w, rest.project.width);
      put(rest.project.width, h * w);
    }
    const next = plan.blocks[index + 1];
    if (!next) break;
    // Overwrites the strips.
    free = kept;
    input = take(count * 2);
    one = next.expand!.most / (layers.largest(out, count) || 1);
    layers.toFixed(out, input, count, one);
  }
  return Float32Array.from(found);
}
