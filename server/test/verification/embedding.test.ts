import type {
  Brand,
  LinkTemplate,
  LinkTemplateWithVersions,
  Settings,
} from '@firsthand/contract/account/management.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensurePagesBuilt } from '../../src/commands/build-pages.ts';
import { pathsOf } from '../support/failure.ts';
import { ask, createVerification, startTestService, type TestService } from '../support/harness.ts';

const CLAIMS = 'https://claims.acme.example';
const SHOP = 'https://shop.acme.example';

describe('embedding of the capture page', () => {
  let service: TestService;
  beforeAll(async () => {
    await ensurePagesBuilt();
    service = await startTestService({ worker: false });
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    await manage('PATCH', '/v1/settings', { allowed_origins: [] });
  });

  const manage = <T>(method: string, path: string, body?: object) =>
    ask<T>(service, path, { method, key: service.tenant.rk_secret, ...(body ? { body } : {}) });
  const framers = (headers: Headers) =>
    /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1];
  const returnOf = (html: string) => /name="firsthand-return" content="([^"]*)"/.exec(html)?.[1];
  const open = async (id: string, query = '') => {
    const { headers, text } = await ask(service, `/v/${id}${query}`);
    return { framers: framers(headers), options: headers.get('x-frame-options'), return: returnOf(text), text };
  };

  it('GET /v/:id may be framed only by the origins of the account and of the brand, from the next request on', async () => {
    const plain = (await createVerification(service)).id;
    expect(await open(plain)).toMatchObject({ framers: "'none'", options: 'DENY' });
    const patched = await manage<Settings>('PATCH', '/v1/settings', { allowed_origins: [CLAIMS] });
    expect(patched.body.allowed_origins).toEqual([CLAIMS]);
    await manage('PUT', '/v1/brands/acme', { name: 'Acme', allowed_origins: [SHOP] });
    const branded = (await createVerification(service, { brand_slug: 'acme' })).id;
    expect(await open(plain)).toMatchObject({ framers: CLAIMS, options: null });
    expect(await open(branded)).toMatchObject({ framers: `${CLAIMS} ${SHOP}`, options: null });

    await manage('PATCH', '/v1/settings', { allowed_origins: [] });
    expect(await open(plain)).toMatchObject({ framers: "'none'", options: 'DENY' });
    // Leaving the origins out of a brand takes them away, as with its colors.
    await manage('PUT', '/v1/brands/acme', { name: 'Acme' });
    expect(await open(branded)).toMatchObject({ framers: "'none'", options: 'DENY' });
  });

  it('GET /v/:id of another account, of an unknown id, the certificate and the dashboard are framed by nobody', async () => {
    await manage('PATCH', '/v1/settings', { allowed_origins: [CLAIMS] });
    const other = await service.newTenant();
    const { body } = await ask<{ id: string }>(service, '/v1/verifications', { key: other.pk_live, body: {} });
    const mine = await createVerification(service);
    for (const path of [`/v/${body.id}`, '/v/vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z', '/v/x', `/c/${mine.id}`, '/dashboard/']) {
      const { headers } = await ask(service, path);
      expect([path, framers(headers), headers.get('x-frame-options')]).toEqual([path, "'none'", 'DENY']);
    }
  });

  it('PATCH /v1/settings takes origins as browsers write them, and nothing that could widen the header', async () => {
    const refused = [
      'https://Claims.example',
      'https://claims.example/',
      'https://claims.example:443',
      'https://*.example',
      'https://a.example;script-src *',
      'https://a.example https://b.example',
      "'self'",
      'http://claims.example',
      'https://user@claims.example',
      'null',
      '*',
    ];
    for (const origin of refused) {
      const reply = await manage('PATCH', '/v1/settings', { allowed_origins: [origin] });
      expect([origin, reply.status, pathsOf(reply)]).toEqual([origin, 400, ['allowed_origins.0']]);
    }
    for (const path of ['/v1/settings', '/v1/brands/umlaut']) {
      const method = path.includes('brands') ? 'PUT' : 'PATCH';
      const name = method === 'PUT' ? { name: 'Bücher' } : {};
      const reply = await manage(method, path, { ...name, allowed_origins: ['https://bücher.example:8443'] });
      expect(reply.text).toContain('must be written as browsers write it: https://xn--bcher-kva.example:8443');
      expect([reply.status, pathsOf(reply)]).toEqual([400, ['allowed_origins.0']]);
    }
    const many = Array.from({ length: 21 }, (_, n) => `https://s${n}.example`);
    expect(pathsOf(await manage('PATCH', '/v1/settings', { allowed_origins: many }))).toEqual(['allowed_origins']);
    const taken = [CLAIMS, 'https://claims.example:8443', 'https://xn--bcher-kva.example', 'http://localhost:3000'];
    const reply = await manage<Settings>('PATCH', '/v1/settings', { allowed_origins: taken });
    expect(reply.body.allowed_origins).toEqual(taken);
  });

  it('return_url belongs to an allowed origin: of a brand, of a template, of the link; the nearest wins', async () => {
    const brand = { name: 'Acme', return_url: `${CLAIMS}/brand` };
    expect(pathsOf(await manage('PUT', '/v1/brands/acme', brand))).toEqual(['return_url']);
    const template = { name: 'Poster', request: { brand_slug: 'acme' }, return_url: `${SHOP}/template` };
    expect(pathsOf(await manage('POST', '/v1/link-templates', template))).toEqual(['return_url']);

    await manage('PATCH', '/v1/settings', { allowed_origins: [CLAIMS] });
    expect((await manage<Brand>('PUT', '/v1/brands/acme', brand)).body.return_url).toBe(brand.return_url);
    // The brand's own origins count for its templates.
    expect(pathsOf(await manage('POST', '/v1/link-templates', template))).toEqual(['return_url']);
    await manage('PUT', '/v1/brands/acme', { ...brand, allowed_origins: [SHOP] });
    const made = await manage<LinkTemplate>('POST', '/v1/link-templates', template);
    expect(made.body.return_url).toBe(template.return_url);
    const read = await manage<LinkTemplateWithVersions>('GET', `/v1/link-templates/${made.body.id}`);
    expect(read.body.versions[0]!.return_url).toBe(template.return_url);

    const branded = (await createVerification(service, { brand_slug: 'acme' })).id;
    expect((await open(branded)).return).toBe(`${CLAIMS}/brand`);
    const opened = await ask(service, `/t/${made.body.id}`, { redirect: 'manual' });
    const id = opened.headers.get('location')!.split('/').at(-1)!;
    expect((await open(id)).return).toBe(`${SHOP}/template`);
    const asked = (address: string) => open(id, `?return_url=${encodeURIComponent(address)}`);
    expect((await asked(`${CLAIMS}/case?n=1&m="2"`)).return).toBe(`${CLAIMS}/case?n=1&#38;m=%222%22`);
    // Dollar signs are patterns of String.replace, and text to everybody else.
    for (const query of ['price=$$5', 'x=$&', "x=$'", 'x=$`WORDS-ON-THE-PAGE']) {
      const shown = await ask<string>(service, `/v/${id}?return_url=${encodeURIComponent(`${CLAIMS}/done?${query}`)}`);
      expect(returnOf(shown.text)?.replaceAll('&#38;', '&')).toBe(new URL(`${CLAIMS}/done?${query}`).href);
      expect(shown.text.match(/<!doctype/gi)).toHaveLength(1);
    }
    // A stranger's address in the link leads nowhere: what the account says counts.
    for (const address of [
      'https://evil.example',
      'javascript:alert(1)',
      `${CLAIMS}.evil.example/`,
      `https://x@evil.example`,
    ]) {
      expect((await asked(address)).return).toBe(`${SHOP}/template`);
    }
    await manage('PATCH', '/v1/settings', { allowed_origins: [] });
    await manage('PUT', '/v1/brands/acme', { name: 'Acme' });
    expect((await open(id)).return).toBeUndefined();
  });

  it('GET /embed.js answers any origin with at most 5 kB', async () => {
    const { headers, status, text } = await ask(service, '/embed.js', { headers: { 'accept-encoding': 'identity' } });
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(text).toContain('firsthand-capture');
    const packed = await fetch(`${service.url}/embed.js`, { headers: { 'accept-encoding': 'gzip' } });
    expect(Number(packed.headers.get('content-length'))).toBeLessThanOrEqual(5_000);
    expect(await packed.text()).toBe(text);
  });
});
