// Would it help to know the torch's light exactly? Reads what `torch.ts --dump FILE` wrote about displays, and computes from each drawn place
// what the torch's mirror image foretells:
//   node research/presence/torch/known.ts --dump FILE
import { readFileSync } from 'node:fs';
import { quantile } from '@firsthand/forensics/pixels/statistics.ts';
import { LINEAR } from '@firsthand/forensics/simulate/camera.ts';
import { FRAME } from '@firsthand/forensics/simulate/film.ts';
import { createReport, optionsOf } from '../../../bench/src/report.ts';
import { BOUNDS, type TorchEvidence } from './answer.ts';
import { DISPLAYS, drawPlace, type Kind } from './places.ts';
import type { Place } from './render.ts';

const options = optionsOf({ dump: '/tmp/torch.jsonl' });
const rows = readFileSync(options.dump, 'utf8').trim().split('\n');
const dumped: (TorchEvidence & { kind: Kind; seed: number })[] = rows.map(row => JSON.parse(row));
const report = createReport('What the mirror image foretells');
report.print(
  '| rendered | pairs | mirror image in the frame | foretold by the frames, as a share of the truth: 10%, 50%, 90% | found with the truth |',
);
report.print('|---|---|---|---|---|');
for (const kind of DISPLAYS) {
  const found = dumped.filter(row => row.kind === kind).map(row => ({ row, place: drawPlace(kind, row.seed) }));
  const seen = found.filter(({ place }) => inFrame(place));
  const shares = seen.map(
    ({ row, place }) => Math.max(row.broad_foretold ?? 0, row.point_foretold ?? 0) / foretoldBy(place),
  );
  shares.sort((p, q) => p - q);
  const certain = seen.filter(({ row: { cone = 1, cone_error = 1, spread = 1 }, place }) => {
    const answered = Math.max(Math.abs(cone) + cone_error, spread);
    const foretold = foretoldBy(place);
    return foretold >= BOUNDS.foretold && answered <= Math.min(BOUNDS.answered, BOUNDS.missing * foretold);
  });
  const spread = [0.1, 0.5, 0.9].map(p => quantile(shares, p).toFixed(2)).join(', ');
  report.row(kind, found.length, seen.length, spread, certain.length);
}

function inFrame({ poses: [, { focal, turn }] }: Place): boolean {
  return (
    Math.abs(Math.tan(turn[0])) * focal < FRAME.height / 2 && Math.abs(Math.tan(turn[1])) * focal < FRAME.width / 2
  );
}

/** The light that a surface of a reflectance of 0.2 would add at the middle, as a share of the display's median light. */
function foretoldBy({ stage, candela, distance, nits, albedo, lux, glosses }: Place): number {
  const { data } = stage.backdrop;
  const light = Array.from({ length: Math.floor(data.length / 300) }, (_, i) => LINEAR[data[300 * i + 1]!]!);
  const level =
    nits *
      quantile(
        light.sort((p, q) => p - q),
        0.5,
      ) +
    (albedo * lux) / Math.PI;
  const mirrored = glosses[0]!.reflectance / 0.04;
  return (mirrored * 0.2 * candela) / (distance * distance * Math.PI * level);
}
