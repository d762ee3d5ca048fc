import { type Fault, unknownReference } from '@firsthand/contract/base/fault.ts';
import {
  CommentInput,
  CommentList,
  ReviewComment as CommentSchema,
  type ReviewComment,
} from '@firsthand/contract/reviews/comments.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { findMember } from '../../identity/people/persons.ts';
import { many, type Queryable, transaction } from '../../platform/db/sql.ts';
import { created, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { personOf } from '../../platform/http/principal.ts';
import { invalid, redacted } from '../../platform/http/problem.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { newId } from '../../platform/lib/ids.ts';
import { isBlind } from '../../verification/verifications/reviews.ts';
import { findVerification, lockVerification } from '../../verification/verifications/row.ts';
import { reviewerOf } from './case.ts';

interface CommentRow {
  id: string;
  person_id: string;
  person_name: string;
  text: string;
  mentions: { person_id: string; name: string }[] | null;
  created_at: Date;
}

const present = (row: CommentRow): ReviewComment => ({
  id: row.id,
  by: { person_id: row.person_id, name: row.person_name },
  text: row.text,
  mentions: row.mentions ?? [],
  created_at: row.created_at.toISOString(),
});

/**
 * The comments of a case that a person sees, oldest first. While a second person must decide blind, those of whoever decided first would
 * tell the decision.
 */
const commentsOf = (db: Queryable, o: { verificationId: string; viewer: string; blind: boolean }) =>
  many<CommentRow>(
    db,
    `select c.id, c.person_id, c.person_name, c.text, c.created_at,
       (select jsonb_agg(jsonb_build_object('person_id', p.id, 'name', coalesce(m.name, p.name, 'Unnamed person')))
        from persons p left join memberships m on m.person_id = p.id and m.tenant_id = c.tenant_id
        where p.id = any(c.mentions)) as mentions
     from review_comments c where c.verification_id = $1 and (not $3 or c.person_id = $2 or not exists (
       select from reviews r where r.verification_id = $1 and r.person_id = c.person_id and r.struck_at is null
         and r.decision <> 'escalated'))
     order by c.number`,
    [o.verificationId, o.viewer, o.blind],
  );

const common = { tag: 'Reviews', credentials: ['session'], target: 'id' } as const;

export const listComments = tenantEndpoint({
  operationId: 'listReviewComments',
  summary: 'List the comments on a case, oldest first',
  description:
    'What people of the account wrote to each other. Only they read it: it stands in no webhook, export, bundle or public ' +
    'page, and is erased with the case. While a second person decides blind, the first one’s comments are left out for others.',
  ...common,
  responses: { 200: CommentList },
  async handler({ deps, params, principal }) {
    const row = await findVerification(deps.db, params.id!);
    const viewer = personOf(principal).userId;
    const rows = await commentsOf(deps.db, {
      verificationId: params.id!,
      viewer,
      blind: row !== undefined && isBlind(row),
    });
    return ok({ data: rows.map(present) });
  },
});

export const addComment = tenantEndpoint({
  operationId: 'addReviewComment',
  summary: 'Comment on a case',
  description: 'Each person in `mentions` is mailed a link to the case, without the text, as long as they may see it.',
  ...common,
  role: 'reviewer',
  body: CommentInput,
  responses: { 201: CommentSchema },
  errors: ['redacted'],
  async handler(call) {
    const { deps, params, body, principal } = call;
    const person = personOf(principal);
    const mentions = [...new Set(body.mentions ?? [])];
    return transaction(deps.db, async tx => {
      const row = await lockVerification(tx, params.id!);
      if (!row || row.redacted_at) throw redacted();
      const faults: Fault[] = [];
      for (const [index, id] of mentions.entries()) {
        if (!(await findMember(tx, person.tenantId, id)))
          faults.push(unknownReference(`mentions.${index}`, 'is nobody of this account'));
      }
      if (faults.length > 0) throw invalid(faults);
      const by = await reviewerOf(tx, person);
      const at = deps.clock.now();
      const id = newId('cmt', at.getTime());
      await tx.query(
        `insert into review_comments (id, verification_id, tenant_id, person_id, person_name, text, mentions, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [id, row.id, person.tenantId, by.person_id, by.name, body.text, mentions, at],
      );
      await audit(tx, activityOf(call), { action: 'review.commented', target: row.id, detail: { comment_id: id } });
      if (deps.mailer) {
        for (const personId of mentions.filter(one => one !== person.userId))
          await addJob(tx, 'mail_mention', { comment_id: id, person_id: personId });
      }
      const rows = await commentsOf(tx, { verificationId: row.id, viewer: person.userId, blind: false });
      const answer = created(present(rows.find(comment => comment.id === id)!));
      await call.keepAnswer(tx, answer);
      return answer;
    });
  },
});
