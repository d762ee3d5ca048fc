import type { OnnxNode } from './onnx.ts';

/** Of a channel, over all places. */
export type Statistic = 'mean' | 'deviation' | 'highest';

/** Returns the layers that the output reads, and their statistics, the same ones of each. */
export function outputOf(
  nodes: OnnxNode[],
  made: Map<string, OnnxNode>,
): { layers: Set<string>; statistics: Statistic[] } {
  const last = nodes.at(-1)!;
  const read = (last.operation === 'Concat' ? last.inputs : [last.output]).map(name => statisticOf(name, made));
  const layers = [...new Set(read.map(({ layer }) => layer))];
  const statistics = [...new Set(read.map(({ statistic }) => statistic))];
  const expected = layers.flatMap(layer => statistics.map(statistic => `${statistic} of ${layer}`));
  if (read.map(({ layer, statistic }) => `${statistic} of ${layer}`).join() !== expected.join())
    throw new Error('The layers do not have the same statistics.');
  return { layers: new Set(layers), statistics };
}

/** Finds out what a part of the output is. A deviation is the root of the mean of squares less the square of the mean, if above 0. */
function statisticOf(name: string, made: Map<string, OnnxNode>): { layer: string; statistic: Statistic } {
  const node = made.get(name)!;
  const before = (of: OnnxNode): OnnxNode => made.get(of.inputs[0]!)!;
  if (node.operation === 'GlobalAveragePool') return { layer: node.inputs[0]!, statistic: 'mean' };
  if (node.operation === 'GlobalMaxPool') return { layer: node.inputs[0]!, statistic: 'highest' };
  if (node.operation !== 'Sqrt') throw new Error(`${name}: operation ${node.operation} is not known`);
  const less = before(before(node));
  return { layer: before(before(less)).inputs[0]!, statistic: 'deviation' };
}

/** `gathered`: for each channel its sum over all pixels, then the sums of squares, then the highest values. */
export function statisticAt(
  statistic: Statistic,
  gathered: Float32Array,
  channel: number,
  channels: number,
  pixels: number,
): number {
  if (statistic === 'highest') return gathered[2 * channels + channel]!;
  const mean = gathered[channel]! / pixels;
  if (statistic === 'mean') return mean;
  return Math.sqrt(Math.max(0, gathered[channels + channel]! / pixels - mean * mean));
}
