import { one, type Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound, redacted } from '../../platform/http/problem.ts';
import { sendAgain } from './deliveries.ts';

/**
 * Sends the newest event of a verification again, to every URL that it went to. Throws `not_found` where none of its events went
 * anywhere.
 */
export async function resendNewest(tx: Tx, deps: Pick<Deps, 'clock'>, verificationId: string): Promise<void> {
  const event = await one<{ id: string; erased: boolean }>(
    tx,
    `select e.id, e.body is null as erased from events e
     where e.verification_id = $1 and exists (select from webhook_deliveries d where d.event_id = e.id)
     order by e.id desc limit 1 for key share`,
    [verificationId],
  );
  if (!event) throw notFound();
  if (event.erased) throw redacted();
  await sendAgain(tx, 'd.event_id = $2', [event.id], deps.clock.now());
}
