import { createPublicKey, verify } from 'node:crypto';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import type { AuditEntry } from '@firsthand/contract/account/management.ts';
import type { RedactionReceipt } from '@firsthand/contract/evidence/erasure.ts';
import type { EvidenceKeys } from '@firsthand/contract/evidence/evidence.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { canonicalBytes } from '@firsthand/evidence/json.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepRetention } from '../../../src/custody/erasure/retention.ts';
import { fileFingerprints } from '../../../src/inspection/analysis/reverse/filing.ts';
import { openStatements } from '../../../src/record/evidence/statements.ts';
import { signedIn } from '../../identity/people/visitor.ts';
import { completedVerification } from '../../support/completed.ts';
import { codeOf, type Failure } from '../../support/failure.ts';
import { ask, createVerification, submit, until, untilStatus } from '../../support/harness.ts';
import { firstHand, plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const HOUR_MS = 3_600_000;
let ahead = 0;
const service = serviceOfSuite({ now: () => new Date(Date.now() + ahead), env: { BACKUP_DAYS: '30' } });
let hooks: WebhookReceiver;
beforeAll(async () => {
  hooks = await receiveWebhooks();
});
afterAll(() => hooks?.close());

const at = (id: string, rest = '') => `/v1/verifications/${id}${rest}`;
const key = () => service.tenant.rk_secret;
const redact = (id: string, body: object = {}, headers = {}) =>
  ask<RedactionReceipt & Failure>(service, at(id, '/redact'), { key: key(), body, headers });
const read = async (id: string) => (await ask<Verification>(service, at(id), { key: key() })).body;
const auditOf = async (id: string) =>
  (await ask<{ data: AuditEntry[] }>(service, '/v1/audit-log?limit=100', { key: key() })).body.data.filter(
    ({ target }) => target === id,
  );

const completed = async (more: object = {}, photo?: Uint8Array): Promise<string> =>
  (await completedVerification(service, { request: { metadata: { claim: 'C-77' }, ...more }, photo })).id;

describe('POST /v1/verifications/:id/redact', () => {
  it('gives a receipt that the key for bundles signs, and the same one again', async () => {
    const id = await completed();
    const stated = await openStatements(service.deps.db, service.deps, id);
    const sha256 = (await read(id)).captures[0]!.sha256;
    const { status, body, text } = await redact(id, { reason: 'asked for' });
    expect(status, text).toBe(200);
    expect(body).toMatchObject({
      verification_id: id,
      reason: 'asked for',
      kept: { image_sha256: [sha256], verdict_label: 'verified' },
      not_recalled: 'bundles already downloaded',
      backups_until: new Date(Date.parse(body.redacted_at) + 30 * 24 * HOUR_MS).toISOString(),
    });
    expect(body.leaves.map(({ seq }) => seq)).toEqual(stated.map(({ seq }) => seq));
    const { signature, ...signed } = body;
    const { keys } = (await ask<EvidenceKeys>(service, '/v1/evidence-keys')).body;
    const { kty, crv, x, role } = keys.find(({ kid }) => kid === body.key_id)!;
    expect(role).toBe('bundle');
    const publicKey = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
    expect(verify(null, canonicalBytes(signed), publicKey, Buffer.from(signature, 'base64'))).toBe(true);
    expect(verify(null, canonicalBytes({ ...signed, reason: 'x' }), publicKey, Buffer.from(signature, 'base64'))).toBe(
      false,
    );
    expect((await redact(id, { reason: 'another' })).body).toEqual(body);
    expect((await ask(service, at(id, '/redaction'), { key: key() })).body).toEqual(body);
    expect((await auditOf(id)).map(({ action }) => action)).toEqual(['verification.redacted']);
    const [last] = (await openStatements(service.deps.db, service.deps, id)).map(({ seq, statement }) => [
      seq,
      statement.type,
    ]);
    expect(last).toEqual([stated.length + 1, 'redaction']);
  });

  it('names the places in the log though the entries had none a moment before', async () => {
    const { id } = await createVerification(service, { max_captures: 2 });
    await submit(service, id, await plain());
    const { body } = await redact(id);
    expect(body.leaves).toMatchObject([{ seq: 1, index: expect.any(Number) }]);
    const { rows } = await service.deps.db.query(
      'select 1 from evidence_pending where verification_id = $1 and seq = 1',
      [id],
    );
    expect(rows).toEqual([]);
  });

  it('cancels an open verification first and tells its webhook of both without what was erased', async () => {
    const { id } = await createVerification(service, {
      max_captures: 2,
      webhook_url: hooks.url,
      metadata: { claim: 'C-78' },
    });
    await submit(service, id, await plain({ colour: '#456' }));
    const { status } = await redact(id);
    expect(status).toBe(200);
    expect(await read(id)).toMatchObject({
      status: 'expired',
      captures: [],
      captures_count: 1,
      redacted_at: expect.any(String),
    });
    await until(
      async () => hooks.of(id).some(({ event }) => event.type === 'verification.redacted'),
      'the webhook verification.redacted',
    );
    const after = hooks.of(id).filter(({ event }) => event.data.redacted_at || event.type === 'verification.expired');
    expect(after.map(({ event }) => event.type).sort()).toEqual(['verification.expired', 'verification.redacted']);
    for (const { raw } of after) expect(raw).not.toContain('C-78');
    const erased = await ask<{ data: { id: string; event_id: string; type: string }[] }>(
      service,
      `/v1/webhook-deliveries?verification_id=${id}`,
      { key: key() },
    );
    const created = erased.body.data.find(({ type }) => type === 'verification.created')!;
    for (const path of [`/v1/webhook-deliveries/${created.id}/retry`, `/v1/events/${created.event_id}/resend`]) {
      expect(codeOf(await ask(service, path, { key: key(), method: 'POST' }))).toEqual([410, 'redacted']);
    }
  });

  it('ends every door of the link, the bundle and the replay of stored answers with 410 redacted', async () => {
    const headers = { 'idempotency-key': 'first-of-these' };
    const body = { max_captures: 2, steps: undefined };
    const made = await ask<Verification>(service, '/v1/verifications', { key: key(), body, headers });
    const { id } = made.body;
    await submit(service, id, await plain());
    expect((await redact(id)).status).toBe(200);
    const picture = (await plain()).toString('base64');
    const doors: [string, Parameters<typeof ask>[2]][] = [
      [`/v1/verify/${id}`, {}],
      [at(id, '/captures/upload-url'), { body: { contentType: 'image/jpeg' } }],
      [at(id, '/captures'), { body: { image_base64: picture } }],
      [
        at(id, '/progress'),
        { body: { schema_version: 1, step: 'landing', elapsed_ms: 1, updated_at: new Date().toISOString() } },
      ],
      [at(id, '/evidence'), { key: key() }],
      [at(id, '/finalize'), { key: key(), body: { narrative: 'too late' } }],
      ['/v1/verifications', { key: key(), body, headers }],
      ['/v1/verifications', { key: key(), body: { max_captures: 3 }, headers }],
      [at(id, '/legal-hold'), { key: key(), method: 'PUT', body: { reason: 'too late' } }],
    ];
    for (const [path, o] of doors) {
      expect([path, ...codeOf(await ask(service, path, o))]).toEqual([path, 410, 'redacted']);
    }
    expect((await ask(service, at(id, '/public'))).body).not.toHaveProperty('redacted_at');
  });

  it('replays its own receipt under an Idempotency-Key', async () => {
    const id = await completed();
    const headers = { 'idempotency-key': 'redact-once' };
    const first = await redact(id, {}, headers);
    const again = await redact(id, {}, headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('finds no picture that comes while it erases', async () => {
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () => (await createVerification(service, { max_captures: 3 })).id),
    );
    const photo = await plain({ width: 900, height: 700 });
    await Promise.all(
      ids.flatMap(id => [
        submit(service, id, photo),
        submit(service, id, photo),
        redact(id),
        submit(service, id, photo),
      ]),
    );
    // Analyses that were running put their pictures back, and take them away again.
    await until(
      async () => {
        for (const id of ids) {
          for (const kind of ['captures', 'previews', 'motion', 'evidence']) {
            for await (const _key of service.deps.blobs.list(`${kind}/${id}/`)) return false;
          }
        }
        return true;
      },
      'the store to be empty',
      30_000,
    );
    const { rows } = await service.deps.db.query('select id from captures where verification_id = any($1)', [ids]);
    expect(rows).toEqual([]);
    const left = await service.deps.db.query('select id from reverse_pictures where verification_id = any($1)', [ids]);
    expect(left.rows).toEqual([]);
  });

  it('takes fingerprints out of the packed index', async () => {
    const count = async () =>
      (
        await service.deps.db.query<{ sum: string }>(
          'select coalesce(sum(octet_length(records)), 0) as sum from reverse_slots',
        )
      ).rows[0]!.sum;
    const before = await count();
    const id = await completed({ signals_required: ['ai', 'reverse'] }, await firstHand(1));
    const scopes = await service.deps.db.query<{ id: string }>('select id from reverse_scopes');
    for (const scope of scopes.rows) await fileFingerprints(service.deps, Number(scope.id));
    const during = await count();
    await redact(id);
    expect(Number(during)).toBeGreaterThan(Number(before));
    expect(await count()).toBe(before);
  });
});

describe('a legal hold', () => {
  it('keeps a verification from redaction and retention until it is lifted, and the audit log says so', async () => {
    const id = await completed();
    const hold = (method: string, body?: object) =>
      ask<Failure>(service, at(id, '/legal-hold'), { key: key(), method, ...(body ? { body } : {}) });
    expect((await hold('PUT', { reason: 'case 7 O 112/26' })).status).toBe(200);
    expect((await hold('GET')).body).toMatchObject({ verification_id: id, reason: 'case 7 O 112/26' });
    expect(codeOf(await redact(id))).toEqual([409, 'on_hold']);
    await ask(service, '/v1/settings', { key: key(), method: 'PATCH', body: { retention_days: 1 } });
    const other = await completed();
    ahead += 26 * HOUR_MS;
    await sweepRetention(service.deps, new AbortController().signal);
    expect((await read(other)).redacted_at).toBeDefined();
    expect((await read(id)).redacted_at).toBeUndefined();
    expect((await hold('DELETE', { reason: 'closed' })).status).toBe(204);
    expect((await hold('DELETE')).status).toBe(204);
    expect((await hold('GET')).status).toBe(404);
    await sweepRetention(service.deps, new AbortController().signal);
    expect((await read(id)).redacted_at).toBeDefined();
    expect((await auditOf(id)).map(({ action, detail }) => [action, detail])).toEqual([
      ['legal_hold.lifted', { reason: 'closed' }],
      ['legal_hold.placed', { reason: 'case 7 O 112/26' }],
    ]);
    const receipt = await ask<RedactionReceipt>(service, at(id, '/redaction'), { key: key() });
    expect(receipt.body.reason).toBe('retention');
    await ask(service, '/v1/settings', { key: key(), method: 'PATCH', body: { retention_days: null } });
  }, 120_000);

  it('is for owners who have just signed in to redact, and for owners to place', async () => {
    const id = await completed();
    const member = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'member', livemode: false });
    const owner = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'owner', livemode: false });
    const headers = { 'sec-fetch-site': 'same-origin' };
    expect((await member.ask(at(id, '/redact'), { body: {}, headers })).status).toBe(403);
    ahead += 16 * 60_000;
    const late = await owner.ask(at(id, '/redact'), { body: {}, headers });
    expect(codeOf(late)).toEqual([403, 'reauthentication_required']);
  });
});

