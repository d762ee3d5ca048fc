import type { VerificationList, VerificationSummary } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCursor } from '../../../src/platform/http/cursor.ts';
import { normalizeRequest } from '../../../src/verification/verifications/issue.ts';
import { ask, startTestService, type TestService } from '../../support/harness.ts';

const ROWS = 100_000;
/** One row in so many is of the rare kind. */
const RARE = 1_000;
const LIMIT = 20;
/** Rows that one statement inserts. */
const CHUNK = 10_000;
/** Coprime to the number of rows: those of one page lie on pages of their own, as where many accounts write side by side. */
const SPREAD = 7_919;
/** The oldest rows, more than are read as a set. */
const ANCIENT = 8_000;

interface Page {
  data: VerificationSummary[];
  next_cursor?: string;
}

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

describe(`GET /v1/verifications of ${ROWS} rows`, () => {
  let service: TestService;
  let statements: { text: string; values: unknown[] }[] = [];

  beforeAll(async () => {
    service = await startTestService({ worker: false });
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
           case when n % $3 = 2 then 'rare' when n <= ${ANCIENT} then 'ancient' else 'common' end, $2
         from (select (i * ${SPREAD} % ${ROWS}) + 1 as n from generate_series($4::bigint, $4 + ${CHUNK} - 1) i) numbered`,
        [service.tenant.tenant_id, JSON.stringify(normalizeRequest({}, null).config), RARE, from],
      );
    }
    for (const { definition } of indexes) await db.query(definition);
    // No `analyze`: a page must not depend on what the planner has been told.
    const asked = db.query.bind(db) as (...of: unknown[]) => Promise<unknown>;
    db.query = ((text: string, values: unknown[] = []) => {
      if (text.includes('from verifications') && text.includes('order by')) statements.push({ text, values });
      return asked(text, values);
    }) as typeof db.query;
  });
  afterAll(() => service?.stop());

  const page = async (query: string) => {
    statements = [];
    const reply = await ask<Page>(service, `/v1/verifications?limit=${LIMIT}${query}`, { key: service.tenant.pk_test });
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

  it.each([
    ['rare', `external_ref = 'rare'`],
    ['Ancien', `external_ref = 'ancient'`],
    ['comm', `external_ref = 'common'`],
    ['mm', `external_ref = 'common'`],
    ['nt', `external_ref = 'ancient'`],
    ['zq', 'false'],
  ])('finds with q=%s what a scan finds, on its first page and its last', async (q, where) => {
    const scan = async (order: string) => {
      const { rows } = await service.deps.db.query<{ id: string }>(
        `select id from verifications where ${where} order by created_at ${order}, id ${order} limit $1`,
        [order === 'desc' ? LIMIT : LIMIT / 2],
      );
      return rows.map(({ id }) => id);
    };
    expect((await page(`&q=${q}`)).data.map(({ id }) => id)).toEqual(await scan('desc'));
    if (where === 'false') return;
    const last = await page(`&q=${q}${await lastCursor(where)}`);
    expect(last.data.map(({ id }) => id)).toEqual((await scan('asc')).toReversed());
    const rare = await page(`&q=${q}&status=failed&verdict=verified`);
    expect(rare.data).toEqual([]);
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
