/**
 * Erases expired verifications by `retention_days` while the API is used:
 *
 * node bench/src/retention.ts [--rows 100000] [--rounds 5]
 *
 * Retention is switched on and off in turns of 20 seconds, and the API's p99 compared between them, so that other load
 * affects both. The database holds all rows; pictures and fingerprints lie under as many of the oldest as the rounds may
 * erase. Exits 1 below 1,000 erasures a minute, or above twice the p99 without retention.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rememberPicture } from 'firsthand/inspection/analysis/reverse/store.ts';
import { openDiskStore } from 'firsthand/platform/blobs/disk.ts';
import type { Pool } from 'firsthand/platform/db/sql.ts';
import { normalizeRequest } from 'firsthand/verification/verifications/issue.ts';
import { Agent } from 'undici';
import { plain } from '../../server/test/support/pictures.ts';
import { arrivals, percentile } from './measure.ts';
import { startOwnService } from './own-service.ts';
import { ask } from './receivers.ts';
import { createReport, optionsOf } from './report.ts';

const options = optionsOf({ rows: '100000', rounds: '5' });
const ROWS = Number(options.rows);
const ROUNDS = Number(options.rounds);
const PER_SECOND = 20;
const TURN_SECONDS = 20;
/** More than a laptop erases in a turn, and in the seconds before the sweep is seen to begin. */
const PHOTOS_PER_ROUND = 3_000;
const PHOTOS = Math.min(ROWS, ROUNDS * PHOTOS_PER_ROUND);
const PARALLEL = 8;

const service = await startOwnService();
const { url, dataDir } = service;
const { tenant_id, rk_secret } = service.tenant;
const agent = new Agent({ connections: 16 });
const say = (line: string) => console.error(`${(performance.now() / 1_000).toFixed(0)} s  ${line}`);
try {
  const pool = await service.openPool(PARALLEL);
  await fill(pool, tenant_id);
  await use(rk_secret, 5);
  const [quiet, busy]: [number[], number[]] = [[], []];
  let erased = 0;
  let seconds = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    quiet.push(...(await use(rk_secret, TURN_SECONDS)));
    const before = await finished(pool);
    await retain(30);
    while ((await finished(pool)) === before) await sleep(50);
    const [from, began] = [await finished(pool), performance.now()];
    busy.push(...(await use(rk_secret, TURN_SECONDS)));
    const inTurn = (await finished(pool)) - from;
    erased += inTurn;
    seconds += (performance.now() - began) / 1_000;
    await retain(null);
    await settled(pool);
    say(
      `round ${round} of ${ROUNDS}: ${inTurn} erased, p99 ${p99(quiet)} ms without and ${p99(busy)} ms with retention so far`,
    );
  }
  if ((await finished(pool)) >= PHOTOS) throw new Error(`more than ${PHOTOS} were erased: raise PHOTOS_PER_ROUND`);
  const rate = (60 * erased) / seconds;
  const ratio = percentile(busy, 0.99) / percentile(quiet, 0.99);
  const report = createReport('Retention');
  report.print(`| ${ROWS} expired verifications, one photo each | measured | beside |
|---|---|---|
| erased while the API is used | ${rate.toFixed(0)} a minute | 1,000 asked for |
| ${PER_SECOND} requests a second, p50 | ${percentile(busy, 0.5).toFixed(1)} ms | ${percentile(quiet, 0.5).toFixed(1)} ms without retention, in turns |
| the same, p99 of ${busy.length} | ${p99(busy)} ms | ${p99(quiet)} ms: ${ratio.toFixed(2)} times |`);
  report.write(options.write);
  if (rate < 1_000 || ratio > 2) process.exitCode = 1;
} finally {
  await agent.close();
  await service.close();
}

function p99(samples: readonly number[]): string {
  return percentile(samples, 0.99).toFixed(1);
}

async function retain(retention_days: number | null): Promise<void> {
  await ask(`${url}/v1/settings`, { key: rk_secret, method: 'PATCH', body: { retention_days } }, agent);
}

/** Waits until the batch at hand has ended. */
async function settled(db: Pool): Promise<void> {
  for (let before = -1; ; await sleep(2_000)) {
    const now = await finished(db);
    if (now === before) return;
    before = now;
  }
}