describe('retention_days', () => {
  it('of a link template counts in place of the account’s', async () => {
    const body = { name: 'short', request: { max_captures: 1 }, retention_days: 2 };
    const { body: template } = await ask<{ id: string; url: string; retention_days: number }>(
      service,
      '/v1/link-templates',
      { key: key(), body },
    );
    expect(template.retention_days).toBe(2);
    const opened = await ask(service, new URL(template.url).pathname, { method: 'POST', redirect: 'manual' });
    const id = opened.headers.get('location')!.split('/').at(-1)!;
    await submit(service, id, await plain());
    await untilStatus(service, id, ['completed'], key());
    ahead += 47 * HOUR_MS;
    await sweepRetention(service.deps, new AbortController().signal);
    expect((await read(id)).redacted_at).toBeUndefined();
    ahead += 2 * HOUR_MS;
    await until(async () => (await read(id)).redacted_at, 'the sweep of the template’s retention', 45_000);
  }, 90_000);
});

describe('GET /v1/people-data', () => {
  const zipOf = async (query: string) => {
    const answer = await fetch(`${service.url}/v1/people-data?${query}`, {
      headers: { authorization: `Bearer ${key()}` },
    });
    return { status: answer.status, text: Buffer.from(await answer.arrayBuffer()).toString('latin1') };
  };

  it('gives a zip of all that is kept about one person and of nobody else', async () => {
    const of = (email: string, ref: string) => ({
      expected_info: {
        subject: { asset_ref: `asset of ${ref}`, person: { email, external_ref: ref, phone_e164: '+4915700000001' } },
      },
    });
    const own = await completed(of('Ada@mail.example', 'R-1'));
    const other = await completed(of('bob@mail.example', 'R-2'));
    for (const query of ['email=ada%40mail.example', 'external_ref=R-1']) {
      const { status, text } = await zipOf(query);
      expect(status).toBe(200);
      for (const name of ['verification.json', 'webhook-events.json', 'statements.json', 'captures/']) {
        expect(text).toContain(`${own}/${name}`);
      }
      expect(text).toContain('asset of R-1');
      expect(text).not.toContain(other);
    }
    expect((await zipOf('phone_e164=%2B4915700000001')).text).toContain(`${other}/verification.json`);
    expect((await zipOf('email=nobody%40mail.example')).text).toContain('"verifications": []');
    expect((await zipOf('')).status).toBe(400);
    expect((await zipOf('email=a%40b.example&external_ref=R-1')).status).toBe(400);
    await redact(own);
    expect((await zipOf('external_ref=R-1')).text).toContain('"verifications": []');
    const entries = await ask<{ data: AuditEntry[] }>(service, '/v1/audit-log?limit=100', { key: key() });
    const exported = entries.body.data.filter(({ action }) => action === 'people_data.exported');
    expect(exported.length).toBeGreaterThan(3);
    expect(JSON.stringify(exported.map(({ detail }) => detail))).not.toMatch(/ada|R-1|\+49/i);
    expect(service.logged.join('\n')).not.toMatch(/ada%40|ada@/i);
  });
});
