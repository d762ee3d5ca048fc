import { IDEMPOTENCY_TTL_SECONDS } from '@firsthand/contract/base/limits.ts';
import { deleteInBatches, SWEEP_BATCH } from '../db/batches.ts';
import { one, type Queryable } from '../db/sql.ts';
import { sha256Hex } from '../lib/keyring.ts';
import type { Answer } from './endpoint.ts';
import { Problem, redacted } from './problem.ts';

/** A request that died without an answer keeps its key busy this long. */
const LOCK_SECONDS = 60;

/** The status of an answer that an erasure took away. No endpoint stores this one: problems are not stored. */
const ERASED = 410;

interface KeyRow {
  request_hash: Buffer;
  status: number | null;
  body: string | null;
  busy: boolean;
}

/** A version 4 UUID: 122 random bits, which nobody guesses. */
const RANDOM = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Claims an idempotency key. Resolves to the stored answer of an earlier, equal request, or to null when this request
 * should run. Throws `idempotency_conflict` for the same key with another request, and `idempotency_in_progress` while
 * the first request runs.
 * `shared`: the credential is in many hands, so an equal request may come from somebody else, and the stored answer holds a link. Only
 * a random key proves that the sender is the same; any other use of a used key throws `idempotency_key_used`.
 */
export async function claimKey(
  db: Queryable,
  scope: string,
  key: string,
  requestHash: Buffer,
  now: Date,
  shared = false,
): Promise<Answer | null> {
  const name = sha256Hex(key);
  const lockedUntil = new Date(now.getTime() + LOCK_SECONDS * 1_000);
  const stale = new Date(now.getTime() - IDEMPOTENCY_TTL_SECONDS * 1_000);
  const claimed = await one(
    db,
    `insert into idempotency_keys as k (scope, key, request_hash, created_at, locked_until) values ($1, $2, $3, $4, $5)
     on conflict (scope, key) do update
       set request_hash = excluded.request_hash, created_at = excluded.created_at,
           locked_until = excluded.locked_until, status = null, body = null, verification_id = null
       where k.created_at < $6
          or (k.status is null and k.locked_until < $4 and k.request_hash = excluded.request_hash)
     returning key`,
    [scope, name, requestHash, now, lockedUntil, stale],
  );
  if (claimed) return null;
  const row = await one<KeyRow>(
    db,
    `select request_hash, status, body, status is null as busy from idempotency_keys where scope = $1 and key = $2`,
    [scope, name],
  );
  if (row?.status === ERASED) throw redacted();
  if (row && shared && !(RANDOM.test(key) && row.request_hash.equals(requestHash))) {
    throw new Problem('idempotency_key_used', 'This Idempotency-Key was used before. Send a new random UUID.');
  }
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

/**
 * Stores the answer to replay. `verificationId`: the verification it shows; an erasure takes the answer too.
 * `outdated`: an erasure came first, so the answer is not kept.
 */
export async function storeAnswer(
  db: Queryable,
  scope: string,
  key: string,
  answer: Answer & { verificationId: string | null; outdated?: boolean },
): Promise<void> {
  await db.query(
    `update idempotency_keys set locked_until = null, verification_id = $5, status = $3, body = $4
     where scope = $1 and key = $2`,
    [
      scope,
      sha256Hex(key),
      answer.outdated ? ERASED : answer.status,
      answer.outdated || answer.body === undefined ? null : JSON.stringify(answer.body),
      answer.verificationId,
    ],
  );
}

/** Erases the stored answers that show verifications. A replay is then 410 `redacted`. */
export async function eraseAnswers(tx: Queryable, verificationIds: readonly string[]): Promise<void> {
  await tx.query(
    `update idempotency_keys set status = ${ERASED}, body = null, request_hash = '' where verification_id = any($1)`,
    [verificationIds],
  );
}

/** Frees the key of a failed request, so that the caller can try again. */
export async function releaseKey(db: Queryable, scope: string, key: string): Promise<void> {
  await db.query(`delete from idempotency_keys where scope = $1 and key = $2 and status is null`, [
    scope,
    sha256Hex(key),
  ]);
}

/** Frees the keys of requests that died with an earlier process. Call at a start that knows no other node is alive. */
export async function releaseAllKeys(db: Queryable): Promise<void> {
  await db.query('delete from idempotency_keys where status is null');
}

/** Deletes keys one day after their lifetime ends. */
export async function forgetKeys(db: Queryable, now: Date): Promise<void> {
  const before = new Date(now.getTime() - (IDEMPOTENCY_TTL_SECONDS + 86_400) * 1_000);
  await deleteInBatches(() =>
    db.query(
      `delete from idempotency_keys where ctid = any (array(
         select ctid from idempotency_keys where created_at < $1 order by created_at limit $2 for update skip locked))`,
      [before, SWEEP_BATCH],
    ),
  );
}
