import type { ApiKey, AuditEntry, Brand, Settings } from '@firsthand/contract/account/management.ts';
import { contrast } from '@firsthand/contract/base/color.ts';
import type { EndUserView, PublicView, Verification } from '@firsthand/contract/verification/verification.ts';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { setLimit } from '../../../src/identity/tenants/settings.ts';
import { transaction } from '../../../src/platform/db/sql.ts';
import { codeOf, pathsOf } from '../../support/failure.ts';
import { ask, createVerification, type TestService } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { refusingInserts } from '../../support/refusing.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { signInAsOwner } from '../people/visitor.ts';

type NewKey = ApiKey & { key?: string };
interface Page<T> {
  data: T[];
  next_cursor?: string;
}

describe('tenant management', () => {
  const service = serviceOfSuite({ worker: false, reviewSample: true });
  const beside = serviceOfSuite(() => ({ worker: false, beside: service }));

  const manage = <T>(method: string, path: string, body?: object, headers = {}) =>
    ask<T>(service, path, { method, key: service.tenant.rk_secret, headers, ...(body ? { body } : {}) });
  const lastEntry = async () => (await manage<Page<AuditEntry>>('GET', '/v1/audit-log?limit=1')).body.data[0]!;

  describe('keys', () => {
    it('are shown once, work at once on every node, and are refused on every node after revocation', async () => {
      const minted = await manage<NewKey>('POST', '/v1/api-keys', { name: 'shop', mode: 'test' });
      expect(minted.status).toBe(201);
      const { id, key, prefix } = minted.body;
      expect(key).toMatch(/^pk_test_[0-9A-HJKMNP-TV-Z]{26}$/);
      expect(key!.startsWith(prefix)).toBe(true);
      const works = async (node: TestService) => (await ask(node, '/v1/verifications', { key: key! })).status;
      expect([await works(service), await works(beside)]).toEqual([200, 200]);

      const read = await manage<NewKey>('GET', `/v1/api-keys/${id}`);
      expect(read.body).toMatchObject({ id, name: 'shop', livemode: false, prefix });
      expect(read.body.last_used_at).toBeDefined();
      expect(read.text).not.toContain(key!);
      expect((await manage('GET', '/v1/api-keys')).text).not.toContain(key!);

      expect((await manage('DELETE', `/v1/api-keys/${id}`)).status).toBe(204);
      expect([await works(beside), await works(service)]).toEqual([401, 401]);
      expect((await manage('DELETE', `/v1/api-keys/${id}`)).status).toBe(404);
      expect((await manage('GET', `/v1/api-keys/${id}`)).status).toBe(404);
      expect(await lastEntry()).toMatchObject({ action: 'api_key.revoked', target: id, actor: { kind: 'secret' } });
    });

    it('of the secret kind are made only by an owner who signed in just now, shown once and audited', async () => {
      const owner = await signInAsOwner(service);
      const body = { name: 'SIEM', mode: 'secret' };
      const minted = await owner.ask<NewKey>('/v1/api-keys', { body });
      expect([minted.status, minted.body.kind, minted.body.livemode]).toEqual([201, 'secret', undefined]);
      const { id, key } = minted.body;
      expect(key).toMatch(/^rk_secret_[\w-]{43}$/);
      expect((await ask(service, '/v1/audit-log', { key: key! })).status).toBe(200);
      expect(await lastEntry()).toMatchObject({ action: 'api_key.created', target: id, actor: { kind: 'session' } });
      for (const path of ['/v1/api-keys', `/v1/api-keys/${id}`, '/v1/audit-log']) {
        expect([path, (await manage('GET', path)).text.includes(key!)]).toEqual([path, false]);
      }
      // A leaked secret key makes no other one.
      expect(pathsOf(await manage('POST', '/v1/api-keys', body))).toEqual(['mode']);
      const scoped = { ...body, scopes: ['create'], template_id: `tpl_${'0'.repeat(26)}` };
      expect(pathsOf(await owner.ask('/v1/api-keys', { body: scoped }))).toContain('scopes');
      await service.deps.db.query(`update sessions set created_at = now() - interval '16 minutes'`);
      expect(codeOf(await owner.ask('/v1/api-keys', { body }))).toEqual([403, 'reauthentication_required']);
    });

    it('are created once per Idempotency-Key; the replay names the key without showing it', async () => {
      const send = () =>
        manage<NewKey>('POST', '/v1/api-keys', { name: 'once', mode: 'live' }, { 'idempotency-key': 'mint-1' });
      const [first, again] = [await send(), await send()];
      expect(first.body.key).toBeDefined();
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      const { key: _shownOnce, ...rest } = first.body;
      expect([again.status, again.body]).toEqual([201, rest]);
      const { body } = await manage<Page<ApiKey>>('GET', '/v1/api-keys?limit=100');
      expect(body.data.filter(key => key.name === 'once')).toHaveLength(1);
    });

    it('are listed page by page, each once', async () => {
      for (let i = 0; i < 5; i += 1) await manage('POST', '/v1/api-keys', { name: `page ${i}`, mode: 'test' });
      const all = (await manage<Page<ApiKey>>('GET', '/v1/api-keys?limit=100')).body.data.map(key => key.id);
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await manage<Page<ApiKey>>('GET', `/v1/api-keys?limit=2${cursor}`);
        seen.push(...body.data.map(key => key.id));
        if (!body.next_cursor) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(seen).toEqual(all);
      expect(pathsOf(await manage('GET', '/v1/api-keys?cursor=Zm9yZ2Vk'))).toEqual(['cursor']);
    });

    it('are refused with every fault named', async () => {
      expect(pathsOf(await manage('POST', '/v1/api-keys', { mode: 'any', more: 1 }))?.toSorted()).toEqual([
        'mode',
        'more',
        'name',
      ]);
    });
  });

  describe('settings', () => {
    it('change one by one, hold for later verifications, and say who changed them', async () => {
      const before = await createVerification(service);
      const patched = await manage<Settings>('PATCH', '/v1/settings', { notify_email: 'claims@acme.example' });
      expect([patched.status, patched.body]).toEqual([
        200,
        {
          name: 'First tenant',
          notify_email: 'claims@acme.example',
          retention_days: null,
          rate_limit_per_minute: 100_000,
          link_channels: [],
          review_policy: 'one',
          review_sample: 0.02,
          depth_policy: 'lenient',
          signals_required: null,
          allowed_origins: [],
          public_verdict: 'always',
        },
      ]);
      expect((await manage('GET', '/v1/settings')).body).toEqual(patched.body);
      const after = await createVerification(service);
      expect([before.config.notify_email, after.config.notify_email]).toEqual([undefined, 'claims@acme.example']);
      const entry = await lastEntry();
      expect(entry).toMatchObject({ action: 'settings.updated', detail: { notify_email: 'set' } });
      expect(entry.request_id).toBe(patched.headers.get('request-id'));
      await manage('PATCH', '/v1/settings', { notify_email: null });
      expect((await createVerification(service)).config.notify_email).toBeUndefined();
    });

    it('are refused when read-only, unknown or out of bounds, and nothing changes', async () => {
      const before = (await manage('GET', '/v1/settings')).body;
      const bad: [object, string][] = [
        [{ rate_limit_per_minute: 1 }, 'rate_limit_per_minute'],
        [{ name: ' ' }, 'name'],
        [{ name: null }, 'name'],
        [{ retention_days: 0 }, 'retention_days'],
        [{ notify_email: 'nobody' }, 'notify_email'],
        [{ colour: 'red' }, 'colour'],
        [{}, 'body'],
      ];
      for (const [body, path] of bad) {
        const reply = await manage('PATCH', '/v1/settings', body);
        expect([reply.status, pathsOf(reply)]).toEqual([400, [path]]);
      }
      expect((await manage('GET', '/v1/settings')).body).toEqual(before);
    });

    it('a tenant’s limit takes effect at once on every node', async () => {
      const tenant = await service.newTenant();
      const set = (limit: number | null) =>
        transaction(service.deps.db, tx =>
          setLimit(tx, { tenantId: tenant.tenant_id, actor: { kind: 'command_line' }, at: new Date() }, limit),
        );
      const limit = async (node: TestService) =>
        (await ask(node, '/v1/verifications', { key: tenant.pk_live })).headers.get('ratelimit-limit');
      expect(await set(7)).toBe(true);
      expect([await limit(service), await limit(beside)]).toEqual(['7', '7']);
      expect(await set(null)).toBe(true);
      expect(await limit(beside)).toBe('100000');
    });
  });

  describe('brands', () => {
    const SECRET_NOTE = 'taken at home, 12 Elm Street';

    it('appear on the capture page and the certificate, logo and colours', async () => {
      const jpeg = await sharp(await plain({ width: 1_600, height: 400 }))
        .withExif({ IFD0: { ImageDescription: SECRET_NOTE } })
        .jpeg()
        .toBuffer();
      expect(jpeg.includes(SECRET_NOTE)).toBe(true);
      const put = await manage<Brand>('PUT', '/v1/brands/acme', {
        name: 'Acme',
        logo_base64: jpeg.toString('base64'),
        colors: { accent: '#FFB000' },
      });
      expect(put.status).toBe(200);
      expect(put.body).toMatchObject({ slug: 'acme', name: 'Acme', colors: { accent: '#ffb000' } });
      const { worn_colors, logo_url } = put.body;
      expect(contrast(worn_colors!.accent, '#f7f9fa')).toBeGreaterThanOrEqual(4.5);

      const logo = await fetch(logo_url!);
      expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(logo.headers.get('cache-control')).toContain('immutable');
      const bytes = Buffer.from(await logo.arrayBuffer());
      expect(bytes.includes(SECRET_NOTE)).toBe(false);
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 512, height: 128 });

      const { id } = await createVerification(service, { brand_slug: 'acme' });
      const worn = { slug: 'acme', name: 'Acme', logo_url, colors: worn_colors };
      expect((await ask<EndUserView>(service, `/v1/verify/${id}`)).body.brand).toEqual(worn);
      expect((await ask<PublicView>(service, `/v1/verifications/${id}/public`)).body.brand).toEqual(worn);

      const other = await service.newTenant();
      const theirs = await ask<Verification>(service, '/v1/verifications', {
        key: other.pk_test,
        body: { brand_slug: 'acme' },
      });
      expect((await ask<EndUserView>(service, `/v1/verify/${theirs.body.id}`)).body.brand).toBeUndefined();
    });

    it('keep a logo that is not sent and delete one that is null; its old address shows nothing', async () => {
      const logo_base64 = (await plain()).toString('base64');
      const put = (body: object) => manage<Brand>('PUT', '/v1/brands/logo', { name: 'Logo', ...body });
      const first = (await put({ logo_base64 })).body.logo_url!;
      expect((await put({})).body.logo_url).toBe(first);
      const second = (await put({ logo_base64 })).body.logo_url!;
      expect(second).not.toBe(first);
      expect([(await fetch(first)).status, (await fetch(second)).status]).toEqual([404, 200]);
      expect((await put({ logo_base64: null })).body.logo_url).toBeUndefined();
      expect((await fetch(second)).status).toBe(404);
      expect((await manage('DELETE', '/v1/brands/logo')).status).toBe(204);
      expect((await manage('DELETE', '/v1/brands/logo')).status).toBe(404);
      expect(await lastEntry()).toMatchObject({ action: 'brand.deleted', target: 'logo' });
    });

    it('refuse a logo that is no picture, too large, or a decompression bomb', async () => {
      const bomb = await sharp({ create: { width: 5_000, height: 5_000, channels: 3, background: '#fff' } })
        .png()
        .toBuffer();
      const jpeg = await plain();
      const bad: Record<string, string> = {
        text: Buffer.from('hello').toString('base64'),
        svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>').toString('base64'),
        gif: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64').toString('base64'),
        bomb: bomb.toString('base64'),
        truncated: jpeg.subarray(0, jpeg.length - 60).toString('base64'),
        large: Buffer.alloc(1_048_577, 1).toString('base64'),
        'not base64': 'data:image/png;base64,AAAA',
        empty: '',
      };
      for (const [what, logo_base64] of Object.entries(bad)) {
        const reply = await manage('PUT', '/v1/brands/bad', { name: 'Bad', logo_base64 });
        expect([what, reply.status, pathsOf(reply)]).toEqual([what, 400, ['logo_base64']]);
      }
      expect((await manage('GET', '/v1/brands/bad')).status).toBe(404);
    });

    it('refuse invalid colours, and slugs that a verification could not name', async () => {
      const put = (slug: string, colors: unknown) => manage('PUT', `/v1/brands/${slug}`, { name: 'B', colors });
      expect(pathsOf(await put('bad', { accent: 'red' }))).toEqual(['colors.accent']);
      expect(pathsOf(await put('bad', { background: '#fff000' }))).toEqual(['colors.accent']);
      expect(pathsOf(await put('bad', { accent: '#12345', background: 7 }))).toEqual([
        'colors.accent',
        'colors.background',
      ]);
      for (const slug of ['A', 'x', 'two--hyphens', '-start', 'a'.repeat(41)]) {
        expect(pathsOf(await put(slug, { accent: '#123456' }))).toEqual(['slug']);
      }
    });
  });

  it('audits nothing whose transaction was rolled back', async () => {
    const count = async () =>
      Number((await service.deps.db.query<{ n: string }>('select count(*) as n from audit_log')).rows[0]!.n);
    const before = await count();
    const reply = await refusingInserts(service, 'audit_log', () =>
      manage('PUT', '/v1/brands/unlogged', { name: 'Unlogged' }),
    );
    expect(reply.status).toBe(500);
    expect((await manage('GET', '/v1/brands/unlogged')).status).toBe(404);
    expect(await count()).toBe(before);
  });
});
