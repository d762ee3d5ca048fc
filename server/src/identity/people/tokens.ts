import { randomBytes } from 'node:crypto';
import { comparableEmail } from '@firsthand/contract/base/email-address.ts';
import { one, type Queryable, type Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { newId } from '../../platform/lib/ids.ts';
import { sha256 } from '../../platform/lib/keyring.ts';
import { type Opening, openedBy } from './openings.ts';

const MINUTE_MS = 60_000;
const LIFE_MS = {
  magic_link: 10 * MINUTE_MS,
  invitation: 7 * 24 * 60 * MINUTE_MS,
  first_run: 24 * 60 * MINUTE_MS,
} as const;
export type Purpose = keyof typeof LIFE_MS;

export interface TokenOptions {
  purpose: Purpose;
  /** The person whose account the session begins in; null: the account used last. */
  personId: string | null;
  /** The address that the link is mailed to. Whoever opens it has proved the address. */
  email?: string;
  /** The e-mail that carries the token. A second try to send it replaces the first token. */
  mailId?: string;
}

/** Makes a link that signs a person in once. The database stores only its digest. Anyone who has the link can sign in. */
export async function mintLink(tx: Queryable, deps: Pick<Deps, 'clock' | 'origins'>, o: TokenOptions): Promise<string> {
  const now = deps.clock.now();
  const token = o.purpose === 'first_run' ? randomBytes(32).toString('base64url') : newId('mlk', now.getTime());
  await tx.query(
    `insert into sign_in_tokens (digest, person_id, email, purpose, mail_id, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (mail_id) do update set digest = excluded.digest, expires_at = excluded.expires_at`,
    [
      sha256(token),
      o.personId,
      o.email === undefined ? null : comparableEmail(o.email),
      o.purpose,
      o.mailId ?? null,
      now,
      new Date(now.getTime() + LIFE_MS[o.purpose]),
    ],
  );
  const member = o.purpose === 'first_run' ? 'first' : 'token';
  return `${deps.origins.public}/dashboard/sign-in#${member}=${token}`;
}

export interface Token {
  person_id: string | null;
  email: string | null;
  purpose: Purpose;
}

const COLUMNS = 'person_id, email, purpose';

/** Uses up a token. Returns null if it is unknown, used, expired or made for another purpose. */
export async function useToken(tx: Tx, token: string, purposes: readonly Purpose[], now: Date): Promise<Token | null> {
  const row = await one<Token>(
    tx,
    `update sign_in_tokens set used_at = $2 where digest = $1 and used_at is null and expires_at > $2
       and purpose = any($3) returning ${COLUMNS}`,
    [sha256(token), now, purposes],
  );
  return row ?? null;
}

/** A known token, used, expired or neither, so that a failed sign-in can be recorded. */
export const findToken = (db: Queryable, token: string) =>
  one<Token>(db, `select ${COLUMNS} from sign_in_tokens where digest = $1`, [sha256(token)]);

/** The persons that a token opens: by its address, or its one person by the word of the account or of the operator. */
export async function openedByToken(db: Queryable, token: Token): Promise<Opening[]> {
  if (token.email !== null) return openedBy(db, { email: token.email });
  return [{ personId: token.person_id!, proof: token.purpose === 'first_run' ? 'operator' : 'link' }];
}

const MAILS_AN_HOUR = 5;

/** Whether one more link may be mailed to this address. Locks its persons, so that two jobs do not count the same mails. */
export async function mayBeMailed(tx: Tx, email: string, mailId: string, now: Date): Promise<boolean> {
  await tx.query('select 1 from persons where email = $1 order by id for update', [comparableEmail(email)]);
  const row = await one<{ sent: number }>(
    tx,
    `select count(*)::integer as sent from sign_in_tokens
     where email = $1 and purpose = 'magic_link' and created_at > $2 and mail_id <> $3`,
    [comparableEmail(email), new Date(now.getTime() - 60 * MINUTE_MS), mailId],
  );
  return (row?.sent ?? 0) < MAILS_AN_HOUR;
}
