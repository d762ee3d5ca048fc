import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import type { WebhookDelivery, WebhookSecret } from '@firsthand/contract/webhooks/webhooks.ts';
import { verifyWebhook } from '@firsthand/sdk/webhooks.ts';
import { describe, expect, it } from 'vitest';
import { rekey } from '../../src/commands/rekey.ts';
import { SEALED } from '../../src/desk/system/sealed.ts';
import { createTenant } from '../../src/identity/tenants/create.ts';
import { transaction } from '../../src/platform/db/sql.ts';
import { createKeyring } from '../../src/platform/lib/keyring.ts';
import { ask, createVerification, startTestService, submit, type TestService, until } from '../support/harness.ts';
import { startOnOwnDatabase } from '../support/own-database.ts';
import { plain } from '../support/pictures.ts';
import { runHere } from '../support/run-here.ts';

const newKey = () => randomBytes(32);

const deliveriesOf = async (service: TestService, key: string) =>
  (await ask<{ data: WebhookDelivery[] }>(service, '/v1/webhook-deliveries', { key })).body.data;

describe('webhook secret that no key decrypts', () => {
  it('stops only its account’s endpoints, is named in the attempt, and can be rotated', async () => {
    const service = await startTestService({ config: { webhookRetrySeconds: Array(50).fill(1) } });
    const receiver = await receiveWebhooks();
    try {
      const victim = await service.newTenant();
      const beside = await service.newTenant();
      const { rows } = await service.deps.db.query<{ sealed: string }>(
        'select sealed from webhook_secrets where tenant_id = $1',
        [victim.tenant_id],
      );
      const seal = (sealed: string) =>
        service.deps.db.query('update webhook_secrets set sealed = $2 where tenant_id = $1 and expires_at is null', [
          victim.tenant_id,
          sealed,
        ]);
      await seal(createKeyring([newKey()]).encrypt(victim.webhook_secret));
      const stuck = await createVerification(service, { webhook_url: `${receiver.url}/victim` }, victim.pk_live);
      const { id } = await createVerification(service, { webhook_url: receiver.url }, beside.pk_live);
      await until(async () => receiver.received.find(({ event }) => 'id' in event.data && event.data.id === id), 'it');
      const failed = await until(
        async () => (await deliveriesOf(service, victim.rk_secret)).find(({ attempts }) => attempts.length > 0),
        'an attempt',
      );
      expect(failed).toMatchObject({ status: 'pending', attempts: [{ error: 'no_secret' }] });
      expect((await ask(service, '/v1/webhook-secret', { key: victim.rk_secret })).status).toBe(500);

      // The operator brings the key back: what waited is delivered.
      await seal(rows[0]!.sealed);
      const late = await until(
        async () => receiver.received.find(({ event }) => 'id' in event.data && event.data.id === stuck.id),
        'the delivery that waited',
      );
      await verifyWebhook(late.raw, late.headers, victim.webhook_secret);

      await seal(createKeyring([newKey()]).encrypt(victim.webhook_secret));
      const rotated = await ask<WebhookSecret>(service, '/v1/webhook-secret/rotate', {
        key: victim.rk_secret,
        method: 'POST',
      });
      expect([rotated.status, rotated.body.previous]).toEqual([200, undefined]);
      const after = await createVerification(service, { webhook_url: receiver.url }, victim.pk_live);
      const signed = await until(
        async () => receiver.received.find(({ event }) => 'id' in event.data && event.data.id === after.id),
        'a webhook under the new secret',
      );
      await verifyWebhook(signed.raw, signed.headers, rotated.body.secret);
    } finally {
      await receiver.close();
      await service.stop();
    }
  });
});

