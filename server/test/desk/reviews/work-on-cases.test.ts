import type { ReviewComment } from '@firsthand/contract/reviews/comments.ts';
import type { Verification, VerificationList } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailMention } from '../../../src/delivery/notifications/mention.ts';
import { signedIn, type Visitor } from '../../identity/people/visitor.ts';
import { codeOf, pathsOf } from '../../support/failure.ts';
import { ask, until } from '../../support/harness.ts';
import { openMailbox } from '../../support/mailbox.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { next, openCases, read, review, undo } from './cases.ts';

const SECRET = 'between us: the second photo shows a screen';

describe('work on cases', () => {
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  beforeAll(async () => {
    mailbox = await openMailbox();
  });
  afterAll(() => mailbox.close());
  const service = serviceOfSuite(async () => {
    return { env: { SMTP_URL: mailbox.url, MAIL_FROM: 'desk@firsthand.example' } };
  });
  const account = async () => {
    const { tenant_id: tenantId, rk_secret: key } = await service.newTenant();
    const person = (role: 'viewer' | 'reviewer' | 'member' | 'owner') =>
      signedIn(service, { tenantId, role, livemode: true });
    return { tenantId, key, person };
  };
  type Person = Awaited<ReturnType<typeof signedIn>>;
  const assign = (who: Visitor, id: string, body: object) =>
    who.ask<Verification>(`/v1/verifications/${id}/assignee`, { method: 'PUT', body });
  const comment = (who: Visitor, id: string, body: object) =>
    who.ask<ReviewComment>(`/v1/verifications/${id}/comments`, { body });
  const comments = async (who: Visitor, id: string) =>
    (await who.ask<{ data: ReviewComment[] }>(`/v1/verifications/${id}/comments`)).body.data;
  const paramsOf = (reply: { body: unknown }) => (reply.body as { error: { params: object } }).error.params;

  it('GET /v1/reviews/waiting counts what the queue still offers a person: not what others hold, are assigned or they decided themselves', async () => {
    const { tenantId, person } = await account();
    const ids = await openCases(service, 4, { tenantId });
    const [lead, assignee] = [await person('owner'), await person('reviewer')];
    const waiting = async (who: Visitor) => (await who.ask('/v1/reviews/waiting')).body;
    expect(await waiting(lead)).toEqual({ all: 4, mine: 0 });
    await assign(lead, ids[0]!, { person_id: assignee.personId });
    expect([await waiting(lead), await waiting(assignee)]).toEqual([
      { all: 3, mine: 0 },
      { all: 4, mine: 1 },
    ]);
    expect((await next(lead)).body.id).toBe(ids[1]);
    await review(lead, ids[2]!, { decision: 'escalated' });
    expect([await waiting(lead), await waiting(assignee)]).toEqual([
      { all: 2, mine: 0 },
      { all: 2, mine: 1 },
    ]);
    expect((await (await person('viewer')).ask('/v1/reviews/waiting')).status).toBe(403);
  });

  describe('versions', () => {
    it('POST /v1/verifications/:id/reviews with an old version is 409 review_changed with where the case stands, and changes nothing', async () => {
      const { tenantId, person } = await account();
      const [id] = await openCases(service, 1, { tenantId });
      const [first, second] = [await person('member'), await person('member')];
      expect((await read(first, id!)).review.version).toBeUndefined();
      await review(second, id!, { decision: 'escalated', version: 0 });
      const late = await review(first, id!, { decision: 'approved', version: 0 });
      expect(codeOf(late)).toEqual([409, 'review_changed']);
      expect(paramsOf(late)).toEqual({ version: 1, state: 'open' });
      const now = await read(first, id!);
      expect([now.review.state, now.review.version, now.reviews.length]).toEqual(['open', 1, 1]);
      const decided = await review(first, id!, { decision: 'approved', version: 1 });
      expect(decided.status).toBe(201);
      await undo(first, id!, decided.body.id);
      expect((await read(first, id!)).review.version).toBe(3);
    });
  });

  describe('assignment', () => {
    it('PUT /v1/verifications/:id/assignee: the queue offers the case to its assignee only, and the filter finds it', async () => {
      const { tenantId, key, person } = await account();
      const [id, other] = await openCases(service, 2, { tenantId });
      const [lead, assignee]: [Person, Person] = [await person('member'), await person('reviewer')];
      const given = await assign(lead, id!, { person_id: assignee.personId, version: 0 });
      expect(given.body.review.assigned_to?.person_id).toBe(assignee.personId);
      expect((await next(lead)).body.id).toBe(other);
      expect((await next(lead)).status).toBe(204);
      expect((await next(assignee, { queue: 'mine' })).body.id).toBe(id);
      const list = await ask<VerificationList>(service, `/v1/verifications?assigned_to=${assignee.personId}`, { key });
      expect(list.body.data.map(row => row.id)).toEqual([id]);
      const stale = await assign(lead, id!, { person_id: lead.personId, version: 0 });
      expect(codeOf(stale)).toEqual([409, 'review_changed']);
      expect((await assign(lead, id!, { person_id: null, version: 1 })).body.review).not.toHaveProperty('assigned_to');
    });

    it('PUT /v1/verifications/:id/assignee refuses viewers, strangers and decided cases; whoever left keeps no case from the others', async () => {
      const { tenantId, person } = await account();
      const [id] = await openCases(service, 1, { tenantId });
      const [lead, viewer, gone] = [await person('owner'), await person('viewer'), await person('reviewer')];
      const stranger = await (await account()).person('reviewer');
      for (const { personId } of [viewer, stranger])
        expect(pathsOf(await assign(lead, id!, { person_id: personId }))).toEqual(['person_id']);
      expect((await assign(viewer, id!, { person_id: null })).status).toBe(403);
      expect((await assign(stranger, id!, { person_id: null })).status).toBe(404);
      await assign(lead, id!, { person_id: gone.personId });
      expect((await next(lead)).status).toBe(204);
      await lead.ask(`/v1/people/${gone.personId}`, { method: 'DELETE' });
      expect((await next(lead)).body.id).toBe(id);
      await review(lead, id!, { decision: 'approved' });
      expect(codeOf(await assign(lead, id!, { person_id: lead.personId }))).toEqual([409, 'already_decided']);
    });
  });

  describe('comments', () => {
    it('POST /v1/verifications/:id/comments mails whom it mentions a link without the text, and nobody outside the account reads it', async () => {
      const { tenantId, key, person } = await account();
      const [id] = await openCases(service, 1, { tenantId });
      const [author, named] = [await person('reviewer'), await person('viewer')];
      const made = await comment(author, id!, { text: SECRET, mentions: [named.personId, author.personId] });
      expect(made.status).toBe(201);
      expect((await comments(named, id!)).map(({ text }) => text)).toEqual([SECRET]);
      const mail = await until(
        async () => mailbox.mails.find(({ parts }) => parts['text/plain']?.includes(id!)),
        'the mail',
      );
      expect(mail.raw).not.toContain('between');
      expect(mail.parts['text/plain']).toContain(`/dashboard/verifications/${id}?mode=live`);
      expect(mailbox.mails.filter(({ parts }) => parts['text/plain']?.includes(id!))).toHaveLength(1);

      const stranger = await (await account()).person('owner');
      expect((await stranger.ask(`/v1/verifications/${id}/comments`)).status).toBe(404);
      expect((await ask(service, `/v1/verifications/${id}/comments`, { key })).status).toBe(403);
      expect((await comment(named, id!, { text: 'no' })).status).toBe(403);
      expect(pathsOf(await comment(author, id!, { text: 'x', mentions: [stranger.personId] }))).toEqual(['mentions.0']);
      for (const path of [
        `/v1/verifications/${id}`,
        `/v1/verifications/${id}/public`,
        `/v1/verify/${id}`,
        '/v1/verifications/export',
      ])
        expect((await ask(service, path, path.includes('verify/') ? {} : { key })).text).not.toContain('between us');
      const events = await service.deps.db.query<{ text: string }>(
        'select body as text from events where verification_id = $1',
        [id],
      );
      for (const { text } of events.rows) expect(String(text)).not.toContain('between us');
    });

    it('mail_mention skips whoever left the account before it is sent', async () => {
      const { tenantId, person } = await account();
      const [id] = await openCases(service, 1, { tenantId });
      const [owner, named] = [await person('owner'), await person('reviewer')];
      await comment(owner, id!, { text: 'look', mentions: [named.personId] });
      await until(async () => mailbox.mails.some(({ raw }) => raw.includes(id!)) || undefined, 'the first mail');
      const { rows } = await service.deps.db.query<{ id: string }>(
        'select id from review_comments where verification_id = $1',
        [id],
      );
      await owner.ask(`/v1/people/${named.personId}`, { method: 'DELETE' });
      const before = mailbox.mails.length;
      await mailMention(service.deps, rows[0]!.id, named.personId);
      expect(mailbox.mails).toHaveLength(before);
    });

    it('GET /v1/verifications/:id/comments leaves out those of the first decider while the second is blind; erasing the case deletes all', async () => {
      const { tenantId, key, person } = await account();
      const [id] = await openCases(service, 1, { tenantId, needs: 2 });
      const [first, second, third] = [await person('reviewer'), await person('reviewer'), await person('reviewer')];
      await comment(third, id!, { text: 'a question' });
      await comment(first, id!, { text: SECRET });
      await review(first, id!, { decision: 'rejected' });
      expect((await comments(second, id!)).map(({ text }) => text)).toEqual(['a question']);
      expect((await comments(first, id!)).map(({ text }) => text)).toEqual(['a question', SECRET]);
      await review(second, id!, { decision: 'rejected' });
      expect((await comments(second, id!)).map(({ text }) => text)).toEqual(['a question', SECRET]);
      await ask(service, `/v1/verifications/${id}/redact`, { key, body: {} });
      expect(
        (await service.deps.db.query('select 1 from review_comments where verification_id = $1', [id])).rows,
      ).toEqual([]);
      expect(codeOf(await comment(first, id!, { text: 'late' }))).toEqual([410, 'redacted']);
    });
  });
});
