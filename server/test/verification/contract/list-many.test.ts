import type { VerificationList, VerificationSummary } from '@firsthand/contract/verification/verification.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { encodeCursor } from '../../../src/platform/http/cursor.ts';
import { normalizeRequest } from '../../../src/verification/verifications/issue.ts';
import { ask } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const ROWS = 100_000;
/** One row in so many is of the rare kind. */
const RARE = 1_000;
const LIMIT = 20;
/** Rows that one statement inserts. */
const CHUNK = 10_000;
/** Coprime to the number of rows: those of one page lie on pages of their own, as where many accounts write side by side. */
const SPREAD = 7_919;

interface Page {
  data: VerificationSummary[];
  next_cursor?: string;
}

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

const SEARCHED = 12_000;
/** More rows than are read as a set have this word, and none of the newest. */
const ANCIENT = 5_200;
/** Live rows, ten a second. The oldest have a word that none of the newest has. */
const LIVE = 6_500;
const PAGE = 50;

const service = serviceOfSuite({ worker: false });

describe(`GET /v1/verifications of ${ROWS} rows`, () => {
  let statements: { text: string; values: unknown[] }[] = [];

  beforeAll(async () => {
    const { db } = service.deps;
    // Building the two search indexes once, over all rows, is faster than adding each row to them.
    const { rows: indexes } = await db.query<{ name: string; definition: string }>(
      `select indexname as name, indexdef as definition from pg_indexes
       where tablename = 'verification_search' and indexdef ilike '% using gin %'`,
    );
    expect(indexes).toHaveLength(2);
    for (const { name } of indexes) await db.query(`drop index ${name}`);
    // Ids of no order and times of microseconds: the list must go only by the time.
    // In several statements: each has its limit of time.
    for (let from = 1; from < ROWS; from += CHUNK) {
      await db.query(
        `insert into verifications (id, tenant_id, livemode, created_at, expires_at, status, verdict, external_ref, config)
         select 'vfy_0' || upper(lpad(substr(md5(n::text), 1, 25), 25, '0')), $1, false,
           now() - interval '30 days' + n * interval '20.000003 seconds', now() + interval '1 day',
           case when n % $3 = 0 then 'failed' when n % 10 = 0 then 'pending' else 'completed' end,
           case when n % $3 = 0 or n % 10 = 0 then null else jsonb_build_object('label', case when n % $3 = 1 then 'suspicious' else 'verified' end,
             'score', 0.9, 'signals', '{}'::jsonb) end,
           case when n % $3 = 2 then 'rare' when n > ${ROWS} - 60 or n < 10 then 'both ends' else 'common' end, $2
         from (select (i * ${SPREAD} % ${ROWS}) + 1 as n from generate_series($4::bigint, $4 + ${CHUNK} - 1) i) numbered`,
        [service.tenant.tenant_id, JSON.stringify(normalizeRequest({}, null).config), RARE, from],
      );
    }
    for (const { definition } of indexes) await db.query(definition);
    // No `analyze`: a page must not depend on what the planner has been told.
    const asked = db.query.bind(db) as (...of: unknown[]) => Promise<unknown>;
    db.query = ((text: string, values: unknown[] = []) => {
      if (text.includes('as place')) statements.push({ text, values });
      return asked(text, values);
    }) as typeof db.query;
  });

  const page = async (query: string) => {
    statements = [];
    const reply = await ask<Page>(
      service,
      `/v1/verifications?${query.includes('limit=') ? '' : `limit=${LIMIT}`}${query}`,
      { key: service.tenant.pk_test },
    );
    expect(reply.status, reply.text).toBe(200);
    return reply.body;
  };
  /** Blocks that the page's statement touches. */
  const blocks = async (query: string) => {
    await page(query);
    const [statement] = statements;
    const { rows } = await service.deps.db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, buffers, format json) ${statement!.text}`,
      statement!.values,
    );
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0]!;
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  };
  /** The cursor whose page is the last one of a filter. */
  const lastCursor = async (where: string) => {
    const { rows } = await service.deps.db.query<{ id: string }>(
      `select id from verifications where ${where} order by created_at, id offset $1 limit 1`,
      [LIMIT / 2],
    );
    return `&cursor=${encodeCursor(rows[0]!.id)}`;
  };

  const began = Date.now();
  const instant = (days: number) => new Date(began - days * 86_400_000).toISOString();
  const at = (days: number) => encodeURIComponent(instant(days));
  const FILTERS: [string, string, string][] = [
    ['a rare status', '&status=failed', `status = 'failed'`],
    ['a common status', '&status=completed', `status = 'completed'`],
    ['a rare verdict', '&verdict=suspicious', `verdict ->> 'label' = 'suspicious'`],
    ['a common verdict', '&verdict=verified', `verdict ->> 'label' = 'verified'`],
    ['a rare reference', '&external_ref=rare', `external_ref = 'rare'`],
    ['a common reference', '&external_ref=common', `external_ref = 'common'`],
    ['created_before', `&created_before=${at(28)}`, `created_at < '${instant(28)}'`],
    ['created_after', `&created_after=${at(10)}`, `created_at > '${instant(10)}'`],
    [
      'a rare status in a stretch of time',
      `&status=failed&created_before=${at(20)}&created_after=${at(29)}`,
      `status = 'failed' and created_at < '${instant(20)}' and created_at > '${instant(29)}'`,
    ],
  ];

  it.each(FILTERS)(
    'reads at most three times a plain page for %s, on the first and the last page',
    async (_name, query, where) => {
      const plain = await blocks('');
      expect(plain).toBeGreaterThan(0);
      expect(await blocks(query)).toBeLessThanOrEqual(3 * plain);
      const cursor = await lastCursor(where);
      const last = await page(`${query}${cursor}`);
      expect([last.data.length, last.next_cursor]).toEqual([LIMIT / 2, undefined]);
      expect(await blocks(`${query}${cursor}`)).toBeLessThanOrEqual(3 * plain);
      const plainLast = await blocks(await lastCursor('true'));
      expect(plainLast).toBeLessThanOrEqual(3 * plain);
    },
  );

  it('finds a word of the newest and the oldest rows, though it walks only through the newest', async () => {
    const { data, total_estimate } = (await page('&q=ends&limit=100')) as VerificationList;
    expect(data).toHaveLength(68);
    expect(total_estimate).toBe(68);
  });

  it('estimates a total beyond a thousand, and counts up to it', async () => {
    const total = async (query: string) => ((await page(query)) as VerificationList).total_estimate;
    expect(await total('&status=failed')).toBe(ROWS / RARE);
    expect(await total('&q=rare')).toBe(ROWS / RARE);
    await service.deps.db.query('analyze verifications, verification_search');
    for (const query of ['', '&status=completed', '&q=comm']) {
      expect(await total(query)).toBeGreaterThan(ROWS / 2);
      expect(await total(query)).toBeLessThan(ROWS * 2);
    }
  });

  it('shows each row of a filter once, newest first', async () => {
    const seen: string[] = [];
    let query = '&status=failed';
    for (;;) {
      const { data, next_cursor } = await page(query);
      seen.push(...data.map(({ id }) => id));
      if (!next_cursor) break;
      query = `&status=failed&cursor=${next_cursor}`;
    }
    const { rows } = await service.deps.db.query<{ id: string }>(
      `select id from verifications where status = 'failed' order by created_at desc`,
    );
    expect(seen).toHaveLength(ROWS / RARE);
    expect(seen).toEqual(rows.map(({ id }) => id));
  });

  it('refuses another account’s cursor', async () => {
    const other = await service.newTenant();
    const foreign = await ask<Page>(service, `/v1/verifications?${(await lastCursor('true')).slice(1)}`, {
      key: other.pk_test,
    });
    expect(foreign.status).toBe(400);
  });
});

describe(`GET /v1/verifications?q= of ${SEARCHED} rows`, () => {
  let tenant: NewTenant;
  beforeAll(async () => {
    tenant = await service.newTenant();
    await service.deps.db.query(
      `insert into verifications (id, tenant_id, livemode, created_at, expires_at, external_ref, config, private)
       select 'vfy_2' || upper(lpad(substr(md5(n::text), 1, 25), 25, '0')), $1, false, timestamptz '2026-01-01Z' + n * interval '1 second',
         now() + interval '1 day', 'ref-' || n || case when n <= $4 then ' ancient' else '' end || case when n % 100 = 0 then ' ßx' else '' end,
         $2, case when n % 3 = 0 then '{"brand_slug": "third"}' when n = 7 then '{"brand_slug": "rare"}' else '{}' end::jsonb
       from generate_series(1, $3::int) n`,
      [tenant.tenant_id, JSON.stringify(normalizeRequest({}, null).config), SEARCHED, ANCIENT],
    );
    await service.deps.db.query(
      `insert into verifications (id, tenant_id, livemode, created_at, expires_at, external_ref, config, private)
       select 'vfy_1' || upper(lpad(substr(md5(n::text), 1, 25), 25, '0')), $1, true,
         timestamptz '2026-01-01Z' + $3 * interval '1 second' - n * interval '0.1 second', now() + interval '1 day',
         'live-' || n || case when n > $4::int - 500 then ' ßx' else '' end, $2, '{}'
       from generate_series(1, $4::int) n`,
      [tenant.tenant_id, JSON.stringify(normalizeRequest({}, null).config), SEARCHED, LIVE],
    );
  });

  it.each([
    ['a word of every row', { q: 'ref-' }, 'true', null],
    ['a word of many old rows', { q: 'ANCIENT' }, `external_ref like '%ancient%'`, null],
    ['a rare word', { q: 'ref-1199' }, `external_ref like '%ref-1199%'`, 11],
    ['a number', { q: 'ref-11999' }, `external_ref like '%ref-11999%'`, 1],
    ['a number that others begin with', { q: '-11' }, `external_ref like '%-11%'`, null],
    ['a number in no row', { q: '99911' }, 'false', 0],
    ['two characters', { q: 'ßX' }, `external_ref like '%ßx%'`, 120],
    ['two characters in none', { q: 'zq' }, 'false', 0],
    ['one character in none', { q: '~' }, 'false', 0],
    ['signs', { q: '-7 ' }, `external_ref like '%-7 %'`, 1],
    [
      'a word of every row with a filter',
      { q: 'ref-', brand_slug: 'third' },
      `private ->> 'brand_slug' = 'third'`,
      null,
    ],
    [
      'a word of every row with a filter of one row',
      { q: 'ref-', brand_slug: 'rare' },
      `private ->> 'brand_slug' = 'rare'`,
      1,
    ],
    [
      'a word of many old rows with a filter',
      { q: 'ancient', brand_slug: 'third,rare' },
      `external_ref like '%ancient%' and private ? 'brand_slug'`,
      null,
    ],
    [
      'a word of every row between two dates',
      { q: 'ref-', created_after: '2026-01-01T00:30:00Z', created_before: '2026-01-01T02:30:00Z' },
      `created_at > '2026-01-01T00:30:00Z' and created_at < '2026-01-01T02:30:00Z'`,
      null,
    ],
    [
      'a word of one row in a hundred since a date',
      { q: 'ßx', created_after: '2026-01-01T00:08:20Z' },
      `external_ref like '%ßx%' and created_at > '2026-01-01T00:08:20Z'`,
      115,
    ],
    [
      'a word of many old rows before a date',
      { q: 'ancient', created_before: '2026-01-01T01:00:00Z' },
      `external_ref like '%ancient%' and created_at < '2026-01-01T01:00:00Z'`,
      null,
    ],
    ['a word of many old rows after their time', { q: 'ancient', created_after: '2026-01-01T02:00:00Z' }, 'false', 0],
  ] as const)('finds the rows with %s, page by page', async (_name, query, where, total) => {
    const { rows } = await service.deps.db.query<{ id: string }>(
      `select id from verifications where tenant_id = $1 and ${where} and not livemode order by created_at desc, id desc`,
      [tenant.tenant_id],
    );
    const wanted = rows.map(({ id }) => id);
    if (total !== null) expect(wanted).toHaveLength(total);
    let cursor: string | undefined;
    for (let from = 0; from < 3 * PAGE; from += PAGE) {
      const search = new URLSearchParams({ ...query, limit: `${PAGE}`, ...(cursor ? { cursor } : {}) });
      const page = await ask<VerificationList>(service, `/v1/verifications?${search}`, { key: tenant.pk_test });
      expect(page.status, page.text).toBe(200);
      expect(page.body.data.map(({ id }) => id)).toEqual(wanted.slice(from, from + PAGE));
      if (from === 0 && wanted.length <= 1_000) expect(page.body.total_estimate).toBe(wanted.length);
      if (from === 0) expect(page.body.total_estimate).toBeGreaterThanOrEqual(Math.min(wanted.length, 1_000));
      cursor = page.body.next_cursor;
      expect(cursor === undefined).toBe(wanted.length <= from + PAGE);
      if (cursor === undefined) break;
    }
  });

  it('finds the rows of both modes with the secret key, page by page', async () => {
    const { rows } = await service.deps.db.query<{ id: string }>(
      `select id from verifications where external_ref like '%ßx%' order by created_at desc, id desc`,
    );
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const search = new URLSearchParams({ q: 'ßx', limit: '20', ...(cursor ? { cursor } : {}) });
      const page = await ask<VerificationList>(service, `/v1/verifications?${search}`, {
        key: tenant.rk_secret,
      });
      expect(page.status, page.text).toBe(200);
      found.push(...page.body.data.map(({ id }) => id));
      cursor = page.body.next_cursor;
    } while (cursor !== undefined);
    expect(found).toEqual(rows.map(({ id }) => id));
  });
});
