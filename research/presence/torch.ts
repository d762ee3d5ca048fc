// Does a second frame with the torch on tell a display from a thing? Rendered pairs of frames of 480 x 360:
//   node research/presence/torch.ts --pairs 100 [--from 100000] [--kinds 'sheet,far'] [--dump FILE] [--write FILE]
//
// The rule, written before the first number. Seeds below 100,000 may set bounds; those from 100,000 judge, once.
// - Real things within 1.5 m in a room are called "emits" in at most 1%, and in at most 3% of each kind.
// - Displays that fill the frame, half of them matte, are called "emits" in at least 60%.
// - Elsewhere (farther, outdoors, through a window) at least 95% get no answer.
// - "Behind glass", "lamp" and "car outdoors" set no bound: only judged pairs show them.
// If one of the three fails, nothing of this becomes a part of the product.
import { writeFileSync } from 'node:fs';
import { createReport, optionsOf } from '../../bench/src/report.ts';
import { type TorchAnswer, torchAnswer } from './torch/answer.ts';
import { DISPLAYS, drawPlace, ELSEWHERE, MIXED, NEAR } from './torch/places.ts';
import { renderPair } from './torch/render.ts';

const options = optionsOf({ from: '100000', pairs: '100', kinds: '', dump: '' });
const kinds = [...NEAR, ...DISPLAYS, ...ELSEWHERE, ...MIXED].filter(
  kind => !options.kinds || options.kinds.split(',').includes(kind),
);
const report = createReport('A second frame with the torch on');
printLight();
report.print('| rendered | pairs | emits | lit | no answer |');
report.print('|---|---|---|---|---|');
const dumped: string[] = [];
const strong: TorchAnswer[] = [];
for (const kind of kinds) {
  const answers: TorchAnswer[] = [];
  for (let seed = Number(options.from); seed < Number(options.from) + Number(options.pairs); seed++) {
    const place = drawPlace(kind, seed);
    const answer = torchAnswer(...(await renderPair(place, seed)));
    answers.push(answer);
    if (kind === 'matte display' && place.candela * Math.PI >= 20 && place.distance <= 0.35) strong.push(answer);
    if (options.dump) dumped.push(JSON.stringify({ kind, seed, ...answer.evidence }));
  }
  if (options.dump) writeFileSync(options.dump, `${dumped.join('\n')}\n`);
  printRow(kind, answers);
}
printRow('matte display within 0.35 m, torch of 20 lm or more', strong);
report.write(options.write);

function printRow(name: string, answers: TorchAnswer[]): void {
  const count = (wanted: TorchAnswer['answer']): number => answers.filter(({ answer }) => answer === wanted).length;
  report.row(name, answers.length, count('emits'), count('lit'), count('no_answer'));
}

/** Prints the torch's light at the middle of the frame: an even emitter has lumens / pi candela along its axis. */
function printLight(): void {
  report.print('| distance | 7 lm | 20 lm | 50 lm | 20 lm in a room of 50, 150 and 500 lux |');
  report.print('|---|---|---|---|---|');
  for (const metres of [0.2, 0.5, 1, 1.5, 3]) {
    const lux = (lumens: number): number => lumens / Math.PI / metres ** 2;
    const shares = [50, 150, 500].map(room => `${((100 * lux(20)) / room).toFixed(1)}%`).join(', ');
    report.row(`${metres} m`, ...[7, 20, 50].map(lumens => `${lux(lumens).toFixed(1)} lux`), shares);
  }
  report.print();
}
