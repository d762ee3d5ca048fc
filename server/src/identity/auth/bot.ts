import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isId } from '@firsthand/contract/base/ids.ts';
import { deleteInBatches, SWEEP_BATCH } from '../../platform/db/batches.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { modesOfAll, type Principal } from '../../platform/http/principal.ts';
import { invalidField } from '../../platform/http/problem.ts';
import { isRecord } from '../../platform/lib/ask-json.ts';
import { equalSecrets, sha256 } from '../../platform/lib/keyring.ts';

/** Maximum difference between a signature's timestamp and now, in either direction. */
const MAX_AGE_MS = 5 * 60_000;
/** Longer than any signature is valid: from five minutes before its timestamp to five minutes after. */
const REMEMBERED_MS = 15 * 60_000;

export interface BotRequest {
  /** Hex. */
  signature: string;
  /** Milliseconds since 1970, as sent. The signature covers these exact characters. */
  timestamp: string;
  raw: Buffer;
  idempotencyKey: string | undefined;
}

/** Reads a bot's signature headers; null when they are absent. */
export function botRequestOf(headers: IncomingHttpHeaders, raw: Buffer): BotRequest | null {
  const [signature, timestamp, key] = ['x-bot-auth', 'x-bot-auth-timestamp', 'idempotency-key'].map(name => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  });
  return signature !== undefined && timestamp !== undefined ? { signature, timestamp, raw, idempotencyKey: key } : null;
}

/**
 * True when the messaging bot signed these bytes: hex HMAC-SHA256 over `<timestamp>.<raw body>` with any accepted secret, at most five
 * minutes old.
 */
export function isSigned({ config, clock }: Pick<Deps, 'config' | 'clock'>, { signature, timestamp, raw }: BotRequest) {
  const age = Math.abs(clock.now().getTime() - Number(timestamp));
  if (!/^\d{1,16}$/.test(timestamp) || !(age <= MAX_AGE_MS)) return false;
  // Tries every secret even after a match, so that timing does not reveal which one matched.
  const matches = config.botSecrets
    .map(secret => createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest('hex'))
    .filter(expected => equalSecrets(expected, signature.toLowerCase()));
  return matches.length > 0;
}

/** Returns the bot as principal for the tenant that the signed body names. Throws `invalid_request` when it names none. */
export async function botFor(deps: Pick<Deps, 'config' | 'db'>, body: unknown): Promise<Principal> {
  const id = isRecord(body) ? body.tenant_id : undefined;
  if (id === undefined) throw invalidField('tenant_id', 'required', 'is required');
  const tenant =
    typeof id === 'string' && isId('tnt', id)
      ? await one<{ rate_limit_per_minute: number | null }>(
          deps.db,
          'select rate_limit_per_minute from tenants where id = $1 and not is_trial',
          [id],
        )
      : undefined;
  if (!tenant) throw invalidField('tenant_id', 'unknown_reference', 'names no tenant');
  return {
    kind: 'bot',
    tenantId: id as string,
    requestsPerMinute: tenant.rate_limit_per_minute,
    ...modesOfAll(deps.config.mode),
  };
}

const digestOf = (request: BotRequest): Buffer => sha256(request.signature.toLowerCase());

/**
 * Marks a signature as used on every node. Returns `first` for its first use and `replay` for the same signed request again. With the same
 * Idempotency-Key both times it returns `retry`: the idempotency layer answers without a second effect.
 */
export async function claimSignature(
  deps: Pick<Deps, 'db' | 'clock'>,
  request: BotRequest,
): Promise<'first' | 'retry' | 'replay'> {
  const digest = digestOf(request);
  const key = request.idempotencyKey === undefined ? null : sha256(request.idempotencyKey);
  const claimed = await one(
    deps.db,
    `insert into bot_signatures (digest, idempotency_key, seen_at) values ($1, $2, $3)
     on conflict (digest) do nothing returning 1 as claimed`,
    [digest, key, deps.clock.now()],
  );
  if (claimed) return 'first';
  const same = await one(deps.db, 'select 1 from bot_signatures where digest = $1 and idempotency_key = $2', [
    digest,
    key,
  ]);
  return same ? 'retry' : 'replay';
}

/** Releases the signature of a request that had no effect, so that the same bytes may be sent again. */
export async function releaseSignature(db: Queryable, request: BotRequest): Promise<void> {
  await db.query('delete from bot_signatures where digest = $1', [digestOf(request)]);
}

/** Deletes records of signatures that have expired and would be rejected anyway. */
export async function forgetSignatures(deps: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - REMEMBERED_MS);
  await deleteInBatches(() =>
    deps.db.query(
      `delete from bot_signatures where ctid = any (array(
         select ctid from bot_signatures where seen_at < $1 order by seen_at limit $2 for update skip locked))`,
      [before, SWEEP_BATCH],
    ),
  );
}
