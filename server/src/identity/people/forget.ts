import type { Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Deletes sessions, tokens and codes that can no longer sign anyone in. The audit log keeps the events. */
export async function forgetSignIns({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const now = clock.now();
  const yesterday = new Date(now.getTime() - DAY_MS);
  await db.query('delete from provider_flows where expires_at < $1', [now]);
  await db.query('delete from passkey_challenges where expires_at < $1', [now]);
  await db.query('delete from one_time_codes where expires_at < $1', [yesterday]);
  await db.query('delete from sign_in_tokens where expires_at < $1', [yesterday]);
  await db.query('delete from sessions where expires_at < $1', [yesterday]);
  await db.query('delete from sign_in_mails where created_at < $1', [yesterday]);
}

/** Deletes a mail that was sent or has no recipient. */
export async function forgetMail(db: Queryable, id: string): Promise<void> {
  await db.query('delete from sign_in_mails where id = $1', [id]);
}
