import { randomBytes } from 'node:crypto';
import { one, type Queryable, type Tx } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { newId } from '../lib/ids.ts';
import { sha256 } from '../lib/keyring.ts';

const MINUTE_MS = 60_000;
const LIFE_MS = {
  magic_link: 10 * MINUTE_MS,
  invitation: 7 * 24 * 60 * MINUTE_MS,
  first_run: 24 * 60 * MINUTE_MS,
} as const;
export type Purpose = keyof typeof LIFE_MS;

export interface TokenOptions {
  personId: string;
  purpose: Purpose;
  /** The account that the session opens in; null: the one the person used last. */
  tenantId: string | null;
  proves: boolean;
  /** The e-mail that carries the token. A second try to send it replaces the first token. */
  mailId?: string;
}

/** Makes a link that signs a person in once. The database stores only its digest. Anyone who has the link can sign in. */
export async function mintLink(tx: Queryable, deps: Pick<Deps, 'clock' | 'origins'>, o: TokenOptions): Promise<string> {
  const now = deps.clock.now();
  const token = o.purpose === 'first_run' ? randomBytes(32).toString('base64url') : newId('mlk', now.getTime());
  await tx.query(
    `insert into sign_in_tokens (digest, person_id, tenant_id, purpose, proves, mail_id, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (mail_id) do update set digest = excluded.digest, expires_at = excluded.expires_at`,
    [
      sha256(token),
      o.personId,
      o.tenantId,
      o.purpose,
      o.proves,
      o.mailId ?? null,
      now,
      new Date(now.getTime() + LIFE_MS[o.purpose]),
    ],
  );
  const member = o.purpose === 'first_run' ? 'first' : 'token';
  return `${deps.origins.public}/dashboard/sign-in#${member}=${token}`;
}

export interface UsedToken {
  person_id: string;
  tenant_id: string | null;
  purpose: Purpose;
  proves: boolean;
}

/** Uses up a token. Returns null if it is unknown, used, expired or made for another purpose. */
export async function useToken(
  tx: Tx,
  token: string,
  purposes: readonly Purpose[],
  now: Date,
): Promise<UsedToken | null> {
  const row = await one<UsedToken>(
    tx,
    `update sign_in_tokens set used_at = $2 where digest = $1 and used_at is null and expires_at > $2
       and purpose = any($3) returning person_id, tenant_id, purpose, proves`,
    [sha256(token), now, purposes],
  );
  return row ?? null;
}

/** The person of a known token that is used or expired, so that the failed sign-in can be recorded. */
export const ownerOfDeadToken = async (db: Queryable, token: string): Promise<string | null> =>
  (await one<{ person_id: string }>(db, 'select person_id from sign_in_tokens where digest = $1', [sha256(token)]))
    ?.person_id ?? null;

const MAILS_AN_HOUR = 5;

/** Whether one more link may be mailed to this person. The caller locks the person's row, so that two jobs do not count the same mails. */
export async function mayBeMailed(tx: Tx, personId: string, mailId: string, now: Date): Promise<boolean> {
  await tx.query('select 1 from persons where id = $1 for update', [personId]);
  const row = await one<{ sent: number }>(
    tx,
    `select count(*)::integer as sent from sign_in_tokens
     where person_id = $1 and purpose = 'magic_link' and created_at > $2 and mail_id <> $3`,
    [personId, new Date(now.getTime() - 60 * MINUTE_MS), mailId],
  );
  return (row?.sent ?? 0) < MAILS_AN_HOUR;
}
