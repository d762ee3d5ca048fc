import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { one, type Queryable } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { modesOfAll, type Principal } from '../http/principal.ts';
import { equalSecrets, sha256 } from '../lib/keyring.ts';

/** How far a signature's timestamp may lie from now, either way. */
const MAX_AGE_MS = 5 * 60_000;
/** Longer than any signature can stay young enough: from five minutes ahead to five behind. */
const REMEMBERED_MS = 15 * 60_000;

export interface BotRequest {
  /** Hex. */
  signature: string;
  /** Milliseconds of the epoch, as sent: the signature covers these very characters. */
  timestamp: string;
  raw: Buffer;
  idempotencyKey: string | undefined;
}

/** The parts of a bot's request; null without the bot's headers. */
export function botRequestOf(headers: IncomingHttpHeaders, raw: Buffer): BotRequest | null {
  const [signature, timestamp, key] = ['x-bot-auth', 'x-bot-auth-timestamp', 'idempotency-key'].map(name => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  });
  return signature !== undefined && timestamp !== undefined ? { signature, timestamp, raw, idempotencyKey: key } : null;
}

/**
 * The messaging bot: hex HMAC-SHA256 over `<timestamp>.<raw body>`, at most five minutes old, under any of the accepted
 * secrets. The tenant travels in the body. Null when anything does not hold.
 */
export async function fromBot(deps: Deps, { signature, timestamp, raw }: BotRequest): Promise<Principal | null> {
  const age = Math.abs(deps.clock.now().getTime() - Number(timestamp));
  if (!/^\d{1,16}$/.test(timestamp) || !(age <= MAX_AGE_MS)) return null;
  // Each secret is tried, whichever fits: the time taken says nothing of which one did.
  const matches = deps.config.botSecrets
    .map(secret => createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest('hex'))
    .filter(expected => equalSecrets(expected, signature.toLowerCase()));
  const tenantId = matches.length > 0 ? tenantOf(raw) : null;
  if (tenantId === null) return null;
  const tenant = await one<{ rate_limit_per_minute: number | null }>(
    deps.db,
    'select rate_limit_per_minute from tenants where id = $1 and not is_trial',
    [tenantId],
  );
  if (!tenant) return null;
  return {
    kind: 'bot',
    tenantId,
    requestsPerMinute: tenant.rate_limit_per_minute,
    ...modesOfAll(deps.config.mode),
  };
}

const digestOf = (request: BotRequest): Buffer => sha256(request.signature.toLowerCase());

/**
 * Uses a signature up, on every node: `first` the first time. The same signed request again is a `replay`, unless it
 * came with an Idempotency-Key and comes with the same one: that is a `retry`, it has its own answer and no second effect.
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

/** Gives a signature back whose request came to nothing, so that the same bytes may be sent again. */
export async function releaseSignature(db: Queryable, request: BotRequest): Promise<void> {
  await db.query('delete from bot_signatures where digest = $1', [digestOf(request)]);
}

/** Removes the signatures that are too old to be taken again. */
export async function forgetSignatures(deps: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - REMEMBERED_MS);
  await deps.db.query('delete from bot_signatures where seen_at < $1', [before]);
}

function tenantOf(raw: Buffer): string | null {
  try {
    const body: unknown = JSON.parse(raw.toString('utf8'));
    const id = (body as { tenant_id?: unknown } | null)?.tenant_id;
    return typeof id === 'string' && !id.includes('\0') ? id : null;
  } catch {
    return null;
  }
}
