import { Readable } from 'node:stream';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import type { Review, ReviewInput } from '@firsthand/contract/reviews/reviews.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { parseTrust } from '@firsthand/evidence/trust.ts';
import { verifyBundle } from '@firsthand/evidence/verify.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedIn } from '../../identity/people/visitor.ts';
import { codeOf, pathsOf } from '../../support/failure.ts';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  until,
  untilStatus,
} from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { next, openCases, read, review, setSettings, undo } from './cases.ts';

describe('reviews', () => {
  let service: TestService;
  let shiftMs = 0;
  beforeAll(async () => {
    service = await startTestService({ now: () => new Date(Date.now() + shiftMs) });
  });
  afterAll(() => service?.stop());

  const person = (role: Role = 'reviewer', livemode = true, tenantId = service.tenant.tenant_id) =>
    signedIn(service, { tenantId, role, livemode });
  /** A verification that the real pipeline brought to an outcome. */
  async function ended(outcome: string, request: object = {}) {
    const { id } = await createVerification(service, { metadata: { test_outcome: outcome }, ...request });
    await submit(service, id, await plain());
    return untilStatus(service, id, ['completed', 'failed']);
  }

  const bundleOf = (id: string, key: string) =>
    until(async () => {
      const answer = await fetch(`${service.url}/v1/verifications/${id}/evidence`, {
        headers: { authorization: `Bearer ${key}` },
      });
      return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : null;
    }, 'the bundle');

  describe('what opens a review', () => {
    it.each([
      ['suspicious', 'open'],
      ['screen_detected', 'open'],
      ['failed', 'open'],
      ['verified', 'none'],
    ])('the outcome %s leaves it %s', async (outcome, state) => {
      await setSettings(service, { review_sample: 0, review_policy: 'one' });
      expect((await ended(outcome)).review).toEqual({ state });
    });

    it('a place that did not match opens it', async () => {
      await setSettings(service, { review_sample: 0, review_policy: 'one' });
      const { id } = await createVerification(service, {
        metadata: { test_outcome: 'verified' },
        expected_location: '48.137,11.575',
      });
      await submit(service, id, await plain(), { location: { latitude: 52.52, longitude: 13.405, accuracy_m: 5 } });
      const done = await untilStatus(service, id, ['completed']);
      expect([done.location_match?.result, done.review]).toEqual(['no_match', { state: 'open' }]);
      const tester = await person('reviewer', false);
      expect((await next(tester, { queue: 'checks' })).body.id).toBe(id);
      expect((await next(tester, { queue: 'checks' })).status).toBe(204);
    });

    it('a sample of one takes every verified one, unmarked and in the queue of all alone', async () => {
      const tenant = await service.newTenant();
      await setSettings(service, { review_sample: 1 }, tenant.rk_secret);
      const { id } = await createVerification(service, { metadata: { test_outcome: 'verified' } }, tenant.pk_test);
      await submit(service, id, await plain());
      const done = await untilStatus(service, id, ['completed'], tenant.pk_test);
      expect([done.verdict?.label, done.review]).toEqual(['verified', { state: 'open' }]);
      const reviewer = await person('reviewer', false, tenant.tenant_id);
      for (const queue of ['suspicious', 'failed', 'checks'])
        expect((await next(reviewer, { queue })).status).toBe(204);
      const taken = await next(reviewer);
      expect([taken.body.id, JSON.stringify(taken.body)]).toEqual([id, expect.not.stringContaining('sample')]);
    });

    it('the policy none opens nothing', async () => {
      await setSettings(service, { review_policy: 'none' });
      expect((await ended('suspicious')).review).toEqual({ state: 'none' });
      await setSettings(service, { review_policy: 'one' });
    });
  });

  describe('POST /v1/verifications/:id/reviews', () => {
    it('decides a case, tells it by event and view, and changes neither verdict nor status', async () => {
      const hooks = await receiveWebhooks();
      try {
        const before = await ended('suspicious', { webhook_url: hooks.url });
        const reviewer = await person('reviewer', false);
        const flags = [{ capture_id: before.captures[0]!.id, genuine: false }];
        const body: ReviewInput = { decision: 'rejected', reasons: ['screen'], note: 'Moiré.', flags };
        const made = await review(reviewer, before.id, body);
        expect(made.status).toBe(201);
        expect(made.body).toEqual({
          ...body,
          id: expect.stringMatching(/^rev_/),
          by: { person_id: reviewer.personId, name: expect.any(String) },
          blind: false,
          seconds: 0,
          created_at: expect.any(String),
        });
        const { review: state, reviews, ...rest } = await read(reviewer, before.id);
        expect(state).toEqual({ state: 'decided', decision: 'rejected', decided_at: expect.any(String) });
        expect(reviews).toEqual([made.body]);
        expect([rest.verdict, rest.status]).toEqual([before.verdict, before.status]);
        const told = await until(
          async () => hooks.of(before.id).find(({ event }) => event.type === 'verification.reviewed'),
          'verification.reviewed',
        );
        expect([told.event.data.review, told.event.data.reviews]).toEqual([state, reviews]);
        const list = await reviewer.ask<{ data: Verification[] }>('/v1/verifications');
        expect(list.body.data.find(({ id }) => id === before.id)).toMatchObject({ review: state, reviews });
      } finally {
        await hooks.close();
      }
    });

    it('takes what is completed or failed alone', async () => {
      const reviewer = await person('reviewer', false);
      const { id } = await createVerification(service);
      expect(codeOf(await review(reviewer, id, { decision: 'approved' }))).toEqual([409, 'not_reviewable']);
      expect(codeOf(await reviewer.ask(`/v1/reviews/${id}/claim`, { body: {} }))).toEqual([409, 'not_reviewable']);
      const failed = await ended('failed');
      expect((await review(reviewer, failed.id, { decision: 'retake' })).status).toBe(201);
    });

    it('refuses a decided case and one that another person holds', async () => {
      const [a, b] = [await person(), await person()];
      const [id] = await openCases(service, 1);
      expect((await a.ask(`/v1/reviews/${id}/claim`, { body: {} })).status).toBe(200);
      expect(codeOf(await review(b, id!, { decision: 'approved' }))).toEqual([409, 'claimed']);
      expect(codeOf(await b.ask(`/v1/reviews/${id}/claim`, { body: {} }))).toEqual([409, 'claimed']);
      expect(codeOf(await b.ask(`/v1/reviews/${id}/release`, { body: {} }))).toEqual([409, 'claimed']);
      expect((await read(b, id!)).review).toEqual({
        state: 'claimed',
        claimed_by: { person_id: a.personId, name: expect.any(String) },
      });
      expect((await review(a, id!, { decision: 'approved' })).status).toBe(201);
      expect(codeOf(await review(b, id!, { decision: 'rejected' }))).toEqual([409, 'already_decided']);
      expect(codeOf(await b.ask(`/v1/reviews/${id}/claim`, { body: {} }))).toEqual([409, 'already_decided']);
    });

    it.each([
      [{ decision: 'maybe' }, 'decision'],
      [{ decision: 'approved', reasons: Array(9).fill('x') }, 'reasons'],
      [{ decision: 'approved', reasons: ['x'.repeat(41)] }, 'reasons.0'],
      [{ decision: 'approved', note: 'x'.repeat(2_001) }, 'note'],
      [{ decision: 'approved', flags: [{ capture_id: `cap_${'0'.repeat(26)}`, genuine: true }] }, 'flags.0.capture_id'],
    ])('%j is a fault of %s', async (body, path) => {
      const [id] = await openCases(service, 1);
      const reply = await (await person()).ask(`/v1/verifications/${id}/reviews`, { body });
      expect([reply.status, pathsOf(reply)]).toEqual([400, [path]]);
    });

    it('is open to reviewers, members and owners, not to viewers or keys', async () => {
      const [id] = await openCases(service, 1);
      expect(codeOf(await review(await person('viewer'), id!, { decision: 'approved' }))).toEqual([403, 'forbidden']);
      const byKey = { key: service.tenant.rk_secret, body: { decision: 'approved' } };
      expect(codeOf(await ask(service, `/v1/verifications/${id}/reviews`, byKey))).toEqual([403, 'forbidden']);
      for (const role of ['reviewer', 'member', 'owner'] as const) {
        const [own] = await openCases(service, 1);
        expect((await review(await person(role), own!, { decision: 'approved' })).status).toBe(201);
      }
    });

    it('counts the seconds since the claim', async () => {
      const reviewer = await person();
      const [id] = await openCases(service, 1);
      await reviewer.ask(`/v1/reviews/${id}/claim`, { body: {} });
      shiftMs += 90_000;
      const { seconds } = (await review(reviewer, id!, { decision: 'approved' })).body;
      expect([seconds >= 90, seconds < 130]).toEqual([true, true]);
    });

    it('escalated leaves the case open, for members and owners alone', async () => {
      const tenant = await service.newTenant();
      const at = (role: Role) => person(role, true, tenant.tenant_id);
      const [a, b, member] = [await at('reviewer'), await at('reviewer'), await at('member')];
      const [id] = await openCases(service, 1, { tenantId: tenant.tenant_id });
      expect((await review(a, id!, { decision: 'escalated', note: 'Ask the insurer.' })).status).toBe(201);
      expect((await read(a, id!)).review).toEqual({ state: 'open' });
      for (const reviewer of [a, b]) {
        expect((await next(reviewer)).status).toBe(204);
        expect(codeOf(await review(reviewer, id!, { decision: 'approved' }))).toEqual([403, 'forbidden']);
      }
      const taken = await next(member);
      expect([taken.body.id, taken.body.reviews[0]?.note]).toEqual([id, 'Ask the insurer.']);
      expect((await review(member, id!, { decision: 'approved' })).status).toBe(201);
      expect((await read(b, id!)).review).toMatchObject({ state: 'decided', decision: 'approved' });
    });
  });

  describe('DELETE /v1/verifications/:id/reviews/:review_id', () => {
    it('strikes within ten minutes, gives the case back to its author, and leaves the entry', async () => {
      const [a, b] = [await person(), await person()];
      const [id] = await openCases(service, 1);
      const made = (await review(a, id!, { decision: 'approved' })).body;
      expect(codeOf(await undo(b, id!, made.id))).toEqual([403, 'forbidden']);
      expect((await undo(a, id!, made.id)).status).toBe(204);
      expect((await undo(a, id!, made.id)).status).toBe(204);
      const shown = await read(b, id!);
      expect(shown.review).toMatchObject({ state: 'claimed', claimed_by: { person_id: a.personId } });
      expect(shown.reviews).toEqual([{ ...made, struck_at: expect.any(String) }]);
      expect((await review(a, id!, { decision: 'rejected' })).status).toBe(201);
      const after = await read(b, id!);
      expect([
        after.review.decision,
        after.reviews.map(({ decision, struck_at }) => [decision, struck_at !== undefined]),
      ]).toEqual([
        'rejected',
        [
          ['approved', true],
          ['rejected', false],
        ],
      ]);
    });

    it('is too late after ten minutes', async () => {
      const a = await person();
      const [id] = await openCases(service, 1);
      const made = (await review(a, id!, { decision: 'approved' })).body;
      shiftMs += 601_000;
      expect(codeOf(await undo(a, id!, made.id))).toEqual([409, 'undo_expired']);
      expect((await read(a, id!)).review.state).toBe('decided');
    });

    it('is too late once another person has reviewed the case', async () => {
      const [a, b] = [await person(), await person()];
      const [id] = await openCases(service, 1, { needs: 2 });
      const made = (await review(a, id!, { decision: 'approved' })).body;
      await review(b, id!, { decision: 'rejected' });
      expect(codeOf(await undo(a, id!, made.id))).toEqual([409, 'already_decided']);
    });
  });

  describe('two people', () => {
    it('decide blind to each other: nobody but the first sees the first decision, by any way', async () => {
      const tenant = await service.newTenant();
      await setSettings(service, { review_policy: 'two_people', review_sample: 0 }, tenant.rk_secret);
      const hooks = await receiveWebhooks();
      const { id } = await createVerification(
        service,
        { metadata: { test_outcome: 'suspicious' }, webhook_url: hooks.url },
        tenant.pk_test,
      );
      await submit(service, id, await plain());
      await untilStatus(service, id, ['completed'], tenant.pk_test);
      const at = (role: Role) => person(role, false, tenant.tenant_id);
      const [first, second, owner] = [await at('owner'), await at('reviewer'), await at('owner')];
      const PLANTED = 'Xylophone of the first';
      const made = await review(first, id, { decision: 'rejected', reasons: ['zither'], note: PLANTED });
      expect([made.status, made.body.blind]).toEqual([201, false]);
      await ask(service, `/v1/verifications/${id}/finalize`, { key: tenant.pk_test, body: { narrative: 'A tale.' } });
      await until(
        async () => hooks.received.some(({ event }) => event.type === 'verification.case_completed'),
        'the event after the first decision',
      );

      const key = { key: tenant.rk_secret };
      const seen: Record<string, string> = {
        second: JSON.stringify(await read(second, id)),
        owner: JSON.stringify(await read(owner, id)),
        secret: (await ask(service, `/v1/verifications/${id}`, key)).text,
        publishable: (await ask(service, `/v1/verifications/${id}`, { key: tenant.pk_test })).text,
        list: (await ask(service, '/v1/verifications', key)).text,
        'list of the second': (await second.ask('/v1/verifications')).text,
        audit: (await ask(service, '/v1/audit-log', key)).text,
        public: (await ask(service, `/v1/verifications/${id}/public`)).text,
        next: (await next(second)).text,
        hooks: JSON.stringify(hooks.received),
        events: JSON.stringify(
          (await service.deps.db.query('select body from events where verification_id = $1', [id])).rows,
        ),
      };
      seen.bundle = (await bundleOf(id, tenant.rk_secret)).toString('latin1');
      for (const [where, text] of Object.entries(seen)) {
        expect([where, text.includes('rejected'), text.includes('zither'), text.includes(PLANTED)]).toEqual([
          where,
          false,
          false,
          false,
        ]);
        expect([where, text.includes(made.body.id) && where !== 'audit']).toEqual([where, false]);
      }
      expect((await read(first, id)).reviews).toEqual([made.body]);
      expect((await read(first, id)).review.state).toBe('claimed');

      expect((await review(second, id, { decision: 'rejected' })).body.blind).toBe(true);
      const done = await read(owner, id);
      expect(done.review).toMatchObject({ state: 'decided', decision: 'rejected' });
      expect(done.reviews.map(({ by, note }: Review) => [by.person_id, note])).toEqual([
        [first.personId, PLANTED],
        [second.personId, undefined],
      ]);
      const told = await until(
        async () => hooks.of(id).find(({ event }) => event.type === 'verification.reviewed'),
        'verification.reviewed',
      );
      expect([told.event.data.review, told.event.data.reviews]).toEqual([done.review, done.reviews]);
      await hooks.close();
    });

    it('are two: the first is refused the second decision, an owner too', async () => {
      for (const role of ['reviewer', 'owner'] as const) {
        const [a] = [await person(role)];
        const [id] = await openCases(service, 1, { needs: 2 });
        await review(a, id!, { decision: 'approved' });
        expect(codeOf(await review(a, id!, { decision: 'approved' }))).toEqual([409, 'already_decided']);
        expect(codeOf(await a.ask(`/v1/reviews/${id}/claim`, { body: {} }))).toEqual([409, 'already_decided']);
        expect((await read(a, id!)).review.state).toBe('open');
      }
    });

    it('who disagree leave it to a third', async () => {
      const [a, b, c] = [await person(), await person(), await person()];
      const [id] = await openCases(service, 1, { needs: 2 });
      await review(a, id!, { decision: 'approved' });
      await review(b, id!, { decision: 'rejected' });
      expect((await read(c, id!)).review).toEqual({ state: 'disputed' });
      expect((await read(c, id!)).reviews.map(({ decision }) => decision)).toEqual(['approved', 'rejected']);
      for (const early of [a, b]) {
        expect(codeOf(await review(early, id!, { decision: 'retake' }))).toEqual([409, 'already_decided']);
      }
      expect((await review(c, id!, { decision: 'retake' })).status).toBe(201);
      expect((await read(a, id!)).review).toMatchObject({ state: 'decided', decision: 'retake' });
    });

    it('stay blind: whoever took the second decision back has seen the first and is refused', async () => {
      const [a, b, c] = [await person(), await person(), await person()];
      const [id] = await openCases(service, 1, { needs: 2 });
      await review(a, id!, { decision: 'approved' });
      const made = (await review(b, id!, { decision: 'rejected' })).body;
      expect((await undo(b, id!, made.id)).status).toBe(204);
      expect(codeOf(await review(b, id!, { decision: 'approved' }))).toEqual([409, 'already_decided']);
      expect((await read(c, id!)).reviews).toEqual([]);
      expect((await review(c, id!, { decision: 'approved' })).status).toBe(201);
      expect((await read(b, id!)).review.state).toBe('decided');
    });
  });

  describe('POST /v1/reviews/next', () => {
    it('gives each case to one person, oldest first, by queue, and 204 when none is left', async () => {
      const tenant = await service.newTenant();
      const at = { tenantId: tenant.tenant_id };
      const [a, b] = [await person('reviewer', true, at.tenantId), await person('reviewer', true, at.tenantId)];
      const [suspicious] = await openCases(service, 1, at);
      const [failed] = await openCases(service, 1, { ...at, label: 'failed' });
      const [checks] = await openCases(service, 1, { ...at, label: 'verified', causes: ['checks'] });
      expect((await next(a, { queue: 'checks' })).body.id).toBe(checks);
      expect((await next(a, { queue: 'checks' })).status).toBe(204);
      const taken = await next(b);
      expect([taken.body.id, taken.body.review.claimed_by?.person_id]).toEqual([suspicious, b.personId]);
      expect((await next(a)).body.id).toBe(failed);
      expect((await next(b)).status).toBe(204);
      expect((await b.ask(`/v1/reviews/${suspicious}/release`, { body: {} })).status).toBe(204);
      expect((await b.ask(`/v1/reviews/${suspicious}/release`, { body: {} })).status).toBe(204);
      expect((await next(a)).body.id).toBe(suspicious);
    });

    it('takes no body at all', async () => {
      expect([200, 204]).toContain((await (await person()).ask('/v1/reviews/next', { method: 'POST' })).status);
    });

    it('hands a case on when its claim has run out, and each act renews the claim', async () => {
      const tenant = await service.newTenant();
      const [a, b] = [
        await person('reviewer', true, tenant.tenant_id),
        await person('reviewer', true, tenant.tenant_id),
      ];
      const [id] = await openCases(service, 1, { tenantId: tenant.tenant_id });
      expect((await next(a)).body.id).toBe(id);
      for (let act = 0; act < 3; act += 1) {
        shiftMs += 500_000;
        expect((await next(a, { holding: [id] })).status).toBe(204);
        expect((await next(b)).status).toBe(204);
      }
      shiftMs += 601_000;
      expect((await next(b)).body.id).toBe(id);
      expect(codeOf(await review(a, id!, { decision: 'approved' }))).toEqual([409, 'claimed']);
    });

    it('gives a page that was reloaded its cases back', async () => {
      const tenant = await service.newTenant();
      const a = await person('reviewer', true, tenant.tenant_id);
      const [one, two] = await openCases(service, 2, { tenantId: tenant.tenant_id });
      await next(a);
      await next(a);
      expect((await next(a)).status).toBe(204);
      expect((await next(a, { holding: [] })).body.id).toBe(one);
      expect((await next(a, { holding: [one] })).body.id).toBe(two);
      expect((await next(a, { holding: [one, two] })).status).toBe(204);
    });

    it("shows a person only their mode's cases and their account's", async () => {
      const tenant = await service.newTenant();
      await openCases(service, 1, { tenantId: tenant.tenant_id, livemode: false });
      expect((await next(await person('reviewer', true, tenant.tenant_id))).status).toBe(204);
      expect((await next(await person('reviewer', false, tenant.tenant_id))).status).toBe(200);
    });
  });

  it('each review and each strike is a statement of the log, and the bundle holds them', async () => {
    const { id } = await ended('suspicious');
    const a = await person('reviewer', false);
    const made = (await review(a, id, { decision: 'approved' })).body;
    await undo(a, id, made.id);
    await review(a, id, { decision: 'rejected' });
    const bundle = await bundleOf(id, service.tenant.rk_secret);
    const { body: keys } = await ask(service, '/v1/evidence-keys');
    const report = await verifyBundle(Readable.from([bundle]), { trusted: parseTrust(JSON.stringify(keys)) });
    expect([report.exit_code, report.faults]).toEqual([0, []]);
    // The archive is stored, so a file's text follows its name.
    const [, text] = /reviews\.json(\[.*?\])PK/s.exec(bundle.toString('utf8'))!;
    const reviews = JSON.parse(text!) as Review[];
    expect(reviews.map(({ decision, struck_at }) => [decision, struck_at !== undefined])).toEqual([
      ['approved', false],
      ['approved', true],
      ['rejected', false],
    ]);
  });
});
