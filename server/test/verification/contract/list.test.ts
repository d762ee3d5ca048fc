import type { VerificationList } from '@firsthand/contract/verification/verification.ts';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { normalizeRequest } from '../../../src/verification/verifications/issue.ts';
import { pathsOf } from '../../support/failure.ts';
import { ask, createVerification } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const service = serviceOfSuite({ worker: false });

describe('GET /v1/verifications', () => {
  const list = (query: string, key = service.tenant.pk_test) =>
    ask<VerificationList>(service, `/v1/verifications${query}`, { key });

  it('shows each older verification exactly once while others are created', async () => {
    const older = [];
    for (let n = 0; n < 25; n += 1) older.push((await createVerification(service)).id);
    const seen: string[] = [];
    let query = '?limit=10';
    for (;;) {
      const { body } = await list(query);
      seen.push(...body.data.map(item => item.id));
      expect(body.data.every(item => !('captures' in item))).toBe(true);
      await createVerification(service);
      if (!body.next_cursor) break;
      query = `?limit=10&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual([...older].sort().reverse());
  });

  it('filters by each parameter', async () => {
    const { id } = await createVerification(service, {
      metadata: { claim: 'C 1', other: 'x' },
      expected_info: { subject: { person: { external_ref: 'ref-9' } } },
    });
    const ids = async (query: string) => (await list(query)).body.data.map(item => item.id);
    expect(await ids(`?metadata[claim]=${encodeURIComponent('C 1')}`)).toEqual([id]);
    expect(await ids('?metadata[claim]=C')).toEqual([]);
    expect(await ids('?external_ref=ref-9')).toEqual([id]);
    expect(await ids('?status=completed')).toEqual([]);
    expect(await ids('?status=pending&external_ref=ref-9')).toEqual([id]);
    expect(await ids('?verdict=verified')).toEqual([]);
    const future = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
    expect(await ids(`?created_after=${future}`)).toEqual([]);
    expect(await ids(`?created_before=${future}&external_ref=ref-9`)).toEqual([id]);
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?limit=x', 'limit'],
    ['?cursor=forged', 'cursor'],
    [`?cursor=${Buffer.from('after:vfy_x').toString('base64url')}`, 'cursor'],
    ['?status=open', 'status'],
    ['?created_after=yesterday', 'created_after'],
    ['?created_after=0000-01-01T00:00:00Z', 'created_after'],
    ['?surprise=1', 'surprise'],
  ])('refuses %s', async (query, path) => {
    const reply = await ask(service, `/v1/verifications${query}`, {
      key: service.tenant.pk_test,
    });
    expect([reply.status, pathsOf(reply)]).toEqual([400, [path]]);
  });

  it("keeps modes and tenants apart; the secret key sees both of its tenant's modes", async () => {
    const live = await createVerification(service, { metadata: { apart: 'live' } }, service.tenant.pk_live);
    const test = await createVerification(service, { metadata: { apart: 'test' } });
    const find = async (key: string) =>
      (await list('?limit=100', key)).body.data.map(item => item.id).filter(id => [live.id, test.id].includes(id));
    expect(await find(service.tenant.pk_live)).toEqual([live.id]);
    expect(await find(service.tenant.pk_test)).toEqual([test.id]);
    expect((await find(service.tenant.rk_secret)).sort()).toEqual([live.id, test.id].sort());
    expect(await find((await service.newTenant()).rk_secret)).toEqual([]);
  });
});

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

describe('GET /v1/verifications with q and other filters', () => {
  let tenant: NewTenant;
  const made: Made[] = [];

  beforeAll(async () => {
    tenant = await service.newTenant();
    for (let n = 0; n < 42; n += 1) {
      const name = NAMES[n % NAMES.length]!;
      const ref = REFS[n % REFS.length]!;
      const metadata: Record<string, string> = { city: CITIES[n % CITIES.length]!, number: `${n}` };
      const brand = n % 2 === 0 ? 'even' : 'odd';
      const { id } = await createVerification(
        service,
        {
          metadata,
          brand_slug: brand,
          expected_info: { subject: { person: { name, external_ref: ref } } },
        },
        tenant.pk_test,
      );
      made.push({ id, name, ref, metadata, brand });
    }
    // The other mode and another account hold the same words.
    const same = { metadata: { city: 'Zürich' }, expected_info: { subject: { person: { name: 'Ana Meier' } } } };
    await createVerification(service, same, tenant.pk_live);
    await createVerification(service, same, (await service.newTenant()).pk_test);
  });

  const list = async (query: Record<string, string>) => {
    const reply = await ask<VerificationList>(service, `/v1/verifications?${new URLSearchParams(query)}`, {
      key: tenant.pk_test,
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
    const { id: pointing } = await createVerification(service, { metadata: { earlier: id } }, tenant.pk_test);
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
      key: tenant.pk_test,
    });
    expect([reply.status, pathsOf(reply)]).toEqual([400, [path]]);
  });
});

const HEADER =
  'id,status,livemode,created_at,completed_at,verdict_label,reason_code,score,captures_count,external_ref,review_state,decision,metadata';

/** The cells of a CSV text, by RFC 4180. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

describe('GET /v1/verifications/export', () => {
  const exported = async (query: string, key: string) => {
    const reply = await ask<string>(service, `/v1/verifications/export${query}`, { key });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    const [header, ...rows] = cellsOf(reply.body);
    expect(header!.join(',')).toBe(HEADER);
    return rows;
  };

  it('writes each row of a list as it is, and nothing that a spreadsheet would run', async () => {
    const { pk_test: key } = await service.newTenant();
    const texts = ['=1+1', '+49 30', '-5', '@sum', '\t=1', ' =1', 'plain', 'a "quoted", word', 'two\r\nlines'];
    for (const text of texts) {
      await createVerification(
        service,
        { metadata: { note: text }, expected_info: { subject: { person: { external_ref: text } } } },
        key,
      );
    }
    const rows = await exported('', key);
    const { body } = await ask<VerificationList>(service, '/v1/verifications?limit=100', { key });
    expect(rows.map(([id]) => id)).toEqual(body.data.map(({ id }) => id));
    const shown = rows.map(row => row[9]!).toReversed();
    expect(shown).toEqual(texts.map((text, n) => (n < 6 ? `'${text}` : text)));
    for (const [n, row] of rows.entries()) {
      const item = body.data[n]!;
      expect(row.slice(1, 4)).toEqual(['pending', 'false', item.created_at]);
      expect(row.slice(4, 9)).toEqual(['', '', '', '', '0']);
      expect(row.slice(10, 12)).toEqual(['none', '']);
      expect(JSON.parse(row[12]!)).toEqual(item.config.metadata);
    }
    expect(await exported('?external_ref=plain&status=pending,failed', key)).toEqual([rows[2]]);
    expect(await exported('?q=lines', key)).toEqual([rows[0]]);
    expect(await exported('?status=failed', key)).toEqual([]);
  });

  it('gives every row once, however many pages it reads', async () => {
    const tenant = await service.newTenant();
    await service.deps.db.query(
      `insert into verifications (id, tenant_id, livemode, created_at, expires_at, completed_at, status, verdict, config)
       select 'vfy_0' || upper(lpad(to_hex(n), 25, '0')), $1, true, now() - n / 3 * interval '1 second', now(), now(), 'completed',
         '{"label": "failed", "reason_code": "ai_generated", "score": 0.75, "signals": {}}', $2 from generate_series(1, 1501) n`,
      [tenant.tenant_id, JSON.stringify(normalizeRequest({}, null).config)],
    );
    const rows = await exported('?verdict=failed', tenant.pk_live);
    expect(rows.length).toBe(1501);
    expect(new Set(rows.map(([id]) => id)).size).toBe(1501);
    expect(rows[700]!.slice(5, 8)).toEqual(['failed', 'ai_generated', '0.75']);
    expect(await exported('', tenant.pk_test)).toEqual([]);
  });
});
