/**
 * Measures the evidence log and the check of a bundle beside limits of the same run:
 *
 * node bench/src/evidence.ts [--only log|captures|bundle|check] [--entries 20000] [--large 10000000] [--write FILE]
 *
 * Sequencing is compared with deleting the same pending rows in the same batches without building a tree; the check of a bundle of
 * 100 MB with `sha256sum` over it; captures and the download of a bundle in `evidence-service.ts`. The large log has equal leaves, so that its tiles can be written at once.
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { inclusionRanges, leafHash, rangeHash, rootOf, verifyInclusion } from '@firsthand/evidence/merkle.ts';
import { vkeyOf } from '@firsthand/evidence/note.ts';
import { foldTile, TILE_WIDTH } from '@firsthand/evidence/tiles.ts';
import { verifyBundle } from '@firsthand/evidence/verify.ts';
import { migrate } from 'firsthand/platform/db/migrate.ts';
import type { Pool } from 'firsthand/platform/db/sql.ts';
import { createLog } from 'firsthand/platform/lib/log.ts';
import { sequence } from 'firsthand/record/evidence/sequencer.ts';
import { loadNodes } from 'firsthand/record/evidence/tiles.ts';
import { makeBundle, resign, zip } from '../../evidence/test/build.ts';
import { benchBundle, benchCaptures, type Row } from './evidence-service.ts';
import { milliseconds, sideBySide } from './measure.ts';
import { withOwnNodes } from './own-nodes.ts';
import { createReport, optionsOf } from './report.ts';

const values = optionsOf({ only: undefined, entries: '20000', large: '10000000' });
const [entries, large] = [Number(values.entries), BigInt(values.large)];
const BATCH = 2_000;
const BUNDLE_BYTES = 100_000_000;
let db: Pool;
const rows: Row[] = [];
const ms = (time: number): string => `${Math.round(time)} ms`;
const wanted = (part: 'log' | 'captures' | 'bundle' | 'check') => (values.only ?? part) === part;

const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'));
if (wanted('log')) await benchLog();
if (wanted('captures')) rows.push(...(await benchCaptures()));
if (wanted('bundle')) rows.push(...(await benchBundle()));
if (wanted('check')) await benchCheck();
await rm(folder, { recursive: true, force: true });
const report = createReport('Evidence');
report.print('| what | measured | beside |\n|---|---|---|');
for (const row of rows) report.print(`| ${row.join(' | ')} |`);
report.write(values.write);

async function benchLog(): Promise<void> {
  await withOwnNodes({}, async ({ pool }) => {
    db = pool;
    await migrate(db, createLog('warn'));
    await benchSequencer();
    await benchProof();
  });
}

async function benchSequencer(): Promise<void> {
  await db.query(`insert into evidence_logs (id, origin, created_at) values (1, 'bench.example/log', now())`);
  const pend = () =>
    db.query(
      `insert into evidence_pending (verification_id, seq, commitment)
       select 'bench', at, sha256(at::text::bytea) from generate_series(1, $1::int) as at`,
      [entries],
    );
  const seconds = async (step: () => Promise<number>): Promise<number> => {
    await pend();
    const start = performance.now();
    while ((await step()) > 0);
    return (performance.now() - start) / 1_000;
  };
  const sequenced = await seconds(() => sequence({ db }));
  const bare = await seconds(async () => {
    const taken = await db.query(
      'delete from evidence_pending where id in (select id from evidence_pending order by id limit $1) returning *',
      [BATCH],
    );
    return taken.rowCount ?? 0;
  });
  rows.push([
    'entries sequenced',
    `${Math.round(entries / sequenced)} per second`,
    `${Math.round(entries / bare)} rows per second taken without a tree`,
  ]);
}

async function benchProof(): Promise<void> {
  await db.query(`insert into evidence_logs (id, origin, created_at) values (2, 'large.example/log', now())`);
  const hash = leafHash(randomBytes(33));
  for (let [level, count, node] = [0, large, hash]; count > 0n; level += 1) {
    const tile = Buffer.concat(Array.from({ length: TILE_WIDTH }, () => node));
    const full = count / BigInt(TILE_WIDTH);
    const rest = Number(count % BigInt(TILE_WIDTH));
    await db.query(
      `insert into evidence_tiles (log_id, level, index, bytes)
       select 2, $1, at, case when at < $2::bigint then $3::bytea else $4::bytea end
       from generate_series(0, $5::bigint) as at`,
      [level, full, tile, tile.subarray(0, rest * 32), rest > 0 ? full : full - 1n],
    );
    [count, node] = [full, foldTile(tile)];
  }
  const root = rootOf(large, await loadNodes(db, 2, [[0n, large]]));
  let at = 0n;
  const prove = async () => {
    at = (at * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % large;
    const ranges = inclusionRanges(at, large);
    const hashOf = await loadNodes(db, 2, ranges);
    const proof = ranges.map(range => rangeHash(range, hashOf));
    if (!verifyInclusion({ leaf: hash, index: at, size: large, proof, root })) throw new Error('the proof is wrong');
  };
  rows.push([
    `a proof in a log of ${large} entries, made and checked, p50`,
    `${(await milliseconds(prove, 200)).toFixed(1)} ms`,
    `${(await milliseconds(() => db.query('select 1'), 200)).toFixed(1)} ms for an empty query`,
  ]);
}

async function benchCheck(): Promise<void> {
  const made = makeBundle();
  made.files.set('previews/cap_A.jpg', randomBytes(BUNDLE_BYTES));
  resign(made);
  const file = join(folder, 'bundle.zip');
  await writeFile(file, zip(made.files));
  const check = async () => {
    const report = await verifyBundle(createReadStream(file, { highWaterMark: 1_048_576 }), {
      trusted: [made.log, made.bundle],
      createHash: () => createHash('sha256'),
      crc32: (bytes, before) => crc32(bytes, before),
    });
    if (report.exit_code !== 0) throw new Error('the bundle does not hold');
  };
  const run =
    (command: string, ...args: string[]) =>
    async () => {
      const { status, stderr } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
    };
  const main = join(import.meta.dirname, '../../server/src/main.ts');
  const trust = [made.log, made.bundle].flatMap(key => ['--trust', vkeyOf(key)]);
  const timed = (work: () => Promise<void>) => async () => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const hashing = timed(run('sha256sum', file));
  const checked = await sideBySide(5, timed(check), hashing);
  rows.push(['check of a bundle of 100 MB', ms(checked.measured), `${ms(checked.limit)} for sha256sum`]);
  const command = await sideBySide(5, timed(run(process.execPath, main, 'verify-evidence', file, ...trust)), hashing);
  rows.push([
    'the same as a command, with its start',
    ms(command.measured),
    `${ms(command.limit)} for sha256sum: ${(command.measured / command.limit).toFixed(2)} times`,
  ]);
}
