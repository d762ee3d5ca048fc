/**
 * The two-frame test on simulated flat pairs against real and simulated deep ones:
 *
 *   npm run bench:frames -- [--frames FOLDER]... [--pairs N] [--json OUT]
 *
 * Each FOLDER holds photographs of one real, deep subject from places beside each other, in the order of their names:
 * neighbours are paired. N pairs are simulated of each kind: a display or print seen from two places, and things standing
 * before each other seen from the same two places. Coverage is the share of pairs with an answer.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { decodePicture } from '@firsthand/forensics/decode.ts';
import { inspect } from '@firsthand/forensics/inspect.ts';
import { type TwoFrameTest, testTwoFrames } from '@firsthand/forensics/motion/two-frames.ts';
import type { Picture } from '@firsthand/forensics/picture.ts';
import { areaResize } from '@firsthand/forensics/screen/whole.ts';
import { drawCards, drawMove } from '@firsthand/forensics/simulate/pairs.ts';
import { drawRecapture, simulateDeep, simulateRecapture } from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import { areaUnderCurve, foundAt, upperBound } from './statistics.ts';

const { values: options } = parseArgs({
  options: {
    frames: { type: 'string', multiple: true, default: [] },
    pairs: { type: 'string', default: '8' },
    json: { type: 'string' },
  },
});

const SIZE = { width: 1120, height: 840 };
type Group = 'flat, simulated' | 'deep, simulated' | 'deep, real';
const results: { group: Group; name: string; test: TwoFrameTest }[] = [];

function record(group: Group, name: string, test: TwoFrameTest): void {
  results.push({ group, name, test });
  console.log(
    `${group} ${name}: ${test.answer} ${test.probability?.toFixed(3) ?? ''} ${JSON.stringify(test.evidence)}`,
  );
}

async function load(bytes: Buffer): Promise<Picture> {
  return areaResize(await decodePicture(bytes, await inspect(bytes)), 1600);
}

for (const folder of options.frames) {
  const names = readdirSync(folder)
    .filter(name => /\.jpe?g$/i.test(name))
    .sort();
  let before: Picture | undefined;
  for (const name of names) {
    const picture = await load(readFileSync(join(folder, name)));
    if (before) record('deep, real', join(folder.split('/').slice(-2).join('/'), name), testTwoFrames(before, picture));
    before = picture;
  }
}

for (let seed = 1; seed <= Number(options.pairs); seed++) {
  const scene = drawScene(seed);
  const [first, second] = drawMove(seed, SIZE);
  // A phone's sensor has about four times these pixels: its display pixels are as much finer here.
  const display = drawRecapture(first);
  const shown = { ...display, fill: 1.6, scale: Math.max(0.8, display.scale * 0.5) };
  const flat = [await simulateRecapture(scene, shown), await simulateRecapture(scene, { ...shown, ...second })];
  record(
    'flat, simulated',
    `${seed} ${shown.layout}`,
    testTwoFrames(await load(flat[0]!.jpeg), await load(flat[1]!.jpeg)),
  );
  const cards = drawCards(seed, SIZE);
  const deep = [await simulateDeep(scene, cards, first), await simulateDeep(scene, cards, second)];
  record('deep, simulated', String(seed), testTwoFrames(await load(deep[0]!.jpeg), await load(deep[1]!.jpeg)));
}

const of = (group: Group) => results.filter(result => result.group === group);
const answered = (group: Group): number[] =>
  of(group).flatMap(({ test }) => (test.probability === undefined ? [] : [test.probability]));
const [flat, simulated, real] = [answered('flat, simulated'), answered('deep, simulated'), answered('deep, real')];
const deep = [...simulated, ...real];
const wrong = deep.filter(p => p >= 0.5).length;
const summary = {
  flat: { pairs: of('flat, simulated').length, answered: flat.length, called_flat: flat.filter(p => p >= 0.5).length },
  deep_simulated: { pairs: of('deep, simulated').length, answered: simulated.length },
  deep_real: { pairs: of('deep, real').length, answered: real.length },
  called_flat_wrongly: wrong,
  called_flat_wrongly_upper_95: upperBound(wrong, deep.length),
  highest_deep: Math.max(0, ...deep),
  ...(flat.length > 0 && deep.length > 0 && { auc: areaUnderCurve(flat, deep), found_at_1: foundAt(flat, deep, 0.01) }),
};
console.log(summary);
if (options.json) writeFileSync(options.json, `${JSON.stringify({ summary, results }, null, 2)}\n`);
