import type { Reviewer, ReviewQueue } from '@firsthand/contract/reviews/reviews.ts';
import { one, type Queryable, type Tx } from '../../platform/db/sql.ts';
import type { VerificationRow } from './row.ts';

/** The person who claims, and when the claims end. `now` is the database's time. */
export interface Claim {
  tenantId: string;
  livemode: boolean;
  reviewer: Reviewer;
  now: Date;
  until: Date;
}

/**
 * Claims the case that has waited longest and that this person may review, or returns undefined. The rules are those of
 * `desk/reviews/standing.ts`. A case that another transaction looks at is passed over, so no two people get one case and
 * nobody waits.
 */
export const claimNext = (
  tx: Tx,
  o: Claim & { queue: ReviewQueue; seesEscalated: boolean },
): Promise<VerificationRow | undefined> =>
  one<VerificationRow>(
    tx,
    `update verifications set review_claimed_by = $1, review_claimed_at = $2, review_claimed_until = $3
     where id = (
       select v.id from verifications v
       where v.tenant_id = $4 and v.livemode = $5 and v.review_state in ('open', 'disputed')
         and (v.review_claimed_until is null or v.review_claimed_until <= $2)
         and v.redacted_at is null
         and ($7 = 'all' or v.review_causes ? $7) and ($8 or not v.review_escalated)
         and not exists (select from captures c where c.verification_id = v.id and c.sent_by = $6)
         and not exists (
           select from reviews own where own.verification_id = v.id and own.person_id = $6 and (
             own.struck_at is null
             -- A person who took back a second decision has seen the first.
             or v.review_needs = 2 and v.review_state = 'open' and own.decision <> 'escalated' and exists (
               select from reviews first where first.verification_id = v.id and first.number < own.number
                 and first.struck_at is null and first.decision <> 'escalated')))
       order by v.review_opened_at, v.id limit 1 for update of v skip locked)
     returning *`,
    [
      JSON.stringify(o.reviewer),
      o.now,
      o.until,
      o.tenantId,
      o.livemode,
      o.reviewer.person_id,
      o.queue,
      o.seesEscalated,
    ],
  );

/** The case that a person has held for longest, besides those listed. */
export const findHeld = (tx: Tx, o: Claim, besides: readonly string[]): Promise<VerificationRow | undefined> =>
  one<VerificationRow>(
    tx,
    `select * from verifications
     where tenant_id = $1 and livemode = $2 and review_state in ('open', 'disputed')
       and review_claimed_by ->> 'person_id' = $3 and review_claimed_until > $4 and not (id = any($5))
     order by review_claimed_at, id limit 1`,
    [o.tenantId, o.livemode, o.reviewer.person_id, o.now, besides],
  );

/** Renews those of the listed claims that the person still holds. */
export async function renewClaims(tx: Tx, o: Claim, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update verifications set review_claimed_until = $1
     where id = any(array(
       select id from verifications
       where id = any($2) and tenant_id = $3 and livemode = $4 and review_claimed_by ->> 'person_id' = $5
         and review_claimed_until > $6
       order by id for update))`,
    [o.until, ids, o.tenantId, o.livemode, o.reviewer.person_id, o.now],
  );
}

/** Takes erased verifications out of the queue, because there is nothing left to review. Decisions stay. */
export async function closeReviews(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update verifications set review_claimed_by = null, review_claimed_at = null, review_claimed_until = null,
       review_state = case when review_state = 'decided' then 'decided' else 'none' end
     where id = any($1)`,
    [ids],
  );
}
