import type { Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { addJob } from '../../platform/jobs/queue.ts';

/** Mails of one batch or bulk action leave at most this often. */
const MAILS_PER_SECOND = 20;

/** Queues the mail with the link of a verification. `place`: how many mails of this work it is from the first. */
export const queueLinkMail = (
  tx: Tx,
  deps: Pick<Deps, 'clock'>,
  {
    tenantId,
    verificationId,
    orderedAt,
    place,
  }: { tenantId: string; verificationId: string; orderedAt: Date; place: number },
): Promise<void> =>
  addJob(
    tx,
    'mail_capture_link',
    { verification_id: verificationId },
    {
      runAt: new Date(Math.max(orderedAt.getTime() + (place * 1_000) / MAILS_PER_SECOND, deps.clock.now().getTime())),
      queue: `links:${tenantId}`,
      key: `link:${verificationId}`,
      maxAttempts: 10,
    },
  );
