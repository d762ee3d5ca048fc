import type { Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';

/** Erases the addresses that links of these verifications wait to be sent to. */
export async function eraseMessages(tx: Queryable, verificationIds: readonly string[]): Promise<void> {
  await tx.query('delete from link_messages where verification_id = any($1)', [verificationIds]);
}

/** Sweep: forgets messages that will not be sent, because their verification has ended. */
export async function forgetMessages({ db }: Pick<Deps, 'db'>): Promise<void> {
  await db.query(
    `delete from link_messages m using verifications v
     where v.id = m.verification_id and v.status in ('completed', 'expired', 'failed')`,
  );
}
