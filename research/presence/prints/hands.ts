import { random } from '@firsthand/forensics/pixels/random.ts';
import {
  agreement,
  type FilmPrint,
  filedKeys,
  filmPrint,
  LEAST_BITS,
  soughtKeys,
} from '@firsthand/forensics/presence/film-print.ts';
import { handWay } from '@firsthand/forensics/simulate/film.ts';
import { drawMoves } from '../attacks/session.ts';

/** What another encoding changes of a shift or turn. */
const NOISE = 1e-4;

/** The print of a film of two or three moves by a simulated hand, as its centre moves; no picture is drawn. */
export function printOfHand(seed: number): FilmPrint {
  const rng = random(seed * 7919 + 3);
  const { position, turn } = handWay(drawMoves(seed, rng.uniform() < 0.7 ? 2 : 3), random(seed));
  const focal = rng.uniform(0.7, 0.95);
  const frames = 16 + Math.floor(rng.uniform(0, 17));
  const points = Array.from({ length: frames }, (_, i) => {
    const at = Math.floor((i * (position.length - 1)) / (frames - 1));
    return [focal * (position[at]![0] + turn[at]![1]), focal * (position[at]![1] - turn[at]![0]), turn[at]![2]];
  });
  const steps = points.slice(1).map((point, i) => {
    const step = (axis: number): number => points[i]![axis]! - point[axis]! + NOISE * rng.normal();
    return { dx: step(0), dy: step(1), turn: step(2), scale: 1, correlation: 1, rival: -1 };
  });
  const print = filmPrint({ steps });
  if (!print) throw new Error(`the hand of seed ${seed} hardly moves`);
  return print;
}

/** Films that are compared each with each; the rest is compared where the index finds them. */
const DIRECTLY = 900;
const FIRST_SEED = 200_000;

export function reportHands(count: number, print: (line?: string) => void): void {
  const prints = Array.from({ length: count }, (_, i) => printOfHand(FIRST_SEED + i));
  const direct: number[] = [];
  for (let i = 0; i < Math.min(DIRECTLY, count); i++)
    for (let k = 0; k < Math.min(DIRECTLY, count); k++) if (i !== k) direct.push(agreement(prints[i]!, prints[k]!));
  const filed = new Map<number, number[]>();
  const found: number[] = [];
  for (const [i, own] of prints.entries()) {
    const hits = new Set(soughtKeys(own).flatMap(key => filed.get(key) ?? []));
    for (const k of hits) found.push(agreement(prints[k]!, own));
    for (const key of filedKeys(own)) filed.set(key, [...(filed.get(key) ?? []), i]);
  }
  const pairs = (count * (count - 1)) / 2;
  const row = (name: string, all: number, bits: readonly number[]): void =>
    print(
      `| ${name} | ${all.toLocaleString('en')} | ${bits.reduce((most, value) => Math.max(most, value), 0).toFixed(0)} | ${bits.filter(value => value >= 20).length} | ${bits.filter(value => value >= 30).length} | ${bits.filter(value => value >= LEAST_BITS).length} |`,
    );
  print('\n## Simulated hands\n');
  print(`Ways of ${count.toLocaleString('en')} hands that make two or three drawn moves, without pictures.\n`);
  print(
    `| pairs | compared | most bits | 20 bits and more | 30 and more | ${LEAST_BITS} and more: taken for the same |\n|---|---|---|---|---|---|`,
  );
  row(`each with each, ${Math.min(DIRECTLY, count)} hands`, direct.length, direct);
  row(`those that share a key (${found.length.toLocaleString('en')})`, pairs, found);
  print(
    `\nOf a million films, ${Math.round((found.length / pairs) * 1e6).toLocaleString('en')} share a key with a film by chance. At most 32 of them are compared, those that share the most.`,
  );
}
