import { readFileSync } from 'node:fs';
import type { Picture } from '../pixels/picture.ts';
import { readOnnx } from './onnx.ts';
import { outputOf, type Statistic, statisticAt } from './pooling.ts';
import { constantOf, READS_WEIGHTS, type Weights, weightsOf } from './weights.ts';

/**
 * Runs networks of inverted residuals on one thread, in a third of the time of ONNX Runtime (`../screen/CARD.md`): a strip of rows passes through a
 * block of three layers while it is in the nearest caches, and pointwise layers multiply whole numbers of 16 bits. The weights have 9 bits
 * anyway, those of `appearance` and `patches` 12. Rounding the layers' inputs to 15 bits moves a feature by at most 0.012 of its spread over pictures.
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

/** Returns the network in this file. Each thread loads it on first use. */
export function trunk(file: URL): Trunk {
  let plan: Plan | undefined;
  return (fill, width, height) => {
    plan ??= load(readFileSync(file));
    return new Run(plan).output(fill, width, height);
  };
}

/** A rectangle in a picture, in pixels. */
export interface Part {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Fills the input with a picture as it is, or with a part of it. */
export const levelsOf =
  (picture: Picture, { left, top, width, height }: Part = { left: 0, top: 0, ...picture }) =>
  ({ memory, at, line }: Input): void => {
    const rows = new Int16Array(memory());
    for (let y = 0; y < height; y++)
      putLevels(rows, (at + y * line) / 2, picture.data, 3 * (picture.width * (top + y) + left), 3 * width);
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

/** Rows or columns before the picture that a 3 x 3 layer reads, and the length of its output. ONNX calls it SAME_UPPER. */
interface Side {
  before: number;
  out: number;
}

function sameUpper(length: number, step: number): Side {
  const out = Math.ceil(length / step);
  return { before: Math.max(0, (out - 1) * step + 3 - length) >> 1, out };
}

/** What passes through the blocks: numbers of `height` x `width` pixels. */
interface Stream {
  height: number;
  width: number;
  /** Address in fixed point, and its size of one. 0: the picture itself. */
  input: number;
  one: number;
  /** Address of the same in floating point. */
  exact: number;
}

/** The picture with a margin of zeros: address, and bytes a row. */
interface Margined {
  at: number;
  line: number;
}

/** One run of a network: its memory above the constants, and the output so far. */
class Run {
  readonly #plan: Plan;
  readonly #layers: Layers;
  readonly #memory: WebAssembly.Memory;
  readonly #found: number[] = [];
  #free = constantsEnd;
  /** Room for a layer's sums. */
  #sums = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    ({ layers: this.#layers, memory: this.#memory } = loadMachine());
  }

  output(fill: (input: Input) => void, width: number, height: number): Float32Array {
    const { blocks, unit } = this.#plan;
    const [rows, columns] = [sameUpper(height, 2), sameUpper(width, 2)];
    const picture = this.#readPicture(fill, { width, height }, rows.before, columns.before);
    const most = Math.max(...blocks.flatMap(({ expand, rest }) => [expand?.width ?? 0, rest?.project.width ?? 0]));
    this.#sums = this.#take(3 * most * 4);
    let stream: Stream = { height: rows.out, width: columns.out, input: 0, one: STEPS / unit, exact: 0 };
    for (const [index, block] of blocks.entries()) stream = this.#block(block, picture, stream, blocks[index + 1]);
    return Float32Array.from(this.#found);
  }

  #take = (bytes: number): number => {
    const at = this.#free;
    this.#free = aligned(at + bytes + SLACK);
    reserve(this.#free);
    return at;
  };

  #readPicture(
    fill: (input: Input) => void,
    size: { width: number; height: number },
    above: number,
    left: number,
  ): Margined {
    const line = (size.width + 2) * 6;
    const at = this.#take(line * (size.height + 2));
    new Uint8Array(this.#memory.buffer, at, line * (size.height + 2) + 32).fill(0);
    const memory = () => this.#memory.buffer;
    fill({ layers: this.#layers, take: this.#take, memory, at: at + above * line + left * 6, line });
    return { at, line };
  }

  /** Runs a block, and returns its output as the next one's input; without one, what it got. */
  #block({ expand, rest }: Block, picture: Margined, stream: Stream, next: Block | undefined): Stream {
    if (!expand) throw new Error('A block without its first layer.');
    const step = rest?.depthwise.step ?? 1;
    const down = rest ? sameUpper(stream.height, step) : { before: 0, out: stream.height };
    const across = rest ? sameUpper(stream.width, step) : { before: 0, out: stream.width };
    const out = rest ? this.#take(down.out * across.out * rest.project.width * 4) : 0;
    const kept = this.#free;
    if (expand.read) this.#clear(expand.width);
    this.#strips({ expand, rest, step, down, across, out }, picture, stream);
    if (expand.read) this.#put(expand.width, stream.height * stream.width);
    if (!rest) return stream;
    const { project, residual, read } = rest;
    const pixels = down.out * across.out;
    const count = pixels * project.width;
    if (residual) this.#layers.add(out, stream.exact, count);
    if (read) {
      this.#clear(project.width);
      this.#layers.gather(out, this.#sums, pixels, project.width);
      this.#put(project.width, pixels);
    }
    if (!next) return stream;
    // Overwrites the strips.
    this.#free = kept;
    const input = this.#take(count * 2);
    const one = next.expand!.most / (this.#layers.largest(out, count) || 1);
    this.#layers.toFixed(out, input, count, one);
    return { height: down.out, width: across.out, input, one, exact: out };
  }

  /** Passes strips of rows through the three layers of a block, each while it is in the nearest caches. */
  #strips(
    o: { expand: Pointwise; rest: Block['rest']; step: number; down: Side; across: Side; out: number },
    picture: Margined,
    { height, width, input, one }: Stream,
  ): void {
    const { expand, rest, step, down, across } = o;
    const layers = this.#layers;
    const span = rest ? 3 : 1;
    const row = width * expand.width * 4;
    const outRows = Math.max(1, Math.min(down.out, Math.floor(STRIP / (step * row))));
    const stripRows = (outRows - 1) * step + span;
    const strip = this.#take(stripRows * row);
    const listed = input === 0 ? this.#take(stripRows * width * NEIGHBOURS * 2) : 0;
    const narrow = rest ? this.#take(outRows * across.out * expand.width * 2) : 0;
    let top = 0;
    let bottom = 0;
    for (let y = 0; y < down.out; y += outRows) {
      const until = Math.min(down.out, y + outRows);
      const from = Math.max(0, y * step - down.before);
      const to = Math.min(height, (until - 1) * step - down.before + span);
      if (bottom > from)
        new Uint8Array(this.#memory.buffer).copyWithin(strip, strip + (from - top) * row, strip + (bottom - top) * row);
      else bottom = from;
      top = from;
      const at = strip + (bottom - top) * row;
      const pixels = (to - bottom) * width;
      if (input === 0) layers.neighbourhoods(picture.at, picture.line, listed, bottom, to, width);
      const given = input === 0 ? listed : input + bottom * width * expand.depth * 2;
      const factor = expand.scale / one;
      layers.pointwise(given, expand.weights, expand.bias, at, pixels, expand.depth, expand.width, factor, SIX);
      bottom = to;
      if (expand.read) layers.gather(at, this.#sums, pixels, expand.width);
      if (rest) this.#narrow({ ...o, rest, strip, top, narrow }, y, until, { height, width });
    }
  }

  /** The depthwise and the projecting layer of a block, for the output's rows from `y` until `until`. */
  #narrow(
    o: { rest: NonNullable<Block['rest']>; step: number; down: Side; across: Side; out: number } & {
      strip: number;
      top: number;
      narrow: number;
    },
    y: number,
    until: number,
    { height, width }: { height: number; width: number },
  ): void {
    const { depthwise, project } = o.rest;
    const size = project.most / SIX;
    this.#layers.depthwise(
      o.strip,
      depthwise.weights,
      depthwise.bias,
      o.narrow,
      o.top,
      height,
      width,
      depthwise.depth,
      o.step,
      o.down.before,
      o.across.before,
      y,
      until,
      o.across.out,
      SIX,
      size,
    );
    const onto = o.out + y * o.across.out * project.width * 4;
    const count = (until - y) * o.across.out;
    const { weights, bias, depth, width: channels, scale } = project;
    this.#layers.pointwise(o.narrow, weights, bias, onto, count, depth, channels, scale / size, 0);
  }

  /** Clears the room for a layer's numbers. */
  #clear(channels: number): void {
    new Float32Array(this.#memory.buffer, this.#sums, 2 * channels).fill(0);
    new Float32Array(this.#memory.buffer, this.#sums + 8 * channels, channels).fill(Number.NEGATIVE_INFINITY);
  }

  /** Puts a layer's statistics into the output once its numbers are gathered. */
  #put(channels: number, pixels: number): void {
    const gathered = new Float32Array(this.#memory.buffer, this.#sums, 3 * channels);
    for (const statistic of this.#plan.statistics)
      for (let c = 0; c < channels; c++) this.#found.push(statisticAt(statistic, gathered, c, channels, pixels));
  }
}
