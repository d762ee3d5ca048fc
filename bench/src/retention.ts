// Erases expired verifications by retention_days while the API is used: node bench/src/retention.ts [--rows N]. Compares
// the API's p99 with the one measured just before. Exits 1 below 1,000 erasures a minute, or above twice the quiet p99.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rememberPicture } from 'firsthand/analysis/reverse/store.ts';
import { openDiskStore } from 'firsthand/blobs/disk.ts';
import type { Pool } from 'firsthand/db/sql.ts';
import { normalizeRequest } from 'firsthand/verifications/issue.ts';
import { Agent, request } from 'undici';
import { plain } from '../../server/test/pictures.ts';
import { arrivals, percentile } from './measure.ts';
import { startOwnService } from './own-service.ts';

const { values: options } = parseArgs({ options: { rows: { type: 'string', default: '100000' } } });
const ROWS = Number(options.rows);
const PER_SECOND = 20;
const QUIET_SECONDS = 20;
const PARALLEL = 8;

const service = await startOwnService();
const { url, dataDir } = service;
const { tenant_id, rk_secret } = service.tenant;
const agent = new Agent({ connections: 16 });
try {
  const pool = await service.openPool(PARALLEL);
  await fill(pool, tenant_id);
  await use(rk_secret, 5);
  const quiet = percentile(await use(rk_secret, QUIET_SECONDS), 0.99);

  const began = performance.now();
  await call(rk_secret, 'PATCH', '/v1/settings', { retention_days: 30 });
  const samples: number[] = [];
  let left = ROWS;
  while (left > 0) {
    samples.push(...(await use(rk_secret, 2)));
    left = await unfinished(pool);
  }
  const minutes = (performance.now() - began) / 60_000;
  const busy = percentile(samples, 0.99);
  const rate = ROWS / minutes;
  console.log(`${ROWS} expired verifications, one photo each, erased in ${(minutes * 60).toFixed(0)} s: ${rate.toFixed(0)} a minute
p99 of ${PER_SECOND} requests a second: ${quiet.toFixed(1)} ms before, ${busy.toFixed(1)} ms meanwhile (×${(busy / quiet).toFixed(2)}; p50 ${percentile(samples, 0.5).toFixed(1)} ms)`);
  if (rate < 1_000 || busy > 2 * quiet) process.exitCode = 1;
} finally {
  await agent.close();
  await service.close();
}

/** Inserts completed verifications of a year ago with a photo, a preview, a fingerprint, webhooks and statements each. */
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
  const captureOf = (id: string) => id.replace('vfy_', 'cap_');
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
  const store = await openDiskStore({
    folder: join(dataDir, 'blobs'),
    secrets: [randomBytes(32)],
    origin: () => url,
    now: () => new Date(),
  });
  const photo = await plain();
  const waiting = [...ids];
  const whole = { left: 0, top: 0, right: 1, bottom: 1 };
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (let id = waiting.pop(); id; id = waiting.pop()) {
        const captureId = captureOf(id);
        for (const kind of ['captures', 'previews']) {
          await store.put(`${kind}/${id}/${captureId}`, photo, { contentType: 'image/jpeg' });
        }
        const hash = new Uint8Array(randomBytes(32));
        await rememberPicture(
          db,
          { captureId, verificationId: id, tenantId, livemode: true },
          { hash, quality: 100, entries: [{ hash, region: whole, frame: whole }] },
          new Date(),
        );
      }
    }),
  );
  await db.query('vacuum analyze');
}

async function call(key: string, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<void> {
  const answer = await request(`${url}${path}`, {
    method,
    dispatcher: agent,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  await answer.body.dump();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path} was answered ${answer.statusCode}`);
}

/** Uses the API as an account does: pages, reads, creations. Returns the milliseconds of each request. */
async function use(key: string, seconds: number): Promise<number[]> {
  const samples: number[] = [];
  let turn = 0;
  const work = async () => {
    turn += 1;
    const start = performance.now();
    if (turn % 4 === 0) await call(key, 'GET', '/v1/verifications?limit=20');
    else if (turn % 4 === 1) await call(key, 'POST', '/v1/verifications', { max_captures: 1 });
    else await call(key, 'GET', '/v1/settings');
    samples.push(performance.now() - start);
  };
  await arrivals(work, { perSecond: PER_SECOND, seconds });
  return samples;
}

/** Verifications that are not erased, or whose pictures are not deleted. */
async function unfinished(db: Pool): Promise<number> {
  const { rows } = await db.query<{ left: string }>(
    'select $1::bigint - count(*) as left from erasures where deleted_at is not null',
    [ROWS],
  );
  return Number(rows[0]!.left);
}
