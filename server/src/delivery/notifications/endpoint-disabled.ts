import { one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { mailLetter } from './letter.ts';

interface DisabledRow {
  url: string;
  livemode: boolean;
  failing_since: Date | null;
  disabled_at: Date | null;
  notify_email: string | null;
}

/** Job: e-mails a tenant that an endpoint failed for five days and was disabled. */
export async function mailEndpointDisabled(
  deps: Pick<Deps, 'log' | 'db' | 'origins' | 'mailer'>,
  endpointId: string,
): Promise<void> {
  const row = await one<DisabledRow>(
    deps.db,
    `select e.url, e.livemode, e.failing_since, e.disabled_at, t.notify_email
     from webhook_endpoints e join tenants t on t.id = e.tenant_id where e.id = $1`,
    [endpointId],
  );
  // Skip the e-mail if the endpoint was enabled again after this job was queued, or if the tenant has no address.
  if (!deps.mailer || !row?.disabled_at || !row.notify_email) return;
  await mailLetter(deps, deps.mailer, {
    to: row.notify_email,
    id: `${endpointId}-${row.disabled_at.getTime()}`,
    about: { endpoint: endpointId },
    letter: {
      subject: 'We disabled a webhook endpoint',
      heading: 'We disabled a webhook endpoint',
      lead:
        'Every webhook to this endpoint failed for five days, so we stopped sending. We keep the events it misses. Fix the ' +
        'endpoint, enable it, then recover the missed events.',
      facts: [
        ['Endpoint', withoutCredentials(row.url)],
        ['Id', endpointId],
        ['Mode', row.livemode ? 'live' : 'test'],
        ...(row.failing_since
          ? ([['Failing since', `${row.failing_since.toISOString().slice(0, 16).replace('T', ' ')} UTC`]] as const)
          : []),
        ['Enable', `POST /v1/webhook-endpoints/${endpointId}/enable`],
        ['Recover events', 'POST /v1/webhook-deliveries/recover'],
      ],
      link: { text: 'Read how to enable and recover', url: `${deps.origins.public}/docs/webhooks#delivery` },
      footer: 'You get this e-mail because this account sends its notifications to your address.',
    },
  });
}

/** Drops the password and the query: either may hold a secret, and e-mail is not encrypted. */
function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return 'not a valid URL';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
