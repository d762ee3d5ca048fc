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
import { torchAnswer, type TorchAnswer } from './torch/answer.ts';
import { DISPLAYS, drawPlace, ELSEWHERE, MIXED, NEAR } from './torch/places.ts';
import { renderPair } from './torch/render.ts';

const options = optionsOf({ from: '100000', pairs: '100', kinds: '', dump: '' });
const kinds = [...NEAR, ...DISPLAYS, ...ELSEWHERE, ...MIXED].filter(
  kind => !options.kinds || options.kinds.split(',').includes(kind),
);
const report = createReport('A frame with the torch on');
report.print('| rendered | pairs | emits | lit | no answer |');
report.print('|---|---|---|---|---|');
const dumped: string[] = [];
for (const kind of kinds) {
  const answers: TorchAnswer[] = [];
  for (let seed = Number(options.from); seed < Number(options.from) + Number(options.pairs); seed++) {
    const answer = torchAnswer(...(await renderPair(drawPlace(kind, seed), seed)));
    answers.push(answer);
    if (options.dump) dumped.push(JSON.stringify({ kind, seed, ...answer.evidence }));
  }
  if (options.dump) writeFileSync(options.dump, `${dumped.join('\n')}\n`);
  const count = (wanted: TorchAnswer['answer']): number => answers.filter(({ answer }) => answer === wanted).length;
  report.row(kind, answers.length, count('emits'), count('lit'), count('no_answer'));
}
report.write(options.write);


