import type { VerificationList } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { normalizeRequest } from '../../../src/verification/verifications/issue.ts';
import { ask, createVerification, startTestService, type TestService } from '../../support/harness.ts';

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
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
  });
  afterAll(() => service?.stop());

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
