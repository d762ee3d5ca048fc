import type { VerificationList } from '@firsthand/contract/verification/verification.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathsOf } from '../../support/failure.ts';
import { ask, createVerification, startTestService, type TestService } from '../../support/harness.ts';

/** Names in several scripts; parts of one stand in another. */
const NAMES = ['Ana Meier', 'ANABEL MEIERSON', 'Łukasz Żółć', '王伟', 'O’Hara 100%', 'under_score', 'back\\slash'];
const REFS = ['CLM-1001', 'clm-1002', 'X-77'];
const CITIES = ['Zürich', 'zurich', 'Ana Lake'];

interface Made {
  id: string;
  name: string;
  ref: string;
  metadata: Record<string, string>;
  brand: string;
}

describe('GET /v1/verifications', () => {
  let service: TestService;
  const made: Made[] = [];

  beforeAll(async () => {
    service = await startTestService({ worker: false });
    for (let n = 0; n < 42; n += 1) {
      const name = NAMES[n % NAMES.length]!;
      const ref = REFS[n % REFS.length]!;
      const metadata: Record<string, string> = { city: CITIES[n % CITIES.length]!, number: `${n}` };
      const brand = n % 2 === 0 ? 'even' : 'odd';
      const { id } = await createVerification(service, {
        metadata,
        brand_slug: brand,
        expected_info: { subject: { person: { name, external_ref: ref } } },
      });
      made.push({ id, name, ref, metadata, brand });
    }
    // The other mode and another account hold the same words.
    const same = { metadata: { city: 'Zürich' }, expected_info: { subject: { person: { name: 'Ana Meier' } } } };
    await createVerification(service, same, service.tenant.pk_live);
    await createVerification(service, same, (await service.newTenant()).pk_test);
  });
  afterAll(() => service?.stop());

  const list = async (query: Record<string, string>) => {
    const reply = await ask<VerificationList>(service, `/v1/verifications?${new URLSearchParams(query)}`, {
      key: service.tenant.pk_test,
    });
    expect(reply.status, reply.text).toBe(200);
    return reply.body;
  };
  /** All ids of a list, page by page. */
  async function all(query: Record<string, string>, limit: number): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 100; pages += 1) {
      const page = await list({ ...query, limit: `${limit}`, ...(cursor ? { cursor } : {}) });
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
      if (!cursor) return ids;
    }
    throw new Error('the list does not end');
  }
  const expected = (passes: (item: Made) => boolean) =>
    made
      .filter(passes)
      .map(({ id }) => id)
      .toReversed();
  const holds = (item: Made, text: string) =>
    item.id.toLowerCase().startsWith(text.toLowerCase()) ||
    [item.name, item.ref, ...Object.values(item.metadata)].some(value =>
      value.toLowerCase().includes(text.toLowerCase()),
    );

  const words = [...NAMES, ...REFS, ...CITIES].flatMap(text => [text, text.toUpperCase(), text.toLowerCase()]);
  const part = fc
    .tuple(fc.constantFrom(...words), fc.nat(10), fc.integer({ min: 1, max: 12 }))
    .map(([text, from, length]) => text.slice(from % text.length).slice(0, length));
  const anything = fc
    .string({ minLength: 1, maxLength: 6 })
    .filter(text => !text.includes('\0') && text.isWellFormed());

  it('q finds exactly what begins an id or stands anywhere in name, reference or metadata', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 4, arbitrary: part }, anything),
        fc.constantFrom(1, 7, 100),
        async (q, limit) => {
          expect(await all({ q }, limit)).toEqual(expected(item => holds(item, q)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('q finds an id by its beginning, in any case, by itself or among words', async () => {
    const { id } = made[20]!;
    for (const length of [1, 3, 4, 5, 8, 14, 20, 29, 30]) {
      for (const q of [id.slice(0, length), id.slice(0, length).toLowerCase()]) {
        expect(await all({ q }, 10), q).toEqual(expected(item => holds(item, q)));
      }
    }
    expect(await all({ q: id }, 10)).toEqual([id]);
    expect(await all({ q: id.slice(4) }, 10)).toEqual([]);
    const { id: pointing } = await createVerification(service, { metadata: { earlier: id } });
    expect(await all({ q: id.toLowerCase() }, 10)).toEqual([pointing, id]);
    await service.deps.db.query(`update verifications set config = config - 'metadata' where id = $1`, [pointing]);
    expect(await all({ q: id }, 10)).toEqual([id]);
    await service.deps.db.query(`update verifications set livemode = true where id = $1`, [pointing]);
  });

  it('every filter takes several values, and all filters hold together', async () => {
    expect(await all({ status: 'pending,completed' }, 10)).toEqual(expected(() => true));
    expect(await all({ status: 'completed,failed' }, 10)).toEqual([]);
    expect(await all({ brand_slug: 'even' }, 10)).toEqual(expected(item => item.brand === 'even'));
    expect(await all({ brand_slug: 'even,odd', status: 'pending' }, 10)).toEqual(expected(() => true));
    expect(await all({ brand_slug: 'odd', q: 'meier' }, 3)).toEqual(
      expected(item => item.brand === 'odd' && holds(item, 'meier')),
    );
    expect(await all({ 'metadata[city]': 'Zürich', q: 'ana', status: 'pending' }, 2)).toEqual(
      expected(item => item.metadata.city === 'Zürich' && holds(item, 'ana')),
    );
    expect(await all({ 'metadata[city]': 'Zürich', 'metadata[number]': '3' }, 2)).toEqual([made[3]!.id]);
    expect(await all({ 'metadata[city]': 'Zürich', 'metadata[number]': '4' }, 2)).toEqual([]);
    expect(await all({ 'metadata[city]': 'Zürich', verdict: 'verified,suspicious' }, 2)).toEqual([]);
  });

  it('template_id finds what a template’s link issued', async () => {
    const { tenant } = service;
    const template = await ask<{ id: string; url: string }>(service, '/v1/link-templates', {
      key: tenant.rk_secret,
      body: { name: 'a link', request: {} },
    });
    const opened = await fetch(`${service.url}/t/${template.body.id}`, { method: 'POST', redirect: 'manual' });
    const id = /vfy_\w+/.exec(opened.headers.get('location') ?? '')?.[0];
    expect(id, `${opened.status}`).toBeDefined();
    const found = await ask<VerificationList>(service, `/v1/verifications?template_id=${template.body.id}`, {
      key: tenant.rk_secret,
    });
    expect([found.body.data.map(item => item.id), found.body.total_estimate]).toEqual([[id], 1]);
  });

  it('total_estimate counts what matches, only on the first page', async () => {
    for (const [query, passes] of [
      [{}, () => true],
      [{ q: 'meier' }, (item: Made) => holds(item, 'meier')],
      [{ q: 'vfy_0' }, () => true],
      [{ 'metadata[city]': 'Zürich' }, (item: Made) => item.metadata.city === 'Zürich'],
      [{ brand_slug: 'odd', status: 'pending,failed' }, (item: Made) => item.brand === 'odd'],
      [{ status: 'failed' }, () => false],
    ] as [Record<string, string>, (item: Made) => boolean][]) {
      const first = await list({ ...query, limit: '2' });
      expect(first.total_estimate, JSON.stringify(query)).toBe(expected(passes).length);
      if (!first.next_cursor) continue;
      expect('total_estimate' in (await list({ ...query, cursor: first.next_cursor }))).toBe(false);
    }
  });

  it.each([
    ['status=pending,open', 'status'],
    ['status=', 'status'],
    ['verdict=verified,,failed', 'verdict'],
    ['template_id=tpl_1', 'template_id'],
    ['q=', 'q'],
    [`q=${'x'.repeat(121)}`, 'q'],
    ['q=%00', 'q'],
  ])('refuses %s', async (query, path) => {
    const reply = await ask(service, `/v1/verifications?${query}`, {
      key: service.tenant.pk_test,
    });
    expect([reply.status, pathsOf(reply)]).toEqual([400, [path]]);
  });
});
