/**
 * Truncated and damaged files of every kind we read. Runs a subset by default; `npm run test:damaged` truncates at every kilobyte.
 * `DAMAGED_FILES=2/12` runs the third twelfth of that: continuous integration takes another part with each commit.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processorMs } from '../../test/cost.ts';
import { damaged, drawnSpecimens, realSpecimens, type Specimen } from '../../test/damage.ts';
import { readC2pa } from '../ai/c2pa.ts';
import { readDepthMap } from '../depth-maps/read.ts';
import { AnalysisFault, createAnalysisPool } from '../running/pool.ts';
import { ImageFault, type ImageInfo, inspect } from './inspect.ts';
import { readMetadata } from './metadata/read.ts';

const [, part, parts] = /^(\d+)\/(\d+)$/.exec(process.env.DAMAGED_FILES ?? '')?.map(Number) ?? [0, 0, 1];
const all = process.env.DAMAGED_FILES === 'all' || parts! > 1;
/** Whether the n-th of many belongs to the part that this run takes. */
const isOurs = (n: number): boolean => n % parts! === part;
const KB = 1_024;
/** Processor time limit for one file in all parsers: metadata, provenance, depth. */
const PARSE_MS = 2_000;
/** Time limit for the analysis of one file: the service's own. */
const ANALYSE_MS = 60_000;
/** Memory growth limit of the process over the whole run. */
const MEMORY_MB = 1_024;
const MUTATIONS = all ? 240 : 20;
const ANALYSED_MUTATIONS = all ? 25 : 3;

const specimens: Specimen[] = [...(await realSpecimens()), ...(await drawnSpecimens())];
const pool = createAnalysisPool({ threads: 2, timeoutMs: ANALYSE_MS, memoryMb: 256 });
const count = { cuts: 0, analysed: 0, mutations: 0, slowest: 0 };
let rss = 0;
beforeAll(() => {
  rss = process.memoryUsage.rss();
});
afterAll(async () => {
  await pool.close();
  const real = specimens.filter(({ from }) => from !== 'drawn').length;
  const summary = { real, drawn: specimens.length - real, ...count, slowest: `${Math.round(count.slowest)} ms` };
  if (all) console.log(`damaged files: ${JSON.stringify(summary)}`);
});

/** Copies into separate memory, so that a read past the end fails instead of returning neighbouring bytes. */
const separate = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);

/** Runs every parser. None may reject, and the size of their output is bounded. */
async function parse(bytes: Uint8Array): Promise<void> {
  const ms = await processorMs(async () => {
    const metadata = await readMetadata(bytes);
    expect(metadata.fields.length).toBeLessThan(20_000);
    for (const { code } of metadata.faults) expect(code).toMatch(/_unreadable$/);
    const c2pa = await readC2pa(bytes);
    if (c2pa) expect(['trusted', 'valid', 'invalid', 'unreadable']).toContain(c2pa.state);
    const depth = await readDepthMap(bytes);
    if (depth) expect(depth.map.data.length).toBe(depth.map.width * depth.map.height);
  });
  count.slowest = Math.max(count.slowest, ms);
  expect(ms).toBeLessThan(PARSE_MS);
}

/** Returns type and size, or the named fault. */
const inspected = (bytes: Uint8Array): Promise<ImageInfo | ImageFault> =>
  inspect(bytes).catch((cause: unknown) => {
    if (cause instanceof ImageFault) return cause;
    throw cause;
  });

/** Analyses the bytes in a thread. The result must be signals or a named fault of the picture. */
async function analyse(bytes: Uint8Array): Promise<void> {
  count.analysed += 1;
  try {
    const { ai, depth } = await pool.analyze({ bytes, signals: ['ai', 'depth'] });
    expect(['likely_human', 'likely_ai', 'unknown']).toContain(ai?.label);
    expect(Number.isFinite(depth?.confidence)).toBe(true);
  } catch (cause) {
    if (cause instanceof AnalysisFault) throw new Error(`${cause.code}: ${cause.message}`, { cause });
    if (!(cause instanceof ImageFault)) throw cause;
  }
}

/** Returns the lengths to truncate a file to, in whole kilobytes. */
function cuts(length: number, step: number): number[] {
  return Array.from({ length: Math.ceil(length / step) - 1 }, (_, i) => (i + 1) * step).filter((_, i) => isOurs(i));
}
const apart = (length: number, least: number, parts: number): number =>
  all ? least : Math.max(least, Math.ceil(length / parts / KB) * KB);

const minutes = { timeout: 600_000 };

describe.each(specimens)('$kind ($from)', ({ bytes }) => {
  it('truncated anywhere is reported as truncated or whole, and stops no parser', minutes, async () => {
    const whole = await inspected(bytes);
    for (const length of cuts(bytes.length, apart(bytes.length, KB, 24))) {
      const cut = separate(bytes.subarray(0, length));
      const result = await inspected(cut);
      // Cameras append previews and maps after the picture. Truncation there leaves the picture intact.
      if (result instanceof ImageFault && !(whole instanceof ImageFault))
        expect(['truncated', 'undecodable']).toContain(result.code);
      else expect(result).toEqual(whole);
      await parse(cut);
      count.cuts += 1;
    }
  });

  it('truncated anywhere ends in an answer or a named fault', minutes, async () => {
    const step = bytes.length < 1_000_000 ? KB : 16 * KB;
    const lengths = cuts(bytes.length, apart(bytes.length, step, 4));
    const { length } = lengths;
    const halves = [lengths.slice(0, length / 2), lengths.slice(length / 2)];
    await Promise.all(
      halves.map(async half => {
        for (const cut of half) await analyse(separate(bytes.subarray(0, cut)));
      }),
    );
  });

  it(
    'with changed bits, lengths, offsets or pieces stops no parser and ends in an answer or a named fault',
    minutes,
    async () => {
      for (let seed = 0; seed < MUTATIONS; seed++) {
        if (!isOurs(seed)) continue;
        const hurt = separate(damaged(bytes, seed));
        await inspected(hurt);
        await parse(hurt);
        if (seed < ANALYSED_MUTATIONS) await analyse(hurt);
        count.mutations += 1;
      }
    },
  );
});

it('damaged files grow the process by no more than its limit', () => {
  expect((process.memoryUsage.rss() - rss) / 2 ** 20).toBeLessThan(MEMORY_MB);
});
