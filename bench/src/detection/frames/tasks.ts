import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePicture } from '@firsthand/forensics/files/decode.ts';
import { inspect } from '@firsthand/forensics/files/inspect.ts';
import { type TwoFrameTest, testTwoFrames } from '@firsthand/forensics/motion/two-frames.ts';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { deepViews, flatViews, photographs, type Split } from './simulated.ts';

/** Work for one thread: some pairs of one real set, or the three pairs of one simulated subject. */
export type Task =
  | { kind: 'real'; set: FrameSet; pairs: [string, string][] }
  | { kind: 'flat' | 'deep'; split: Split; index: number; data?: string; cache: string };

/** Photographs of one real subject from adjacent positions, ordered by name. */
export interface FrameSet {
  name: string;
  split: Split;
  /** Handheld or aerial. */
  view: 'hand' | 'air';
  folder: string;
  /** Distances between the two frames of a pair, counted in file names. */
  gaps: number[];
}

export interface Row {
  group: string;
  split: Split;
  name: string;
  /** Layout and scale of a simulated display. */
  layout?: string;
  scale?: number;
  test: TwoFrameTest;
  /** Elapsed time and processor time of only the test, in ms. */
  ms: number;
  cpu_ms: number;
}

/** Lists the sets of `frame-sets.tsv` that are in a folder, each in a subfolder of its name. */
export function frameSets(folder: string): FrameSet[] {
  const lines = readFileSync(new URL('../frame-sets.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .slice(1);
  return lines
    .map(line => line.split('\t'))
    .map(([name = '', split, view, gaps = '1']) => ({
      name,
      split: split as Split,
      view: view as FrameSet['view'],
      folder: join(folder, name),
      gaps: gaps.split(',').map(Number),
    }))
    .filter(set => existsSync(set.folder));
}

const CHUNK = 12;

/** Splits a set's pairs into runs of neighbours, so that most pictures are decoded once. */
export function realTasks(set: FrameSet): Task[] {
  const names = readdirSync(set.folder)
    .filter(name => /\.(jpe?g|png)$/i.test(name))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const pairs = names.flatMap((name, index) =>
    set.gaps.flatMap((gap): [string, string][] => {
      const other = names[index + gap];
      // In sets made from film, neighbouring frames move too little. Gaps of four skip the frames between.
      const between = Math.min(...set.gaps) > 1 && index % Math.min(...set.gaps) !== 0;
      return other && !between ? [[name, other]] : [];
    }),
  );
  const tasks: Task[] = [];
  for (let from = 0; from < pairs.length; from += CHUNK)
    tasks.push({ kind: 'real', set, pairs: pairs.slice(from, from + CHUNK) });
  return tasks;
}

export async function perform(task: Task): Promise<Row[]> {
  if (task.kind === 'real') return performReal(task.set, task.pairs);
  const { split, index, cache } = task;
  const views =
    task.kind === 'deep'
      ? await deepViews(split, index, cache)
      : await flatViews(split, index, photographs(task.data, split), cache);
  const pictures = await Promise.all(views.jpegs.map(load));
  const { kind, layout, scale } = views;
  return (
    [
      [0, 1],
      [1, 2],
      [0, 2],
    ] as const
  ).map(([a, b]) => ({
    group: kind,
    split,
    name: `${kind} ${index}: ${a + 1} and ${b + 1}`,
    layout,
    scale,
    ...timed(pictures[a]!, pictures[b]!),
  }));
}

async function performReal(set: FrameSet, pairs: [string, string][]): Promise<Row[]> {
  const decoded = new Map<string, Picture>();
  const rows: Row[] = [];
  const get = async (name: string): Promise<Picture> => {
    const picture = decoded.get(name) ?? (await load(readFileSync(join(set.folder, name))));
    decoded.delete(name);
    decoded.set(name, picture);
    if (decoded.size > 3) decoded.delete(decoded.keys().next().value!);
    return picture;
  };
  for (const [a, b] of pairs) {
    const [first, second] = [await get(a), await get(b)];
    rows.push({ group: set.name, split: set.split, name: `${set.name}: ${a} and ${b}`, ...timed(first, second) });
  }
  return rows;
}

function timed(first: Picture, second: Picture): Pick<Row, 'test' | 'ms' | 'cpu_ms'> {
  const started = performance.now();
  const used = process.threadCpuUsage();
  const test = testTwoFrames(first, second);
  const { user, system } = process.threadCpuUsage(used);
  return { test, ms: performance.now() - started, cpu_ms: (user + system) / 1000 };
}

async function load(bytes: Buffer): Promise<Picture> {
  return decodePicture(bytes, await inspect(bytes));
}
