import { one } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { MailRefused } from '../lib/mail.ts';
import { renderLetter } from './letter.ts';

interface DisabledRow {
  url: string;
  livemode: boolean;
  failing_since: Date | null;
  disabled_at: Date | null;
  notify_email: string | null;
}

/** Job: tells a tenant that an endpoint failed for five days and gets nothing more. */
export async function mailEndpointDisabled(deps: Deps, endpointId: string): Promise<void> {
  const row = await one<DisabledRow>(
    deps.db,
    `select e.url, e.livemode, e.failing_since, e.disabled_at, t.notify_email
     from webhook_endpoints e join tenants t on t.id = e.tenant_id where e.id = $1`,
    [endpointId],
  );
  // It was enabled again meanwhile, or there is nobody to tell.
  if (!deps.mailer || !row?.disabled_at || !row.notify_email) return;
  const { text, html } = renderLetter({
    heading: 'A webhook endpoint is disabled',
    lead:
      'Every attempt to deliver webhooks to it failed for five days. Nothing more is sent to it. What it misses is kept: ' +
      'repair it, enable it, then ask for what it missed.',
    facts: [
      ['Endpoint', withoutCredentials(row.url)],
      ['Id', endpointId],
      ['Mode', row.livemode ? 'live' : 'test'],
      ...(row.failing_since
        ? ([['Failing since', `${row.failing_since.toISOString().slice(0, 16).replace('T', ' ')} UTC`]] as const)
        : []),
      ['Enable', `POST /v1/webhook-endpoints/${endpointId}/enable`],
      ['Recover', 'POST /v1/webhook-deliveries/recover'],
    ],
    link: { text: 'How to enable and recover', url: `${deps.origins.public}/docs#/Webhooks` },
    footer: 'You get this because your address is set for the notifications of this account.',
  });
  try {
    await deps.mailer.send({
      to: row.notify_email,
      id: `${endpointId}-${row.disabled_at.getTime()}`,
      subject: 'A webhook endpoint is disabled',
      text,
      html,
    });
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    deps.log.warn({ err: error, endpoint: endpointId }, 'an e-mail was refused for good and is not sent');
  }
}

/** An address may carry a password and, in its query, a token; mail is no place for either. */
function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return 'an address that is none';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
