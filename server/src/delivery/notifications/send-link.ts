import { comparableEmail } from '@firsthand/contract/base/email-address.ts';
import { required } from '@firsthand/contract/base/fault.ts';
import { type Language, languageOf } from '@firsthand/contract/base/languages.ts';
import { SendLink, SentLink, sendLinkFaults } from '@firsthand/contract/verification/send-link.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { missingWays } from '../../identity/people/sign-in/ways.ts';
import { type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { tenantEndpoint } from '../../platform/http/endpoint.ts';
import { invalid, notConfigured, verificationClosed } from '../../platform/http/problem.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { newId } from '../../platform/lib/ids.ts';
import { lockKept, readKept } from '../../verification/verifications/advance.ts';
import { isTerminal, type VerificationRow } from '../../verification/verifications/row.ts';

/** Tries to send one message, over three and a half hours. */
const MAX_ATTEMPTS = 10;
const REMINDER_LEAD_MS = 2 * 60 * 60_000;

export const sendVerificationLink = tenantEndpoint({
  operationId: 'sendVerificationLink',
  summary: 'Send the capture link to the person',
  description:
    'By e-mail or text message, in the language of `locale`. At most 10 messages of one verification in 24 hours, and 5 to one ' +
    'address or number in an hour. Sending again replaces a reminder that waits. The address is deleted as soon as the message has left.',
  tag: 'Verifications',
  credentials: ['session', 'secret'],
  role: 'member',
  target: 'id',
  body: SendLink,
  faults: sendLinkFaults,
  responses: { 202: SentLink },
  errors: ['verification_closed', 'redacted', 'not_configured'],
  async handler(call) {
    const { deps, params, body } = call;
    const { by } = body;
    const found = await readKept(deps, params.id!);
    if (isTerminal(found.status)) throw verificationClosed();
    const missing = missingFor(deps, by);
    if (missing !== undefined) throw notConfigured(missing);
    const person = found.private.person;
    const to = body.to ?? (by === 'email' ? person?.email : person?.phone_e164);
    if (to === undefined) {
      throw invalid([
        required('to', `is required: expected_info.subject.person has no ${by === 'email' ? by : 'phone_e164'}`),
      ]);
    }
    await call.limitMessages(found.id, comparableEmail(to));
    const locale = languageOf(body.locale ?? 'en') ?? 'en';
    return transaction(deps.db, async tx => {
      const row = await lockKept(tx, deps, found.id);
      if (isTerminal(row.status)) throw verificationClosed();
      const remindAt = await queueMessages(tx, deps, row, {
        channel: by,
        address: to,
        locale,
        remind: body.remind ?? false,
      });
      // The address is personal data, and nothing erases the audit log.
      const detail = { by, locale, remind: remindAt !== null };
      await audit(tx, activityOf(call), { action: 'verification.link_sent', target: row.id, detail });
      const sent: SentLink = { by, locale, ...(remindAt ? { remind_at: remindAt.toISOString() } : {}) };
      const answer = { status: 202, body: sent };
      await call.keepAnswer(tx, answer);
      return answer;
    });
  },
});

/** Says which settings sending in this way needs, if any are missing. */
const missingFor = (deps: Pick<Deps, 'config' | 'origins'>, by: SendLink['by']): string | undefined =>
  missingWays(deps)[by === 'email' ? 'magic_link' : 'one_time_code'] &&
  (by === 'email'
    ? 'To send links by e-mail, set SMTP_URL and MAIL_FROM.'
    : 'To send links by text message, set BOT_URL and BOT_SECRETS.');

interface Addressed {
  channel: SendLink['by'];
  address: string;
  locale: Language;
}

/** Queues the message, and the reminder in place of one that waits. Returns when the reminder is due. */
async function queueMessages(
  tx: Tx,
  deps: Pick<Deps, 'clock'>,
  row: VerificationRow,
  { remind, ...to }: Addressed & { remind: boolean },
): Promise<Date | null> {
  const now = deps.clock.now();
  await tx.query(`delete from link_messages where verification_id = $1 and kind = 'reminder'`, [row.id]);
  await queue(tx, row, { ...to, kind: 'link', now });
  if (!remind) return null;
  const left = row.expires_at.getTime() - now.getTime();
  const runAt = new Date(row.expires_at.getTime() - Math.min(REMINDER_LEAD_MS, left / 2));
  await queue(tx, row, { ...to, kind: 'reminder', now, runAt });
  return runAt;
}

async function queue(
  tx: Tx,
  { id }: Pick<VerificationRow, 'id'>,
  {
    kind,
    channel,
    address,
    locale,
    now,
    runAt = now,
  }: Addressed & { kind: 'link' | 'reminder'; now: Date; runAt?: Date },
): Promise<void> {
  const messageId = newId('msg', now.getTime());
  await tx.query(
    `insert into link_messages (id, verification_id, kind, channel, address, locale, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [messageId, id, kind, channel, address, locale, now],
  );
  await addJob(tx, 'send_link', { verification_id: id, message_id: messageId }, { runAt, maxAttempts: MAX_ATTEMPTS });
}
