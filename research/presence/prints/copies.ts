import { random } from '@firsthand/forensics/pixels/random.ts';
import {
  agreement,
  type FilmPrint,
  filedKeys,
  filmPrint,
  LEAST_BITS,
  soughtKeys,
} from '@firsthand/forensics/presence/film-print.ts';
import { type Path, pathOf } from '@firsthand/forensics/presence/path.ts';
import type { TraceFrame } from '@firsthand/forensics/presence/trace.ts';
import { COPIES } from '@firsthand/forensics/simulate/copies.ts';
import { median, percentile } from '../../../bench/src/measure.ts';

/** A film with its print, and what became of its copies. */
export interface Filmed {
  source: string;
  scene: string;
  print: FilmPrint | undefined;
  /** Processor time of print and keys, ms. */
  ms: number;
  copies: Record<string, { bits: number; found: boolean }>;
}

/** Bytes of a step of a print. */
const STEP = 6;
/** Standard deviations of shifts, as shares of the longer side, and of turns, in radians. */
const TREMORS = [0.0005, 0.001, 0.002];
const HALF = 'the first half, joined to another film';

export async function measureCopies(
  source: string,
  scene: string,
  frames: readonly TraceFrame[],
  others: Record<string, readonly TraceFrame[]>,
): Promise<Filmed> {
  const path = pathOf(frames);
  const from = process.cpuUsage();
  for (let i = 0; i < 10; i++) {
    const again = filmPrint(path);
    if (again) [filedKeys(again), soughtKeys(again)];
  }
  const { user, system } = process.cpuUsage(from);
  const filmed: Filmed = { source, scene, print: filmPrint(path), ms: (user + system) / 10_000, copies: {} };
  const { print } = filmed;
  if (!print) return filmed;
  const filed = new Set(filedKeys(print));
  const compare = (name: string, copy: FilmPrint | undefined): void => {
    filmed.copies[name] = {
      bits: copy ? agreement(print, copy) : 0,
      found: copy !== undefined && soughtKeys(copy).some(key => filed.has(key)),
    };
  };
  for (const [name, copy] of Object.entries(COPIES)) compare(name, filmPrint(pathOf(await copy(frames))));
  for (const [name, other] of Object.entries(others)) compare(name, filmPrint(pathOf(other)));
  const again = pathOf(await COPIES['JPEG of quality 50'](frames));
  const encoded = filmPrint(again);
  for (const size of TREMORS)
    compare(`a tremor of ${100 * size}% of the side added to its path`, filmPrint(shaken(again, size)));
  const half = STEP * Math.ceil(print.length / STEP / 2);
  if (encoded) compare(HALF, joined(encoded.subarray(0, half), filmed.print!));
  return filmed;
}

/** The path that a film has after a program has shifted and turned each frame a little. */
function shaken({ steps }: Path, size: number): Pick<Path, 'steps'> {
  const rng = random(steps.length);
  const off = Array.from({ length: steps.length + 1 }, () => [0, 1, 2].map(() => size * rng.normal()));
  const added = (i: number, axis: number): number => off[i + 1]![axis]! - off[i]![axis]!;
  return {
    steps: steps.map((step, i) => ({
      ...step,
      dx: step.dx + added(i, 0),
      dy: step.dy + added(i, 1),
      turn: step.turn + added(i, 2),
    })),
  };
}

/** Part of a film, followed by the other half of a film in another order: as foreign steps as any. */
function joined(part: FilmPrint, other: FilmPrint): FilmPrint {
  const steps = Array.from({ length: other.length / STEP }, (_, i) => other.subarray(i * STEP, (i + 1) * STEP));
  const rest = steps.slice(part.length / STEP).sort((a, b) => a[1]! - b[1]!);
  return Uint8Array.from([...part, ...rest.flatMap(step => [...step])]);
}

export function reportCopies(films: readonly Filmed[], print: (line?: string) => void): void {
  const known = films.filter(film => film.print);
  print(`## Copies of a film\n`);
  print(
    `A copy is known again if it agrees in ${LEAST_BITS} bits and the index finds it. ${films.length - known.length} of ${films.length} films have no print, because their camera hardly moved or moved evenly.\n`,
  );
  const sources = [...new Set(films.map(({ source }) => source))];
  print(
    `| copy, each encoded again | ${sources.join(' | ')} | bits, median |\n|---|${sources.map(() => '---|').join('')}---|`,
  );
  for (const name of [...new Set(known.flatMap(({ copies }) => Object.keys(copies)))]) {
    const of = (source?: string) =>
      known.flatMap(film => (source === undefined || film.source === source ? (film.copies[name] ?? []) : []));
    const cells = sources.map(source => {
      const list = of(source);
      return list.length
        ? `${list.filter(({ bits, found }) => bits >= LEAST_BITS && found).length} of ${list.length}`
        : '';
    });
    print(`| ${name} | ${cells.join(' | ')} | ${median(of().map(({ bits }) => bits)).toFixed(0)} |`);
  }
  const ms = known.map(film => film.ms);
  const bytes = known.map(film => film.print!.length);
  const keys = known.map(film => filedKeys(film.print!).length);
  print(
    `\nPrint and keys of a film: ${median(ms).toFixed(2)} ms of processor time (95% within ${percentile(ms, 0.95).toFixed(2)} ms), ${Math.min(...bytes)} to ${Math.max(...bytes)} bytes, ${median(keys)} keys (median; at most ${Math.max(...keys)}).`,
  );
}

export function reportPairs(films: readonly Filmed[], print: (line?: string) => void): void {
  const known = films.filter(film => film.print);
  const rows = new Map<string, number[]>();
  const since = performance.now();
  for (const a of known)
    for (const b of known) {
      if (a === b) continue;
      const [one, two] = [a, b].map(({ source }) => (source === 'rendered' ? 'rendered' : 'public'));
      const name =
        a.scene === b.scene && one === two
          ? `${one}, the same camera, hand and scene`
          : one === two
            ? `${one}, another scene`
            : 'rendered and public';
      rows.set(name, [...(rows.get(name) ?? []), agreement(a.print!, b.print!)]);
    }
  const pairs = [...rows.values()].flat().length;
  print(`\n## Different films\n\n| pairs, both ways | compared | most bits | taken for the same |\n|---|---|---|---|`);
  for (const [name, bits] of rows)
    print(
      `| ${name} | ${bits.length.toLocaleString('en')} | ${Math.max(...bits).toFixed(0)} | ${bits.filter(value => value >= LEAST_BITS).length} |`,
    );
  print(`\nA comparison takes ${(((performance.now() - since) / pairs) * 1e3).toFixed(0)} µs.`);
}
