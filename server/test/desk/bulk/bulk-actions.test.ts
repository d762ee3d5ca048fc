import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { BulkAction } from '@firsthand/contract/batches/bulk-actions.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../../src/platform/db/sql.ts';
import { issue } from '../../../src/verification/verifications/issue.ts';
import { signedIn, type Visitor } from '../../identity/people/visitor.ts';
import type { Failure } from '../../support/failure.ts';
import { ask, createVerification, startTestService, type TestService, until } from '../../support/harness.ts';
import { next, openCases, read } from '../reviews/cases.ts';

describe('bulk actions', () => {
  let service: TestService;
  let member: Visitor;
  let owner: Visitor;
  beforeAll(async () => {
    service = await startTestService({ env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
    const { tenant_id: tenantId } = service.tenant;
    member = await signedIn(service, { tenantId, role: 'member', livemode: false });
    owner = await signedIn(service, { tenantId, role: 'owner', livemode: false });
  });
  afterAll(() => service?.stop());

  const start = async (who: Visitor, body: object): Promise<BulkAction> => {
    const reply = await who.ask<BulkAction>('/v1/bulk-acts', { body });
    expect([reply.status, reply.text]).toEqual([202, reply.text]);
    return reply.body;
  };
  const ended = (who: Visitor, { id }: BulkAction): Promise<BulkAction> =>
    until(async () => {
      const { body } = await who.ask<BulkAction>(`/v1/bulk-acts/${id}`);
      return body.state === 'completed' && body;
    }, 'the action to end');
  const done = async (who: Visitor, body: object): Promise<BulkAction> => ended(who, await start(who, body));
  const resultsOf = async (who: Visitor, { id }: BulkAction, query = ''): Promise<string[][]> =>
    (await who.ask<string>(`/v1/bulk-acts/${id}/results${query}`)).text
      .trim()
      .split('\r\n')
      .slice(1)
      .map(line => line.split(','));
  const statusOf = async (id: string): Promise<string> => (await read(member, id)).status;
  const made = (count: number, request: object): Promise<string[]> =>
    transaction(service.deps.db, async tx => {
      const ids: string[] = [];
      const { tenant_id: tenantId } = service.tenant;
      for (let n = 0; n < count; n += 1) {
        ids.push((await issue(tx, service.deps, { tenantId, livemode: false, request })).id);
      }
      return ids;
    });

  it('POST /v1/bulk-acts cancel ends every verification of the filter, and no other', async () => {
    const metadata = { wave: 'storm' };
    const matching = await made(4, { metadata });
    const [other] = await made(1, { metadata: { wave: 'calm' } });
    const stranger = await service.newTenant();
    const foreign = await createVerification(service, { metadata }, stranger.pk_test);
    const live = await createVerification(service, { metadata }, service.tenant.pk_live);
    const action = await done(member, { act: 'cancel', filter: { status: ['pending'], metadata } });
    expect([action.total, action.done, action.failed]).toEqual([4, 4, 0]);
    for (const id of matching) expect(await statusOf(id)).toBe('expired');
    expect(await statusOf(other!)).toBe('pending');
    const seen = await ask<Verification>(service, `/v1/verifications/${foreign.id}`, { key: stranger.pk_test });
    expect(seen.body.status).toBe('pending');
    const kept = await ask<Verification>(service, `/v1/verifications/${live.id}`, { key: service.tenant.pk_live });
    expect(kept.body.status).toBe('pending');
    const log = await owner.ask<{ data: { action: string; target?: string; actor: object }[] }>(
      '/v1/audit-log?limit=100',
    );
    const lines = log.body.data.filter(({ target }) => target && matching.includes(target));
    expect(lines.map(({ action }) => action)).toEqual(Array(4).fill('verification.cancelled'));
    expect(lines[0]!.actor).toMatchObject({ kind: 'session' });
  });

  it('a bulk action stops when its author loses the role, and says why', async () => {
    const { tenant_id: tenantId } = service.tenant;
    const { db } = service.deps;
    const author = await signedIn(service, { tenantId, role: 'owner', livemode: false });
    const ids = await made(300, { metadata: { wave: 'late' } });
    const action = await start(author, { act: 'redact', filter: { metadata: { wave: 'late' } }, reason: 'By mistake' });
    await until(async () => (await owner.ask<BulkAction>(`/v1/bulk-acts/${action.id}`)).body.done > 0, 'the first');
    const demoted = await owner.ask(`/v1/people/${author.personId}`, { method: 'PATCH', body: { role: 'member' } });
    expect(demoted.status, demoted.text).toBe(200);
    const before = (await owner.ask<BulkAction>(`/v1/bulk-acts/${action.id}`)).body.done;
    const stopped = await until(async () => {
      const { body } = await owner.ask<BulkAction>(`/v1/bulk-acts/${action.id}`);
      return body.state === 'cancelled' && body;
    }, 'the action to stop');
    expect(stopped.stopped).toBe('not_allowed');
    expect(stopped.done).toBeLessThanOrEqual(before + 1);
    expect(stopped.done).toBeLessThan(ids.length);
    const { rows } = await db.query('select filter from bulk_acts where id = $1', [action.id]);
    expect(rows).toEqual([{ filter: null }]);
    const log = await owner.ask<{ data: { action: string; target?: string }[] }>('/v1/audit-log?limit=100');
    expect(log.body.data.some(line => line.action === 'bulk_act.stopped' && line.target === action.id)).toBe(true);
  });

  it('a bulk action keeps the words of its filter no longer than it searches', async () => {
    const action = await done(member, {
      act: 'review',
      filter: { q: 'Marta Quillfeather', metadata: { of: 'Marta' } },
    });
    const { rows } = await service.deps.db.query('select b::text as text from bulk_acts b where id = $1', [action.id]);
    expect(rows[0].text).not.toContain('Marta');
  });

  it('POST /v1/bulk-acts reports why a verification refused, names each, and goes on with the others', async () => {
    const [waits] = await made(1, { metadata: { claim: 'C-7' } });
    const [closed] = await openCases(service, 1, { livemode: false });
    const action = await done(member, { act: 'cancel', ids: [closed, waits] });
    expect([action.total, action.done, action.failed]).toEqual([2, 1, 1]);
    expect(await resultsOf(member, action)).toEqual([
      [closed, 'failed', 'verification_closed', '', ''],
      [waits, 'done', '', '', 'claim C-7'],
    ]);
    expect(await resultsOf(member, action, '?result=failed')).toEqual([
      [closed, 'failed', 'verification_closed', '', ''],
    ]);
  });

  it('POST /v1/bulk-acts resend sends the newest event again with the same webhook-id', async () => {
    const receiver = await receiveWebhooks();
    try {
      const [id] = await made(1, { webhook_url: receiver.url });
      const [silent] = await made(1, {});
      await until(async () => receiver.received.length === 1, 'the first delivery');
      const action = await done(member, { act: 'resend', ids: [id, silent] });
      expect([action.done, action.failed]).toEqual([1, 1]);
      await until(async () => receiver.received.length === 2, 'the second delivery');
      const [first, again] = receiver.received;
      expect(again!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      expect((await resultsOf(member, action, '?result=failed'))[0]).toEqual([silent, 'failed', 'not_found', '', '']);
    } finally {
      await receiver.close();
    }
  });

  it('POST /v1/bulk-acts reissue asks the same person for the same photos with a new link', async () => {
    const request = {
      steps: [
        { type: 'image', key: 'front', description: 'The front', min: 1, max: 2 },
        { type: 'text', key: 'plate', description: 'Plate', validation: { max_length: 12 } },
      ],
      signals_required: ['screen'],
      metadata: { claim: 'C-9' },
      expires_in_seconds: 7_200,
      webhook_url: 'https://hooks.example/x',
      expected_info: { subject: { person: { name: 'Ada', external_ref: 'A-1' }, asset_ref: 'VIN 7' } },
    };
    const [id] = await made(1, request);
    const action = await done(member, { act: 'reissue', ids: [id] });
    const [[, result, , createdId]] = (await resultsOf(member, action)) as [string[]];
    expect(result).toBe('done');
    const [before, after] = [await read(member, id!), await read(member, createdId!)];
    expect(after.config).toEqual(before.config);
    expect(after.status).toBe('pending');
    const life = ({ created_at, expires_at }: Verification) => Date.parse(expires_at) - Date.parse(created_at);
    expect(life(after)).toBe(7_200_000);
    const found = await member.ask<{ data: Verification[] }>('/v1/verifications?external_ref=A-1');
    expect(found.body.data.map(each => each.id).toSorted()).toEqual([id, createdId].toSorted());
  });

  it('POST /v1/bulk-acts review puts ended cases into the queue', async () => {
    const reviewer = await signedIn(service, {
      tenantId: service.tenant.tenant_id,
      role: 'reviewer',
      livemode: false,
    });
    await service.deps.db.query("update verifications set review_state = 'none'");
    const [asked] = await openCases(service, 1, { livemode: false, label: 'verified', state: 'none' });
    const [waits] = await made(1, {});
    const action = await done(member, { act: 'review', ids: [asked, waits] });
    expect((await resultsOf(member, action)).map(line => line.slice(0, 3))).toEqual([
      [asked, 'done', ''],
      [waits, 'failed', 'not_reviewable'],
    ]);
    expect((await next(reviewer)).body.id).toBe(asked);
  });

  it('POST /v1/bulk-acts redact erases what no legal hold keeps, and only owners who signed in lately may', async () => {
    const [gone, held] = await made(2, { metadata: { claim: 'secret' } });
    await owner.ask(`/v1/verifications/${held}/legal-hold`, { method: 'PUT', body: { reason: 'A court case' } });
    const body = { act: 'redact', ids: [gone, held], reason: 'the person asked' };
    const refused = await member.ask<Failure>('/v1/bulk-acts', { body });
    expect([refused.status, refused.body.error!.code]).toEqual([403, 'forbidden']);
    const action = await done(owner, body);
    expect((await resultsOf(owner, action)).map(line => line.slice(0, 3))).toEqual([
      [gone, 'done', ''],
      [held, 'failed', 'on_hold'],
    ]);
    const receipt = await owner.ask<{ reason: string }>(`/v1/verifications/${gone}/redaction`);
    expect(receipt.body.reason).toBe('the person asked');
    const stale = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'owner', livemode: false });
    await service.deps.db.query("update sessions set created_at = created_at - interval '20 minutes' where id = $1", [
      stale.sessionId,
    ]);
    const late = await stale.ask<Failure>('/v1/bulk-acts', { body });
    expect([late.status, late.body.error!.code]).toEqual([403, 'reauthentication_required']);
  });

  it('POST /v1/bulk-acts refuses viewers, ids of others, and a body that says both or neither', async () => {
    const viewer = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'viewer', livemode: false });
    const [own] = await made(1, {});
    expect((await viewer.ask('/v1/bulk-acts', { body: { act: 'cancel', ids: [own] } })).status).toBe(403);
    const stranger = await service.newTenant();
    const foreign = await createVerification(service, {}, stranger.pk_test);
    const pathsOf = async (body: object) => {
      const reply = await member.ask<Failure>('/v1/bulk-acts', { body });
      expect(reply.status).toBe(400);
      return reply.body.error!.fields!.map(({ path }) => path);
    };
    expect(await pathsOf({ act: 'cancel', ids: [own, foreign.id] })).toEqual(['ids.1']);
    expect(await pathsOf({ act: 'cancel' })).toEqual(['ids']);
    expect(await pathsOf({ act: 'cancel', ids: [own], filter: {} })).toEqual(['ids']);
    expect(await pathsOf({ act: 'cancel', ids: [own], send: true, reason: 'x' })).toEqual(['send', 'reason']);
    expect(await pathsOf({ act: 'cancel', filter: { created_after: '2026-02-30T00:00:00.000Z' } })).toHaveLength(1);
  });

  it('POST /v1/bulk-acts/:id/cancel touches nothing that was not reached', async () => {
    const ids = await made(300, {});
    const { id } = await start(member, { act: 'cancel', ids });
    const { body: stopped } = await member.ask<BulkAction>(`/v1/bulk-acts/${id}/cancel`, { body: {} });
    expect([stopped.state, stopped.done < ids.length]).toEqual(['cancelled', true]);
    const unreached = (await resultsOf(member, stopped)).filter(([, result]) => result === 'not_done');
    expect(unreached).toHaveLength(ids.length - stopped.done);
    await until(
      async () => (await service.deps.db.query('select 1 from graphile_worker._private_jobs')).rowCount === 0,
      'the job to end',
    );
    const { rows } = await service.deps.db.query<{ status: string; n: number }>(
      'select status, count(*)::int as n from verifications where id = any($1) group by 1',
      [unreached.map(([of]) => of)],
    );
    expect(rows).toEqual([{ status: 'pending', n: unreached.length }]);
  });
});
