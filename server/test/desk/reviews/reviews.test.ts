import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import type { Review, ReviewAgreement, ReviewInput } from '@firsthand/contract/reviews/reviews.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signedIn, type Visitor } from '../../identity/people/visitor.ts';
import { checkBundle, downloadBundle } from '../../support/bundle.ts';
import { completedVerification } from '../../support/completed.ts';
import { codeOf, pathsOf } from '../../support/failure.ts';
import { ask, createVerification, until } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { type CaseOptions, next, openCases, read, review, setSettings, undo } from './cases.ts';

/** Next and decide twice: most reviews are these. */
const ACTIONS = ['next', 'next', 'decide', 'decide', 'release', 'undo'] as const;
const PEOPLE = 6;
const CASES = 12;

describe('reviews', () => {
  let shiftMs = 0;
  const now = () => new Date(Date.now() + shiftMs);
  const service = serviceOfSuite({ now });
  const beside = serviceOfSuite(() => ({ worker: false, beside: service, now }));

  const person = (role: Role = 'reviewer', livemode = true, tenantId = service.tenant.tenant_id) =>
    signedIn(service, { tenantId, role, livemode });
  /** A verification that the real pipeline brought to an outcome. */
  const ended = (
    outcome: string,
    { key, more, ...request }: { key?: string; more?: object; [member: string]: unknown } = {},
  ) => completedVerification(service, { request: { metadata: { test_outcome: outcome }, ...request }, key, more });
  /** A case of one's own, open for a review by one person unless `o` says otherwise. */
  const openCase = async (o: CaseOptions = {}): Promise<string> => (await openCases(service, 1, o))[0]!;
  const claim = (who: Visitor, id: string) => who.ask(`/v1/reviews/${id}/claim`, { body: {} });
  const release = (who: Visitor, id: string) => who.ask(`/v1/reviews/${id}/release`, { body: {} });
  const told = (hooks: WebhookReceiver, id: string) =>
    until(
      async () => hooks.of(id).find(({ event }) => event.type === 'verification.reviewed')?.event,
      'verification.reviewed',
    );

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
      const done = await ended('verified', {
        expected_location: '48.137,11.575',
        more: { location: { latitude: 52.52, longitude: 13.405, accuracy_m: 5 } },
      });
      expect([done.location_match?.result, done.review]).toEqual(['no_match', { state: 'open' }]);
      const tester = await person('reviewer', false);
      expect((await next(tester, { queue: 'checks' })).body.id).toBe(done.id);
      expect((await next(tester, { queue: 'checks' })).status).toBe(204);
    });

    it('a sample of one takes every verified one, unmarked and only in the queue of all', async () => {
      const tenant = await service.newTenant();
      await setSettings(service, { review_sample: 1 }, tenant.rk_secret);
      const done = await ended('verified', { key: tenant.pk_test });
      expect([done.verdict?.label, done.review]).toEqual(['verified', { state: 'open' }]);
      const reviewer = await person('reviewer', false, tenant.tenant_id);
      for (const queue of ['suspicious', 'failed', 'checks'])
        expect((await next(reviewer, { queue })).status).toBe(204);
      const taken = await next(reviewer);
      expect([taken.body.id, JSON.stringify(taken.body)]).toEqual([done.id, expect.not.stringContaining('sample')]);
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
        expect(state).toEqual({ state: 'decided', decision: 'rejected', decided_at: expect.any(String), version: 1 });
        expect(reviews).toEqual([made.body]);
        expect([rest.verdict, rest.status]).toEqual([before.verdict, before.status]);
        const { data } = await told(hooks, before.id);
        expect([data.review, data.reviews]).toEqual([state, reviews]);
        const list = await reviewer.ask<{ data: Verification[] }>('/v1/verifications');
        expect(list.body.data.find(({ id }) => id === before.id)).toMatchObject({ review: state, reviews });
      } finally {
        await hooks.close();
      }
    });

    it('takes only what is completed or failed', async () => {
      const reviewer = await person('reviewer', false);
      const { id } = await createVerification(service);
      expect(codeOf(await review(reviewer, id, { decision: 'approved' }))).toEqual([409, 'not_reviewable']);
      expect(codeOf(await claim(reviewer, id))).toEqual([409, 'not_reviewable']);
      const failed = await ended('failed');
      expect((await review(reviewer, failed.id, { decision: 'retake' })).status).toBe(201);
    });

    it('refuses a decided case and one that another person holds', async () => {
      const [a, b] = [await person(), await person()];
      const id = await openCase();
      expect((await claim(a, id)).status).toBe(200);
      expect(codeOf(await review(b, id, { decision: 'approved' }))).toEqual([409, 'claimed']);
      expect(codeOf(await claim(b, id))).toEqual([409, 'claimed']);
      expect(codeOf(await release(b, id))).toEqual([409, 'claimed']);
      expect((await read(b, id)).review).toEqual({
        state: 'claimed',
        claimed_by: { person_id: a.personId, name: expect.any(String) },
      });
      expect((await review(a, id, { decision: 'approved' })).status).toBe(201);
      expect(codeOf(await review(b, id, { decision: 'rejected' }))).toEqual([409, 'already_decided']);
      expect(codeOf(await claim(b, id))).toEqual([409, 'already_decided']);
    });

    it.each([
      [{ decision: 'maybe' }, 'decision'],
      [{ decision: 'approved', reasons: Array(9).fill('x') }, 'reasons'],
      [{ decision: 'approved', reasons: ['x'.repeat(41)] }, 'reasons.0'],
      [{ decision: 'approved', note: 'x'.repeat(2_001) }, 'note'],
      [{ decision: 'approved', flags: [{ capture_id: `cap_${'0'.repeat(26)}`, genuine: true }] }, 'flags.0.capture_id'],
    ])('%j is a fault of %s', async (body, path) => {
      const id = await openCase();
      const reply = await (await person()).ask(`/v1/verifications/${id}/reviews`, { body });
      expect([reply.status, pathsOf(reply)]).toEqual([400, [path]]);
    });

    it('is open to reviewers, members and owners, not to viewers or keys', async () => {
      const id = await openCase();
      expect(codeOf(await review(await person('viewer'), id, { decision: 'approved' }))).toEqual([403, 'forbidden']);
      const byKey = { key: service.tenant.rk_secret, body: { decision: 'approved' } };
      expect(codeOf(await ask(service, `/v1/verifications/${id}/reviews`, byKey))).toEqual([403, 'forbidden']);
      for (const role of ['reviewer', 'member', 'owner'] as const) {
        const own = await openCase();
        expect((await review(await person(role), own, { decision: 'approved' })).status).toBe(201);
      }
    });

    it('counts the seconds since the claim', async () => {
      const reviewer = await person();
      const id = await openCase();
      await claim(reviewer, id);
      shiftMs += 90_000;
      const { seconds } = (await review(reviewer, id, { decision: 'approved' })).body;
      expect([seconds >= 90, seconds < 130]).toEqual([true, true]);
    });

    it('escalated leaves the case open, only for members and owners', async () => {
      const tenant = await service.newTenant();
      const at = (role: Role) => person(role, true, tenant.tenant_id);
      const [a, b, member] = [await at('reviewer'), await at('reviewer'), await at('member')];
      const id = await openCase({ tenantId: tenant.tenant_id });
      expect((await review(a, id, { decision: 'escalated', note: 'Ask the insurer.' })).status).toBe(201);
      expect((await read(a, id)).review).toEqual({ state: 'open', version: 1 });
      for (const reviewer of [a, b]) {
        expect((await next(reviewer)).status).toBe(204);
        expect(codeOf(await review(reviewer, id, { decision: 'approved' }))).toEqual([403, 'forbidden']);
      }
      const taken = await next(member);
      expect([taken.body.id, taken.body.reviews[0]?.note]).toEqual([id, 'Ask the insurer.']);
      expect((await review(member, id, { decision: 'approved' })).status).toBe(201);
      expect((await read(b, id)).review).toMatchObject({ state: 'decided', decision: 'approved' });
    });
  });

  describe('DELETE /v1/verifications/:id/reviews/:review_id', () => {
    it('strikes within ten minutes, gives the case back to its author, and leaves the entry', async () => {
      const [a, b] = [await person(), await person()];
      const id = await openCase();
      const made = (await review(a, id, { decision: 'approved' })).body;
      expect(codeOf(await undo(b, id, made.id))).toEqual([403, 'forbidden']);
      expect((await undo(a, id, made.id)).status).toBe(204);
      expect((await undo(a, id, made.id)).status).toBe(204);
      const shown = await read(b, id);
      expect(shown.review).toMatchObject({ state: 'claimed', claimed_by: { person_id: a.personId } });
      expect(shown.reviews).toEqual([{ ...made, struck_at: expect.any(String) }]);
      expect((await review(a, id, { decision: 'rejected' })).status).toBe(201);
      const after = await read(b, id);
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
      const id = await openCase();
      const made = (await review(a, id, { decision: 'approved' })).body;
      shiftMs += 601_000;
      expect(codeOf(await undo(a, id, made.id))).toEqual([409, 'undo_expired']);
      expect((await read(a, id)).review.state).toBe('decided');
    });

    it('is too late once another person has reviewed the case', async () => {
      const [a, b] = [await person(), await person()];
      const id = await openCase({ needs: 2 });
      const made = (await review(a, id, { decision: 'approved' })).body;
      await review(b, id, { decision: 'rejected' });
      expect(codeOf(await undo(a, id, made.id))).toEqual([409, 'already_decided']);
    });
  });

  describe('two people', () => {
    it('decide blind to each other: nobody but the first sees the first decision, by any way', async () => {
      const tenant = await service.newTenant();
      await setSettings(service, { review_policy: 'two_people', review_sample: 0 }, tenant.rk_secret);
      const hooks = await receiveWebhooks();
      const { id } = await ended('suspicious', { webhook_url: hooks.url, key: tenant.pk_test });
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
      seen.bundle = (await downloadBundle(service, id, tenant.rk_secret)).toString('latin1');
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
      const { data } = await told(hooks, id);
      expect([data.review, data.reviews]).toEqual([done.review, done.reviews]);
      await hooks.close();
    });

    it('are two: the first is refused the second decision, an owner too', async () => {
      for (const role of ['reviewer', 'owner'] as const) {
        const a = await person(role);
        const id = await openCase({ needs: 2 });
        await review(a, id, { decision: 'approved' });
        expect(codeOf(await review(a, id, { decision: 'approved' }))).toEqual([409, 'already_decided']);
        expect(codeOf(await claim(a, id))).toEqual([409, 'already_decided']);
        expect((await read(a, id)).review.state).toBe('open');
      }
    });

    it('who disagree leave it to a third', async () => {
      const [a, b, c] = [await person(), await person(), await person()];
      const id = await openCase({ needs: 2 });
      await review(a, id, { decision: 'approved' });
      await review(b, id, { decision: 'rejected' });
      expect((await read(c, id)).review).toEqual({ state: 'disputed', version: 2 });
      expect((await read(c, id)).reviews.map(({ decision }) => decision)).toEqual(['approved', 'rejected']);
      for (const early of [a, b]) {
        expect(codeOf(await review(early, id, { decision: 'retake' }))).toEqual([409, 'already_decided']);
      }
      expect((await review(c, id, { decision: 'retake' })).status).toBe(201);
      expect((await read(a, id)).review).toMatchObject({ state: 'decided', decision: 'retake' });
    });

    it('stay blind: whoever took the second decision back has seen the first and is refused', async () => {
      const [a, b, c] = [await person(), await person(), await person()];
      const id = await openCase({ needs: 2 });
      await review(a, id, { decision: 'approved' });
      const made = (await review(b, id, { decision: 'rejected' })).body;
      expect((await undo(b, id, made.id)).status).toBe(204);
      expect(codeOf(await review(b, id, { decision: 'approved' }))).toEqual([409, 'already_decided']);
      expect((await read(c, id)).reviews).toEqual([]);
      expect((await review(c, id, { decision: 'approved' })).status).toBe(201);
      expect((await read(b, id)).review.state).toBe('decided');
    });
  });

  describe('POST /v1/reviews/next', () => {
    it('gives each case to one person, oldest first, by queue, and 204 when none is left', async () => {
      const tenant = await service.newTenant();
      const at = { tenantId: tenant.tenant_id };
      const [a, b] = [await person('reviewer', true, at.tenantId), await person('reviewer', true, at.tenantId)];
      const suspicious = await openCase(at);
      const failed = await openCase({ ...at, label: 'failed' });
      const checks = await openCase({ ...at, label: 'verified', causes: ['checks'] });
      expect((await next(a, { queue: 'checks' })).body.id).toBe(checks);
      expect((await next(a, { queue: 'checks' })).status).toBe(204);
      const taken = await next(b);
      expect([taken.body.id, taken.body.review.claimed_by?.person_id]).toEqual([suspicious, b.personId]);
      expect((await next(a)).body.id).toBe(failed);
      expect((await next(b)).status).toBe(204);
      expect((await release(b, suspicious)).status).toBe(204);
      expect((await release(b, suspicious)).status).toBe(204);
      expect((await next(a)).body.id).toBe(suspicious);
    });

    it('takes no body at all', async () => {
      expect([200, 204]).toContain((await (await person()).ask('/v1/reviews/next', { method: 'POST' })).status);
    });

    it('hands a case on when its claim has run out, and each action renews the claim', async () => {
      const tenant = await service.newTenant();
      const reviewer = () => person('reviewer', true, tenant.tenant_id);
      const [a, b] = [await reviewer(), await reviewer()];
      const id = await openCase({ tenantId: tenant.tenant_id });
      expect((await next(a)).body.id).toBe(id);
      for (let times = 0; times < 3; times += 1) {
        shiftMs += 500_000;
        expect((await next(a, { holding: [id] })).status).toBe(204);
        expect((await next(b)).status).toBe(204);
      }
      shiftMs += 601_000;
      expect((await next(b)).body.id).toBe(id);
      expect(codeOf(await review(a, id, { decision: 'approved' }))).toEqual([409, 'claimed']);
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
    const bundle = await downloadBundle(service, id);
    expect(await checkBundle(service, bundle)).toMatchObject({ exit_code: 0, faults: [] });
    // The archive is stored, so a file's text follows its name.
    const [, text] = /reviews\.json(\[.*?\])PK/s.exec(bundle.toString('utf8'))!;
    const reviews = JSON.parse(text!) as Review[];
    expect(reviews.map(({ decision, struck_at }) => [decision, struck_at !== undefined])).toEqual([
      ['approved', false],
      ['approved', true],
      ['rejected', false],
    ]);
  });

  it('GET /v1/reviews/agreement counts blind pairs, what stands, and the blind sample, of one account and mode', async () => {
    const { tenant_id: tenantId, rk_secret: key } = await service.newTenant();
    const reviewer = () => person('reviewer', true, tenantId);
    const [one, two] = [await reviewer(), await reviewer()];
    const agreement = async (query = '') =>
      (await ask<ReviewAgreement>(service, `/v1/reviews/agreement${query}`, { key })).body;
    expect(await agreement()).toEqual({
      since: expect.any(String),
      cases: 0,
      decisions: 0,
      pairs: 0,
      agreed: 0,
      sample: { decided: 0, approved: 0 },
    });
    const cases = await openCases(service, 4, { tenantId, needs: 2 });
    const [, , , undone] = cases;
    for (const [at, first, second] of [
      [0, 'approved', 'approved'],
      [1, 'rejected', 'rejected'],
      [2, 'approved', 'rejected'],
    ] as const) {
      await review(one, cases[at]!, { decision: first, seconds: 10 });
      await review(two, cases[at]!, { decision: second, seconds: 30 });
    }
    // An escalation decides nothing, and a decision taken back no longer stands.
    await review(one, undone!, { decision: 'escalated', seconds: 999 });
    const taken = await review(one, undone!, { decision: 'approved', seconds: 999 });
    await undo(one, undone!, taken.body.id);
    const sampled = { tenantId, label: 'verified', causes: ['sample'] } as const;
    await review(one, await openCase(sampled), { decision: 'approved', seconds: 20 });
    await openCase(sampled);
    const stranger = await service.newTenant();
    const foreign = await openCase({ tenantId: stranger.tenant_id });
    await review(await person('reviewer', true, stranger.tenant_id), foreign, { decision: 'rejected', seconds: 500 });
    const found = await agreement();
    // Observed 2/3; shares of approved and rejected are 1/2 each, so chance is 1/2: (2/3 - 1/2) / (1/2).
    expect(found).toEqual({
      since: expect.any(String),
      // Two agreed on two cases; the third is disputed, and one of the sample was decided by one person.
      cases: 3,
      decisions: 7,
      median_seconds: 20,
      pairs: 3,
      agreed: 2,
      kappa: 0.333,
      sample: { decided: 1, approved: 1 },
    });
    const test = await person('viewer', false, tenantId);
    expect((await test.ask<ReviewAgreement>('/v1/reviews/agreement')).body.decisions).toBe(0);
    const later = new Date(now().getTime() + 60_000).toISOString();
    expect((await agreement(`?since=${later}`)).decisions).toBe(0);
  });

  /**
   * The model: who holds which case, as the answers say. A case is taken at the answer that gives it, and free again when its holder asks to
   * decide or release it.
   */
  it('POST /v1/reviews/next never gives a case to a person while another holds it, whatever many people do at once on two nodes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom(...ACTIONS), { minLength: 8, maxLength: 16 }), {
          minLength: PEOPLE,
          maxLength: PEOPLE,
        }),
        async plans => {
          const { tenant_id: tenantId } = await service.newTenant();
          const cases = await openCases(service, CASES, { tenantId });
          const people = await Promise.all(
            plans.map((_, index) =>
              signedIn(index % 2 === 0 ? service : beside, { tenantId, role: 'reviewer', livemode: true }),
            ),
          );
          const holder = new Map<string, string>();
          let given = 0;
          const take = (id: string, personId: string) => {
            expect([undefined, personId]).toContain(holder.get(id));
            holder.set(id, personId);
            given += 1;
          };
          await Promise.all(
            plans.map(async (plan, index) => {
              const me = people[index]!;
              const mine: string[] = [];
              let last: { id: string; reviewId: string } | null = null;
              for (const action of plan) {
                if (action === 'next') {
                  const answer = await next(me, { holding: mine });
                  expect([200, 204]).toContain(answer.status);
                  if (answer.status === 204) continue;
                  take(answer.body.id, me.personId);
                  mine.push(answer.body.id);
                } else if (action === 'undo' && last) {
                  const { id, reviewId } = last;
                  last = null;
                  expect((await undo(me, id, reviewId)).status).toBe(204);
                  take(id, me.personId);
                  mine.push(id);
                } else if (action === 'decide' && mine.length > 0) {
                  const id = mine.shift()!;
                  holder.delete(id);
                  const made = await review(me, id, { decision: 'approved' });
                  expect(made.status).toBe(201);
                  last = { id, reviewId: made.body.id };
                } else if (action === 'release' && mine.length > 0) {
                  const id = mine.shift()!;
                  holder.delete(id);
                  expect((await me.ask(`/v1/reviews/${id}/release`, { body: {} })).status).toBe(204);
                }
              }
            }),
          );
          expect(given).toBeGreaterThan(0);
          const { rows } = await service.deps.db.query<{ verification_id: string; n: number }>(
            `select verification_id, count(*)::int as n from reviews where verification_id = any($1) and struck_at is null
             group by verification_id`,
            [cases],
          );
          expect(rows.filter(({ n }) => n !== 1)).toEqual([]);
        },
      ),
      { numRuns: 4 },
    );
  }, 60_000);
});
