import { readFileSync } from 'node:fs';

/**
 * The loops over pixels and spectra as WebAssembly with 128-bit vectors: `forensics/kernels/assembly`, compiled by `npm
 * run build:kernels`. Each thread has one instance, whose own memory never grows. A caller fills buffers, calls, and
 * copies the result before anything else runs: nothing in the buffers outlasts a turn of the event loop.
 */
interface Kernels {
  halveRow(pixels: number): void;
  lumaOfSums(count: number, factor: number, scale: number): void;
  clearSums(count: number): void;
  addBytes(count: number): void;
  addShorts(count: number): void;
  averageAcross(boxes: number): void;
  addLine(boxes: number, share: number): void;
  takeRow(boxes: number): void;
  lowFrequencies(): void;
  gradients(): number;
  transform(): void;
  transformWindowed(mean: number, opponentMean: number): number;
  loadTile(): void;
  residual(): void;
  split(): void;
  findPeaks(colour: boolean, low2: number, high2: number, last: number, limit: number): number;
}

const { exports } = new WebAssembly.Instance(
  new WebAssembly.Module(readFileSync(new URL('./kernels.generated.wasm', import.meta.url))),
);

/** The functions; `forensics/kernels/assembly` says what each reads and writes. */
export const kernels = exports as unknown as Kernels;

const { buffer } = exports.memory as { buffer: ArrayBuffer };
/** Reads an exported constant: an address or a count. */
const constant = (name: string): number => (exports[name] as { value: number }).value;
const bytes = (name: string, length: number): Uint8Array => new Uint8Array(buffer, constant(name), length);
const floats = (name: string, length: number): Float32Array => new Float32Array(buffer, constant(name), length);
const doubles = (name: string, length: number): Float64Array => new Float64Array(buffer, constant(name), length);

/** Maximum pixels per row that `halveRow` writes; `upper` and `lower` hold twice as many. */
export const ROW_PIXELS = constant('ROW_PIXELS');
/** Most boxes that `averageAcross` fills. */
export const ROW_BOXES = constant('ROW_BOXES');

/** Frequency rings in which colour is measured, sectors per ring, and bins of sums: those sectors, the rings above them, and the rest. */
export const COLOUR_RINGS = constant('COLOUR_RINGS');
export const SECTORS = constant('SECTORS');
export const SUMMED_BINS = constant('BINS') - 1;

/** The buffers that the functions read and write; `kernels/assembly/memory.ts` describes their contents. */
export const buffers = {
  upper: bytes('UPPER', 2 * ROW_PIXELS * 3),
  lower: bytes('LOWER', 2 * ROW_PIXELS * 3),
  lumaRow: floats('LUMA_ROW', 2 * ROW_PIXELS),
  halved: bytes('HALVED', ROW_PIXELS * 3),
  sums: new Uint32Array(buffer, constant('SUMS'), 2 * ROW_PIXELS * 3),
  boxCounts: new Uint16Array(buffer, constant('BOX_COUNTS'), ROW_BOXES),
  boxShares: floats('BOX_SHARES', 2 * ROW_PIXELS + ROW_BOXES),
  boxed: bytes('BOXED', ROW_BOXES * 3),
  pixels: bytes('PIXELS', 256 * 256 * 3),
  re: floats('RE', 256 * 256),
  im: floats('IM', 256 * 256),
  cosines: floats('COSINES', 256),
  sines: floats('SINES', 256),
  hann: floats('HANN', 256),
  binOf: bytes('BIN_OF', 129 * 256),
  lumaBins: doubles('LUMA_BINS', SUMMED_BINS),
  opponentBins: doubles('OPPONENT_BINS', SUMMED_BINS),
  crossSums: doubles('CROSS_SUMS', 2 * COLOUR_RINGS),
  tile: doubles('TILE', 7),
  peaks: doubles('PEAKS', 40),
  block: floats('BLOCK', 64 * 64),
  frequencies: floats('FREQUENCIES', 16 * 16),
  pdqCosines: floats('PDQ_COSINES', 16 * 64),
};
