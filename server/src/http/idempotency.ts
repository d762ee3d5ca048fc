import { IDEMPOTENCY_TTL_SECONDS } from '@firsthand/contract/limits.ts';
import { one, type Queryable } from '../db/sql.ts';
import type { Answer } from './endpoint.ts';
import { Problem } from './problem.ts';

/** A request that died without an answer keeps its key busy this long. */
const LOCK_SECONDS = 60;

interface KeyRow {
  request_hash: Buffer;
  status: number | null;
  body: string | null;
  busy: boolean;
}

/**
 * Claims an idempotency key. Resolves to the stored answer of an earlier, equal request, or to null when this request
 * should run. Throws `idempotency_conflict` for the same key with another request, and `idempotency_in_progress` while
 * the first request runs.
 */
export async function claimKey(
  db: Queryable,
  scope: string,
  key: string,
  requestHash: Buffer,
  now: Date,
): Promise<Answer | null> {
  const lockedUntil = new Date(now.getTime() + LOCK_SECONDS * 1_000);
  const stale = new Date(now.getTime() - IDEMPOTENCY_TTL_SECONDS * 1_000);
  const claimed = await one(
    db,
    `insert into idempotency_keys as k (scope, key, request_hash, created_at, locked_until) values ($1, $2, $3, $4, $5)
     on conflict (scope, key) do update
       set request_hash = excluded.request_hash, created_at = excluded.created_at,
           locked_until = excluded.locked_until, status = null, body = null
       where k.created_at < $6
          or (k.status is null and k.locked_until < $4 and k.request_hash = excluded.request_hash)
     returning key`,
    [scope, key, requestHash, now, lockedUntil, stale],
  );
  if (claimed) return null;
  const row = await one<KeyRow>(
    db,
    `select request_hash, status, body, status is null as busy from idempotency_keys where scope = $1 and key = $2`,
    [scope, key],
  );
  if (row && !row.request_hash.equals(requestHash)) {
    throw new Problem('idempotency_conflict', 'This Idempotency-Key was already used with a different request.');
  }
  if (!row || row.busy || row.status === null) {
    throw new Problem('idempotency_in_progress', 'The first request with this Idempotency-Key is still running.', {
      retryAfterSeconds: 1,
    });
  }
  return {
    status: row.status,
    body: row.body === null ? undefined : JSON.parse(row.body),
    headers: { 'idempotent-replayed': 'true' },
  };
}

export async function storeAnswer(db: Queryable, scope: string, key: string, answer: Answer): Promise<void> {
  await db.query(
    `update idempotency_keys set status = $3, body = $4, locked_until = null where scope = $1 and key = $2`,
    [scope, key, answer.status, answer.body === undefined ? null : JSON.stringify(answer.body)],
  );
}

/** Frees the key of a failed request, so that the caller can try again. */
export async function releaseKey(db: Queryable, scope: string, key: string): Promise<void> {
  await db.query(`delete from idempotency_keys where scope = $1 and key = $2 and status is null`, [scope, key]);
}

/** Frees the keys of requests that died with an earlier process. Call at a start that knows no other node is alive. */
export async function releaseAllKeys(db: Queryable): Promise<void> {
  await db.query('delete from idempotency_keys where status is null');
}

/** Deletes keys one day after their lifetime ends. */
export async function forgetKeys(db: Queryable, now: Date): Promise<void> {
  const before = new Date(now.getTime() - (IDEMPOTENCY_TTL_SECONDS + 86_400) * 1_000);
  await db.query('delete from idempotency_keys where created_at < $1', [before]);
}
