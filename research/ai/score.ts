/**
 * Scores the crops of `views.py` with a network of `patches.py`, in the precision that would ship: a line SHA TAB WAY TAB log odds of each crop.
 *
 * node research/ai/score.ts PICTURES NAME PARTS > PICTURES/NAME.scores.tsv
 */
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { logOddsOf } from '@firsthand/forensics/screen/linear.ts';
import { levelsOf, trunk } from '@firsthand/forensics/screen/trunk.ts';

const WAYS = ['sent', 'small', 'messenger'];
const CROPS = 2;

const [pictures = '', name = '', parts = ''] = process.argv.slice(2);
const views: { sha: string; part: string; sides: number[] }[] = JSON.parse(
  readFileSync(join(pictures, 'views.json'), 'utf8'),
);
const head = JSON.parse(readFileSync(join(pictures, 'nets', `${name}.generated.json`), 'utf8'));
// `trunk` reads files of its own folder.
const beside = new URL(`../../forensics/src/screen/${name}.tmp.onnx`, import.meta.url);
copyFileSync(join(pictures, 'nets', `${name}.generated.onnx`), beside);
const run = trunk(`./${name}.tmp.onnx`);
run(levelsOf({ data: new Uint8Array(3 * 64 * 64), width: 64, height: 64 }), 64, 64);
rmSync(beside);

for (const { sha, part, sides } of views) {
  if (!parts.split(',').includes(part)) continue;
  const bytes = new Uint8Array(readFileSync(join(pictures, 'judge', `${sha}.rgb`)));
  let at = 0;
  for (const [i, side] of sides.entries()) {
    const scores: string[] = [];
    for (let crop = 0; crop < CROPS; crop++) {
      const data = bytes.subarray(at, at + 3 * side * side);
      at += 3 * side * side;
      scores.push(logOddsOf(head, run(levelsOf({ data, width: side, height: side }), side, side)).toFixed(4));
    }
    console.log([sha, WAYS[i], ...scores].join('\t'));
  }
}