/** Inserts completed verifications of a year ago with webhooks and statements, and the oldest with pictures and fingerprints. */
async function fill(db: Pool, tenantId: string): Promise<void> {
  const { config } = normalizeRequest({ metadata: { claim: 'C-1042' }, expected_object: 'a red bicycle' }, null);
  const { rows } = await db.query<{ id: string }>(
    `insert into verifications (id, tenant_id, livemode, created_at, expires_at, completed_at, closed_at, status, config, captures_count, event_sequence)
     select 'vfy_00' || upper(lpad(to_hex(n), 24, '0')), $1, true, at, at, at, at, 'completed', $2, 1, 3
     from generate_series(1, $3::int) n, lateral (select now() - interval '400 days' + n * interval '1 s' as at) each
     returning id`,
    [tenantId, JSON.stringify(config), ROWS],
  );
  const ids = rows.map(({ id }) => id);
  await db.query(
    `insert into captures (id, verification_id, tenant_id, step_key, source, content_type, size_bytes, width, height, sha256,
       image_blob, preview_blob, created_at, analysis_state, signals, metadata)
     select replace(id, 'vfy_', 'cap_'), id, $2, 'photo', 'live', 'image/jpeg', 1000, 64, 48, encode(sha256(id::bytea), 'hex'),
       'captures/' || id || '/' || replace(id, 'vfy_', 'cap_'), 'previews/' || id || '/' || replace(id, 'vfy_', 'cap_'),
       now(), 'done', '{"screen_detection": {"screen_detected": false, "confidence": 0.9}}', '{"make": "Acme"}'
     from unnest($1::text[]) id`,
    [ids, tenantId],
  );
  await db.query(
    `insert into events (id, tenant_id, livemode, verification_id, type, public_type, sequence, body, created_at)
     select replace(id, 'vfy_', 'evt_') || n, $2, true, id, 'verification.completed', 'verification.completed', n, repeat('x', 2000), now()
     from unnest($1::text[]) id, generate_series(1, 3) n`,
    [ids, tenantId],
  );
  await db.query(
    `insert into evidence_statements (verification_id, seq, type, sealed, commitment, log_id, leaf_index, created_at)
     select id, seq, 'capture', repeat('x', 800), sha256(id::bytea), 1, 2 * n + seq, now()
     from unnest($1::text[]) with ordinality as each (id, n), generate_series(1, 2) seq`,
    [ids],
  );
  say(`${ROWS} rows stand`);
  await storePictures(tenantId, ids.slice(0, PHOTOS));
  await db.query('vacuum analyze');
  say('filled');
}

/** Stores a picture and a preview for each verification, and remembers a fingerprint. */
async function storePictures(tenantId: string, waiting: string[]): Promise<void> {
  const store = await openDiskStore({
    folder: join(dataDir, 'blobs'),
    secrets: [randomBytes(32)],
    origin: () => url,
    now: () => new Date(),
  });
  const photo = await plain();
  // Filling would otherwise wait for the disk eight times for each picture.
  const hurried = await service.openPool(PARALLEL);
  hurried.on('connect', client => void client.query('set synchronous_commit to off'));
  const whole = { left: 0, top: 0, right: 1, bottom: 1 };
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (let id = waiting.pop(); id; id = waiting.pop()) {
        const captureId = id.replace('vfy_', 'cap_');
        for (const kind of ['captures', 'previews']) {
          await store.put(`${kind}/${id}/${captureId}`, photo, { contentType: 'image/jpeg' });
        }
        const hash = new Uint8Array(randomBytes(32));
        await rememberPicture(
          hurried,
          { captureId, verificationId: id, tenantId, livemode: true },
          { hash, quality: 100, entries: [{ hash, region: whole, frame: whole }] },
          new Date(),
        );
        if (waiting.length > 0 && waiting.length % 2_500 === 0) say(`${waiting.length} pictures left to store`);
      }
    }),
  );
}

/** Uses the API as an account does: pages, reads, creations. Returns the milliseconds of each request. */
async function use(key: string, seconds: number): Promise<number[]> {
  const samples: number[] = [];
  let turn = 0;
  const work = async () => {
    turn += 1;
    const [path, body] =
      turn % 4 === 0
        ? ['/v1/verifications?limit=20']
        : turn % 4 === 1
          ? ['/v1/verifications', { max_captures: 1 }]
          : ['/v1/settings'];
    samples.push((await ask(`${url}${path}`, { key, ...(body && { body }) }, agent)).ms);
  };
  await arrivals(work, { perSecond: PER_SECOND, seconds });
  return samples;
}

/** Verifications that are erased and whose pictures are deleted. */
async function finished(db: Pool): Promise<number> {
  const { rows } = await db.query<{ done: string }>(
    'select count(*) as done from erasures where deleted_at is not null',
  );
  return Number(rows[0]!.done);
}
