import type { Verdict } from '@firsthand/contract/verification/verification.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { lacksCheck } from '../../verification/verifications/steps.ts';
import type { Sent } from '../webhooks/schedule.ts';
import { createSender } from '../webhooks/send.ts';
import { wordsFor } from './reason.ts';

/** Statuses after which Slack asks not to try again: a malformed message, a channel or webhook that is gone. */
const FINAL = new Set([400, 401, 403, 404, 410]);

interface EventRow {
  public_type: string | null;
  tenant_id: string;
  livemode: boolean;
  verification_id: string;
  external_ref: string | null;
  verdict: Verdict | null;
  redacted_at: Date | null;
}

/** The address of an account's chat; undefined when there is none. */
export async function chatUrlOf(
  { db, keyring }: { db: Queryable } & Pick<Deps, 'keyring'>,
  tenantId: string,
): Promise<string | undefined> {
  const row = await one<{ sealed: string }>(db, 'select sealed from chat_webhooks where tenant_id = $1', [tenantId]);
  return row && keyring.decrypt(row.sealed);
}

/** Posts one message as Slack's incoming webhooks take it, to an address that webhooks may reach. */
export async function postToChat(
  deps: Pick<Deps, 'config'>,
  o: { tenantId: string; url: string; text: string },
): Promise<Sent> {
  const sender = createSender(deps);
  try {
    return await new Promise<Sent>(resolve =>
      sender.send(o.tenantId, o.url, JSON.stringify({ text: o.text }), { 'content-type': 'application/json' }, resolve),
    );
  } finally {
    await sender.close();
  }
}

/** Slack's three control characters, escaped. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replace(/\s+/g, ' ').trim();

/** The page of a verification, in the mode that has it. */
export const dashboardLink = (
  origin: string,
  { verification_id, livemode }: Pick<EventRow, 'verification_id' | 'livemode'>,
): string => `${origin}/dashboard/verifications/${verification_id}?mode=${livemode ? 'live' : 'test'}`;

function textOf(row: EventRow, origin: string): string {
  const { verdict } = row;
  const name = escaped(row.external_ref ?? row.verification_id);
  const outcome =
    row.public_type === 'verification.failed' || !verdict
      ? 'could not be analysed'
      : verdict.label === 'suspicious'
        ? 'is suspicious'
        : 'failed';
  const why = lacksCheck(verdict) ? 'a check is missing' : verdict?.reason_code && wordsFor(verdict.reason_code);
  const reason = why ? `: ${escaped(why)}` : '';
  const test = row.livemode ? '' : '[Test] ';
  return `${test}*${name}* ${outcome}${reason}.\n<${dashboardLink(origin, row)}|Open the verification>`;
}

/** Job: posts to the account's chat that a verification needs a look. An attempt that fails is retried, ever later. */
export async function chatOutcome(
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'keyring' | 'origins'>,
  eventId: string,
): Promise<void> {
  const row = await one<EventRow>(
    deps.db,
    `select e.public_type, e.tenant_id, e.livemode, v.id as verification_id, v.external_ref, v.verdict, v.redacted_at
     from events e join verifications v on v.id = e.verification_id where e.id = $1`,
    [eventId],
  );
  // Skip the message if the verification was redacted after this job was queued.
  if (!row || row.redacted_at) return;
  const url = await chatUrlOf(deps, row.tenant_id);
  if (url === undefined) return;
  const sent = await postToChat(deps, { tenantId: row.tenant_id, url, text: textOf(row, deps.origins.public) });
  if (sent.error === null) return;
  if (sent.error === 'invalid_url' || (sent.statusCode !== null && FINAL.has(sent.statusCode))) {
    deps.log.warn(
      { event: eventId, status: sent.statusCode, error: sent.error },
      'the chat refused a message for good',
    );
    return;
  }
  throw new Error(`the chat did not take a message: ${sent.error} ${sent.statusCode ?? ''}`);
}
