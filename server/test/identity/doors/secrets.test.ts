import { randomBytes } from 'node:crypto';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUlid } from '../../../src/platform/lib/ids.ts';
import { ask, createVerification, submit, until } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { refusingInserts } from '../../support/refusing.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { BOT_SECRET, FORMER_BOT_SECRET, signed } from './bot.ts';

const METRICS_TOKEN = 'metrics-token-of-this-test-0001';
const SESSION_SECRET = 'session-secret-of-this-test-0001';

/** A secret as it might have been written down: as it is, and in the forms that bytes take in text. */
const spellings = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), encodeURIComponent(secret)];
};

describe('secrets', () => {
  const service = serviceOfSuite({
    env: {
      BOT_SECRETS: `${BOT_SECRET},${FORMER_BOT_SECRET}`,
      SESSION_SECRETS: SESSION_SECRET,
      METRICS_TOKEN,
      LOG_LEVEL: 'trace',
    },
    config: { webhookRetrySeconds: [1, 1] },
  });
  let receiver: WebhookReceiver;
  const secrets = new Map<string, string>();
  const answers: string[] = [];
  beforeAll(async () => {
    receiver = await receiveWebhooks(response => void response.writeHead(500).end());
  });
  afterAll(() => receiver?.close());

  /** Any request; keeps what was answered, unless it is the one answer that shows the secret. */
  async function send(path: string, o: Parameters<typeof ask>[2] = {}, keep = true) {
    const reply = await ask(service, path, o);
    if (keep) answers.push(reply.text);
    return reply;
  }

  /** Everything that is done with a secret, rightly and wrongly. */
  async function live() {
    const { tenant } = service;
    const other = await service.newTenant();
    for (const [name, value] of Object.entries({
      ...tenant,
      ...Object.fromEntries(Object.entries(other).map(([k, v]) => [`other ${k}`, v])),
    })) {
      if (!name.endsWith('tenant_id') && name !== 'dashboard_url') secrets.set(name, value);
    }
    secrets.set('bot secret', BOT_SECRET).set('former bot secret', FORMER_BOT_SECRET);
    secrets.set('metrics token', METRICS_TOKEN).set('session secret', SESSION_SECRET);
    secrets.set('encryption key', service.deps.config.encryptionKeys![0]!.toString('base64'));

    for (const headers of [{}, { 'idempotency-key': 'mint' }] as Record<string, string>[]) {
      const body = { name: 'minted', mode: 'live' };
      const minted = await send('/v1/api-keys', { key: tenant.rk_secret, body, headers }, false);
      const { key, id } = minted.body as { key: string; id: string };
      secrets.set(`minted ${id}`, key);
      await send('/v1/verifications', { key });
      if ('idempotency-key' in headers) await send('/v1/api-keys', { key: tenant.rk_secret, body, headers });
      await send(`/v1/api-keys/${id}`, { key: tenant.rk_secret });
      await send(`/v1/api-keys/${id}`, { key: tenant.rk_secret, method: 'DELETE' });
      await send('/v1/verifications', { key });
    }
    await send('/v1/api-keys', { key: tenant.rk_secret });
    await send('/v1/audit-log', { key: tenant.rk_secret });

    // Wrong in every way: what is refused must not be written down either.
    const guesses = [
      `pk_live_${newUlid()}`,
      `rk_secret_${randomBytes(32).toString('base64url')}`,
      'hunter2-hunter2-hunter2',
    ];
    for (const [index, guess] of guesses.entries()) {
      secrets.set(`guess ${index}`, guess);
      await send('/v1/verifications', { key: guess, body: {} });
      await send('/v1/settings', { key: guess });
      await send('/v1/verifications', { headers: { authorization: guess } });
    }
    await send('/v1/settings', { key: tenant.pk_live });
    await send('/v1/verifications', { key: tenant.pk_test, body: { max_captures: 'many' } });
    await send('/v1/api-keys?cursor=wrong', { key: tenant.rk_secret });

    const raw = JSON.stringify({ tenant_id: tenant.tenant_id });
    const headers = signed(raw);
    secrets.set('bot signature', headers['x-bot-auth']!);
    for (let times = 0; times < 2; times += 1) {
      await send('/v1/verifications', { headers, body: JSON.parse(raw) });
    }
    // A failure inside: its log line tells of the statement, never of what it was given.
    await refusingInserts(service, 'api_keys', () =>
      send('/v1/api-keys', { key: tenant.rk_secret, body: { name: 'refused', mode: 'live' } }),
    );

    const verification = await createVerification(service, { webhook_url: receiver.url });
    await submit(service, verification.id, await plain());
    await until(async () => receiver.received.length >= 3, 'signed webhooks that fail');
    secrets.set('webhook signature', String(receiver.received[0]!.headers['webhook-signature']).slice(3));
    await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    await fetch(`${service.url}/metrics`, { headers: { authorization: 'Bearer hunter2-hunter2-hunter2' } });
  }

  /** Every row of every table of every schema, as text. */
  async function dump(): Promise<string> {
    const { rows } = await service.deps.db.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    expect(rows.length).toBeGreaterThan(15);
    const parts = await Promise.all(
      rows.map(async ({ name }) => {
        const found = await service.deps.db.query<{ row: string }>(`select t::text as row from ${name} t`);
        return `${name}\n${found.rows.map(({ row }) => row).join('\n')}`;
      }),
    );
    return parts.join('\n');
  }

  it('appear in no log line, error, metric or row', async () => {
    await live();
    const metrics = await (
      await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
    ).text();
    const places = {
      log: service.logged.join(''),
      answers: answers.join('\n'),
      metrics,
      database: await dump(),
    };
    expect(metrics).toContain('firsthand_http_request_seconds');
    expect(places.log).toContain('answered');
    expect(places.database).toContain('api_keys');
    expect(secrets.size).toBeGreaterThan(18);
    const found: string[] = [];
    for (const [place, text] of Object.entries(places)) {
      for (const [name, secret] of secrets) {
        for (const spelling of spellings(secret)) if (text.includes(spelling)) found.push(`${name} in ${place}`);
      }
    }
    expect(found).toEqual([]);
    // The search finds what is there: hashes and sealed secrets are, in the same dump.
    expect(places.database).toContain(service.tenant.tenant_id);
    // A verification's id opens its capture flow: no line about a request names one.
    const requests = service.logged.filter(line => line.includes('"answered"')).join('');
    expect(requests).not.toMatch(/vfy_[0-9A-Z]{26}/);
  });
});