describe('firsthand rekey', () => {
  it('re-encrypts every row under the first key while the service runs, in batches, and does nothing the second time', async () => {
    const [old, current] = [newKey(), newKey()];
    const service = await startTestService({ config: { encryptionKeys: [old] } });
    const next = await startTestService({ beside: service, config: { encryptionKeys: [current, old] } });
    const receiver = await receiveWebhooks();
    try {
      for (let n = 0; n < 230; n += 1)
        await transaction(service.deps.db, tx => createTenant(tx, service.deps, `T${n}`));
      const made = await createVerification(next, { webhook_url: receiver.url });
      const [first] = await Promise.all([
        rekey(next.deps),
        ...Array.from({ length: 5 }, () =>
          ask(next, '/v1/webhook-secret/rotate', { key: next.tenant.rk_secret, method: 'POST' }),
        ),
      ]);
      expect(first!.unreadable).toEqual([]);
      expect(first!.rewritten).toBeGreaterThanOrEqual(231);
      expect(await rekey(next.deps)).toEqual({ rewritten: 0, unreadable: [] });

      // The old key is not needed any more.
      const alone = createKeyring([current]);
      const { rows } = await service.deps.db.query<{ sealed: string }>('select sealed from webhook_secrets');
      expect(rows.every(({ sealed }) => alone.decrypt(sealed).startsWith('whsec_'))).toBe(true);
      await until(
        async () => receiver.received.find(({ event }) => 'id' in event.data && event.data.id === made.id),
        'a webhook',
      );
    } finally {
      await receiver.close();
      await next.stop();
      await service.stop();
    }
  });

  it('names the rows that no key decrypts and rewrites the others', async () => {
    const [old, current] = [newKey(), newKey()];
    const service = await startTestService({ worker: false, config: { encryptionKeys: [old] } });
    try {
      const lost = await service.newTenant();
      await service.deps.db.query('update webhook_secrets set sealed = $2 where tenant_id = $1', [
        lost.tenant_id,
        createKeyring([newKey()]).encrypt('whsec_x'),
      ]);
      const { rows } = await service.deps.db.query<{ id: string }>(
        'select id from webhook_secrets where tenant_id = $1',
        [lost.tenant_id],
      );
      const report = await rekey({ ...service.deps, keyring: createKeyring([current, old]) });
      // The other account's secret, the two keys of the log, and the key of the Content Credentials.
      expect(report).toEqual({ rewritten: 4, unreadable: [`webhook_secrets ${rows[0]!.id}`] });
    } finally {
      await service.stop();
    }
  });

  it('covers every column of the schema with encrypted text', async () => {
    const service = await startTestService({ worker: false });
    try {
      const { rows } = await service.deps.db.query<{ place: string }>(
        `select table_name || '.' || column_name as place from information_schema.columns
         where table_schema = 'public' and column_name like '%sealed%' order by 1`,
      );
      expect(SEALED.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(rows.map(row => row.place));
    } finally {
      await service.stop();
    }
  });
});

describe('presigned link to the disk store', () => {
  it('works after its key was rotated to second place, and stops when the key is removed', async () => {
    const [old, current] = [newKey(), newKey()];
    const service = await startTestService({ worker: false, config: { encryptionKeys: [old] } });
    const nodes: TestService[] = [];
    const node = async (encryptionKeys: Buffer[]) => {
      const made = await startTestService({ beside: service, worker: false, config: { encryptionKeys } });
      nodes.push(made);
      return made;
    };
    try {
      const { id } = await createVerification(service);
      await submit(service, id, await plain());
      const { body } = await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
      const { pathname, search } = new URL(body.captures![0]!.image_url!);
      const open = async ({ url }: TestService) => (await fetch(`${url}${pathname}${search}`)).status;
      const upload = await ask<{ upload_url: string; headers: Record<string, string> }>(
        service,
        `/v1/verifications/${(await createVerification(service)).id}/captures/upload-url`,
        { body: { contentType: 'image/jpeg' } },
      );
      const rotated = await node([current, old]);
      await rekey(rotated.deps);
      const forgotten = await node([current]);
      expect([await open(service), await open(rotated), await open(forgotten)]).toEqual([200, 200, 403]);
      const put = new URL(upload.body.upload_url);
      const answer = await fetch(`${rotated.url}${put.pathname}${put.search}`, {
        method: 'PUT',
        headers: upload.body.headers,
        body: new Uint8Array(await plain()),
      });
      expect(answer.status).toBe(200);
    } finally {
      for (const made of nodes) await made.stop();
      await service.stop();
    }
  });
});

describe('a start whose keys do not open what is stored', () => {
  const base64 = (...keys: Buffer[]) => keys.map(key => key.toString('base64')).join(',');
  const finding = async (env: Record<string, string>) => {
    const { code, out } = await runHere(['doctor', '--json'], env);
    const { findings } = JSON.parse(out) as { findings: { part: string; state: string; what: string }[] };
    return { code, ...findings.find(({ part }) => part === 'encryption_keys')! };
  };

  it('names the tables and does not serve, and neither creates a tenant; doctor counts the rows', async () => {
    const [right, wrong] = [newKey(), newKey()];
    const service = await startTestService({ worker: false, config: { encryptionKeys: [right] } });
    try {
      await service.newTenant();
      await submit(service, (await createVerification(service)).id, await plain());
      const start = (encryptionKeys: Buffer[]) =>
        startTestService({ beside: service, worker: false, config: { encryptionKeys } });
      const refusal =
        /^ENCRYPTION_KEYS cannot open what is stored \(evidence_keys 2, credential_keys 1, webhook_secrets 2, evidence_statements \d/;
      await expect(start([wrong])).rejects.toThrow(refusal);
      const { databaseUrl, dataDir } = service.deps.config;
      const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl!, ENCRYPTION_KEYS: base64(wrong) };
      const created = await runHere(['create-tenant', 'Third'], env);
      expect([created.code, created.out]).toEqual([null, '']);
      expect(created.err).toMatch(refusal);
      expect(await finding(env)).toMatchObject({
        code: 1,
        state: 'wrong',
        what: expect.stringMatching(/evidence_keys 2, credential_keys 1, webhook_secrets 2, evidence_statements \d+$/),
      });
      expect(await finding({ ...env, ENCRYPTION_KEYS: base64(wrong, right) })).toMatchObject({ state: 'ok' });
      await (await start([wrong, right])).stop();

      // The key is lost for good: the service makes itself new keys, and the accounts rotate their secrets.
      for (const command of ['rotate-evidence-key', 'rotate-credential-key']) {
        expect((await runHere([command], env)).code).toBe(0);
      }
      const again = await startTestService({
        beside: service,
        worker: false,
        config: { encryptionKeys: [wrong] },
        expects: [/no key of ENCRYPTION_KEYS opens some/],
      });
      try {
        expect(again.logged.join('')).toContain('"unopened":{"webhook_secrets":2,"evidence_statements":');
      } finally {
        await again.stop();
      }
    } finally {
      await service.stop();
    }
  });

  it('does not fall back to the key of the data folder that was rotated away', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'fh-keys-'));
    const current = newKey();
    try {
      const first = await startOnOwnDatabase(dataDir);
      const old = first.deps.keyring;
      await first.stop();
      const text = (await readFile(join(dataDir, 'encryption.key'), 'utf8')).trim();
      const second = await startOnOwnDatabase(dataDir, { ENCRYPTION_KEYS: `${base64(current)},${text}` });
      // One secret under the new key is enough: the old one is no longer the key of this installation.
      await ask(second, '/v1/webhook-secret/rotate', { key: second.tenant.rk_secret, method: 'POST' });
      await second.stop();
      await expect(startOnOwnDatabase(dataDir)).rejects.toThrow(
        `ENCRYPTION_KEYS is not set, and ${dataDir}/encryption.key does not open what is stored (webhook_secrets 1`,
      );
      const third = await startOnOwnDatabase(dataDir, { ENCRYPTION_KEYS: `${base64(current)},${text}` });
      expect(third.deps.keyring.prefixes).toEqual([expect.anything(), old.prefixes[0]]);
      await third.stop();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
