import type { OnnxConstant, OnnxNode } from './onnx.ts';

/** Operations that give a layer its weights. */
export const READS_WEIGHTS: ReadonlySet<string> = new Set(['DequantizeLinear', 'Cast']);

/** Returns a constant of the file. */
export function constantOf(constants: Map<string, OnnxConstant>, name: string): OnnxConstant {
  const found = constants.get(name);
  if (!found) throw new Error(`no constant ${name}`);
  return found;
}

/** A layer's weights. */
export interface Weights {
  shape: number[];
  floats: Float32Array;
  /** The same as whole numbers of at most 12 bits, and the size of one. */
  values: Int16Array;
  scale: number;
}

/** Bits of a whole weight besides its sign, of weights that the file has in floating point. */
const WHOLE = 2 ** 11 - 1;

/** Reads weights of 8 bits, or half-precision ones. */
export function weightsOf(
  { operation, inputs }: OnnxNode,
  constants: Map<string, OnnxConstant>,
  floats: (name: string) => Float32Array,
): Weights {
  const [kernel, unit, zero] = inputs;
  const { raw, shape } = constantOf(constants, kernel!);
  if (operation === 'Cast') {
    const halves = new Float32Array(new Float16Array(new Uint8Array(raw).buffer));
    const scale = halves.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / WHOLE;
    return { shape, floats: halves, values: new Int16Array(halves.map(weight => Math.round(weight / scale))), scale };
  }
  const nothing = constantOf(constants, zero!).raw[0]!;
  const values = new Int16Array(raw).map(value => value - nothing);
  const scale = floats(unit!)[0]!;
  return { shape, floats: new Float32Array(values).map(value => value * scale), values, scale };
}
