import type { AuditEntry } from '@firsthand/contract/account/management.ts';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { resumeStatistics } from '../../../src/desk/statistics/fold.ts';
import { audit } from '../../../src/identity/audit/audit.ts';
import { codeOf } from '../../support/failure.ts';
import { ask, until } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';

interface Feed {
  data: AuditEntry[];
  cursor: string;
}

describe('audit log', () => {
  const service = serviceOfSuite({ worker: false });

  /** Writes an entry; in the test's own transaction where one is given. */
  const write = (
    tenantId: string,
    action: string,
    o: { at?: string; tx?: Parameters<typeof audit>[0]; target?: string; detail?: Record<string, unknown> } = {},
  ) => {
    const { at, tx, ...entry } = o;
    const activity = { tenantId, actor: { kind: 'system' as const }, at: at ? new Date(at) : new Date() };
    return audit(tx ?? service.deps.db, activity, { action, ...entry });
  };
  const get = <T>(path: string, key: string) => ask<T>(service, `/v1/audit-log${path}`, { key });
  const actionsOf = (entries: AuditEntry[]) => entries.map(({ action }) => action);
  async function follow(key: string, cursor?: string, limit = 100): Promise<Feed> {
    const { status, body } = await get<Feed>(`/feed?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`, key);
    expect(status).toBe(200);
    return body;
  }

  it('names an agent where a request says `Firsthand-Via: agent`, in the list and in both files', async () => {
    const { rk_secret: key } = await service.newTenant();
    for (const [name, via] of [
      ['By hand', undefined],
      ['By an agent', 'agent'],
      ['By something else', 'toaster'],
    ]) {
      const headers: Record<string, string> = via ? { 'firsthand-via': via } : {};
      const reply = await ask(service, '/v1/settings', { method: 'PATCH', key, headers, body: { name } });
      expect(reply.status).toBe(200);
    }
    const { data } = (await get<Feed>('', key)).body;
    const changes = data.filter(({ action }) => action === 'settings.updated').reverse();
    expect(changes.map(({ actor }) => actor.via)).toEqual([undefined, 'agent', undefined]);
    const rows = parse((await get<string>('/export', key)).text, { columns: true, bom: true }) as Record<
      string,
      string
    >[];
    expect(rows.filter(({ action }) => action === 'settings.updated').map(row => row.actor_via)).toEqual([
      '',
      'agent',
      '',
    ]);
    expect((await get<string>('/export?format=jsonl', key)).text).toContain('"via":"agent"');
  });

  describe('GET /v1/audit-log/feed', () => {
    /** Entries appear once all transactions of the server that began earlier have ended, also those of other files' tests. */
    const followTo = (key: string, last: string, cursor?: string) =>
      until(async () => {
        const page = await follow(key, cursor);
        return actionsOf(page.data).at(-1) === last && page;
      }, `the entry ${last} in the feed`);

    it('skips no entry whose transaction ends after a later entry’s', async () => {
      const { tenant_id: id, rk_secret: key } = await service.newTenant();
      await write(id, 'first');
      const { cursor } = await followTo(key, 'first');
      const slow = await service.deps.db.connect();
      try {
        await slow.query('begin');
        await write(id, 'slow', { tx: slow });
        await write(id, 'quick');
        // The later entry is committed; the list by time has it, and the feed waits.
        expect(actionsOf((await get<Feed>('', key)).body.data)).toContain('quick');
        const before = await follow(key, cursor);
        expect(before.data).toEqual([]);
        await slow.query('commit');
        const after = await followTo(key, 'quick', before.cursor);
        expect(actionsOf(after.data)).toEqual(['slow', 'quick']);
        expect((await follow(key, after.cursor)).data).toEqual([]);
      } finally {
        slow.release();
      }
    });

    it('has each entry once, in pages of any size, and only those of the account', async () => {
      const [one, other] = [await service.newTenant(), await service.newTenant()];
      for (let n = 0; n < 7; n++) await write(one.tenant_id, `n${n}`);
      await write(other.tenant_id, 'foreign');
      await followTo(other.rk_secret, 'foreign');
      const seen: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await follow(one.rk_secret, cursor, 3);
        if (page.data.length === 0) break;
        seen.push(...actionsOf(page.data).filter(action => /^n\d|foreign/.test(action)));
        cursor = page.cursor;
      }
      expect(seen).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6']);
    });

    it('has entries in the order of their transactions, also where the next number has one digit more', async () => {
      const { tenant_id: id, rk_secret: key } = await service.newTenant();
      for (const [action, transaction] of [
        ['tenth', 10],
        ['ninth', 9],
      ] as const) {
        await write(id, action);
        await service.deps.db.query(
          'update audit_log set recorded_in = $2::text::xid8 where tenant_id = $1 and action = $3',
          [id, transaction, action],
        );
      }
      expect(actionsOf((await follow(key)).data).slice(0, 2)).toEqual(['ninth', 'tenth']);
    });

    it('refuses cursors of another feed and of another database', async () => {
      const { rk_secret: key } = await service.newTenant();
      for (const cursor of [
        'Zm9yZ2Vk',
        Buffer.from('7:evt_1').toString('base64url'),
        Buffer.from(`${10n ** 18n}:`).toString('base64url'),
      ]) {
        const reply = await get(`/feed?cursor=${cursor}`, key);
        expect(codeOf(reply)).toEqual([400, 'invalid_request']);
      }
    });

    it('has entries of a restored dump before all later ones', async () => {
      const { tenant_id: id, rk_secret: key } = await service.newTenant();
      const { db } = service.deps;
      await write(id, 'old');
      const ahead = (column: string) => `((${column}::text::bigint + 1000000000)::text)::xid8`;
      await db.query(`update audit_log set recorded_in = ${ahead('recorded_in')} where tenant_id = $1`, [id]);
      await db.query(`update statistics_position set upto = ${ahead('upto')}`);
      await resumeStatistics(db);
      await write(id, 'new');
      expect(actionsOf((await followTo(key, 'new')).data).slice(-2)).toEqual(['old', 'new']);
    });
  });

  describe('GET /v1/audit-log/export', () => {
    const csv = (text: string) => parse(text, { columns: true, bom: true }) as Record<string, string>[];

    it('takes entries from `from` on and before `to`, in the zone that each names, oldest first', async () => {
      const { tenant_id: id, rk_secret: key } = await service.newTenant();
      const days = [
        '2025-10-31T22:59:59.999Z',
        '2025-10-31T23:00:00.000Z',
        '2025-11-30T22:59:59.999Z',
        '2025-11-30T23:00:00.000Z',
      ];
      for (const at of days) await write(id, at, { at });
      // November in Berlin: its last day counts to the end.
      const range = `from=${encodeURIComponent('2025-11-01T00:00:00+01:00')}&to=${encodeURIComponent('2025-12-01T00:00:00+01:00')}`;
      const reply = await get<string>(`/export?${range}`, key);
      expect(reply.headers.get('content-disposition')).toBe('attachment; filename="audit-log.csv"');
      expect(csv(reply.text).map(({ action }) => action)).toEqual(days.slice(1, 3));
      const jsonl = await get<string>(`/export?format=jsonl&${range}`, key);
      expect(
        jsonl.text
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line).created_at),
      ).toEqual(days.slice(1, 3));
    });

    it('refuses times without a zone, and ranges that hold nothing', async () => {
      const { rk_secret: key } = service.tenant;
      for (const query of [
        'from=2025-11-01T00:00:00',
        'to=2025-11-01',
        'from=2025-11-02T00:00:00Z&to=2025-11-02T00:00:00Z',
        'format=xml',
      ]) {
        expect([query, (await get(`/export?${query}`, key)).status]).toEqual([query, 400]);
      }
    });

    it('guards texts against formulas in CSV and is exact in JSON Lines; no text begins a line of its own', async () => {
      const { tenant_id: id, rk_secret: key } = await service.newTenant();
      const target = '=HYPERLINK("http://evil.example")';
      const name = 'a\r\n2026-01-01T00:00:00Z,aud_forged\u2028b\u2029c\u0085d\ve\ff';
      const detail = { name, change: -5, formula: '+1' };
      await write(id, 'odd', { target, detail, at: '2035-01-01T00:00:00Z' });
      await write(id, 'second\nline', { at: '2035-01-02T00:00:00Z' });

      const sheet = await get<string>('/export', key);
      const rows = csv(sheet.text);
      const odd = rows.find(({ action }) => action === 'odd')!;
      expect(odd.target).toBe(`'${target}`);
      expect(JSON.parse(odd.detail!)).toEqual(detail);
      expect(rows.map(({ action }) => action).slice(-2)).toEqual(['odd', 'second\nline']);
      expect(sheet.text).toContain('"second\nline"');
      expect(odd.detail).not.toMatch(/[\r\n\u2028\u2029\u0085]/);

      const exact = await get<string>('/export?format=jsonl', key);
      expect(exact.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      // Whatever a reader takes for the end of a line.
      const lines = exact.text.trimEnd().split(/[\r\n\v\f\u0085\u2028\u2029]/);
      const entries = lines.map(line => JSON.parse(line) as AuditEntry);
      expect(entries.find(({ action }) => action === 'odd')).toMatchObject({ target, detail });
      expect(entries.at(-1)!.action).toBe('second\nline');
      const listed = (await get<Feed>('?limit=100', key)).body.data;
      expect(entries).toEqual(listed.toReversed());
    });

    it('streams more entries than one statement reads', async () => {
      const { tenant_id: id, rk_secret: key } = await service.newTenant();
      await service.deps.db.query(
        `insert into audit_log (id, tenant_id, actor, action, created_at)
         select 'aud_' || lpad(n::text, 26, '0'), $1, '{"kind":"system"}', 'many', now() from generate_series(1, 1201) n`,
        [id],
      );
      const { text } = await get<string>('/export?format=jsonl', key);
      expect(text.match(/"many"/g)).toHaveLength(1_201);
    });
  });
});
