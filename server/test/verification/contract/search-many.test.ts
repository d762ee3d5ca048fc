import type { VerificationList } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { normalizeRequest } from '../../../src/verification/verifications/issue.ts';
import { ask, startTestService, type TestService } from '../../support/harness.ts';

const ROWS = 12_000;
/** More rows than are read as a set have this word, and none of the newest. */
const ANCIENT = 5_200;
/** More live rows than one walk reads, ten a second. The oldest have a word that none of the newest has. */
const LIVE = 6_500;
const LIMIT = 50;

describe(`GET /v1/verifications?q= of ${ROWS} rows`, () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
    await service.deps.db.query(
      `insert into verifications (id, tenant_id, livemode, created_at, expires_at, external_ref, config, private)
       select 'vfy_0' || upper(lpad(substr(md5(n::text), 1, 25), 25, '0')), $1, false, timestamptz '2026-01-01Z' + n * interval '1 second',
         now() + interval '1 day', 'ref-' || n || case when n <= $4 then ' ancient' else '' end || case when n % 100 = 0 then ' ßx' else '' end,
         $2, case when n % 3 = 0 then '{"brand_slug": "third"}' when n = 7 then '{"brand_slug": "rare"}' else '{}' end::jsonb
       from generate_series(1, $3::int) n`,
      [service.tenant.tenant_id, JSON.stringify(normalizeRequest({}, null).config), ROWS, ANCIENT],
    );
    await service.deps.db.query(
      `insert into verifications (id, tenant_id, livemode, created_at, expires_at, external_ref, config, private)
       select 'vfy_1' || upper(lpad(substr(md5(n::text), 1, 25), 25, '0')), $1, true,
         timestamptz '2026-01-01Z' + $3 * interval '1 second' - n * interval '0.1 second', now() + interval '1 day',
         'live-' || n || case when n > $4::int - 500 then ' ßx' else '' end, $2, '{}'
       from generate_series(1, $4::int) n`,
      [service.tenant.tenant_id, JSON.stringify(normalizeRequest({}, null).config), ROWS, LIVE],
    );
  });
  afterAll(() => service?.stop());

  it.each([
    ['a word of every row', { q: 'ref-' }, 'true', null],
    ['a word of many old rows', { q: 'ANCIENT' }, `external_ref like '%ancient%'`, null],
    ['a rare word', { q: 'ref-1199' }, `external_ref like '%ref-1199%'`, 11],
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
      `select id from verifications where ${where} and not livemode order by created_at desc, id desc`,
    );
    const wanted = rows.map(({ id }) => id);
    if (total !== null) expect(wanted).toHaveLength(total);
    let cursor: string | undefined;
    for (let from = 0; from < 3 * LIMIT; from += LIMIT) {
      const search = new URLSearchParams({ ...query, limit: `${LIMIT}`, ...(cursor ? { cursor } : {}) });
      const page = await ask<VerificationList>(service, `/v1/verifications?${search}`, { key: service.tenant.pk_test });
      expect(page.status, page.text).toBe(200);
      expect(page.body.data.map(({ id }) => id)).toEqual(wanted.slice(from, from + LIMIT));
      if (from === 0 && wanted.length <= 1_000) expect(page.body.total_estimate).toBe(wanted.length);
      if (from === 0) expect(page.body.total_estimate).toBeGreaterThanOrEqual(Math.min(wanted.length, 1_000));
      cursor = page.body.next_cursor;
      expect(cursor === undefined).toBe(wanted.length <= from + LIMIT);
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
        key: service.tenant.rk_secret,
      });
      expect(page.status, page.text).toBe(200);
      found.push(...page.body.data.map(({ id }) => id));
      cursor = page.body.next_cursor;
    } while (cursor !== undefined);
    expect(found).toEqual(rows.map(({ id }) => id));
  });
});
