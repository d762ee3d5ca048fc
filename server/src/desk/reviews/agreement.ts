import { type Fault, noSuchDate } from '@firsthand/contract/base/fault.ts';
import { DateTime, instantOf } from '@firsthand/contract/base/ids.ts';
import { ReviewAgreement } from '@firsthand/contract/reviews/reviews.ts';
import { Type } from 'typebox';
import { many, one } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { readableModes } from '../../platform/http/principal.ts';
import { kappaOf } from './kappa.ts';

const USUAL_MS = 90 * 86_400_000;

const sinceFaults = (query: unknown): Fault[] => {
  const { since } = query as { since?: string };
  return since !== undefined && !instantOf(since) ? [noSuchDate('since')] : [];
};

export const getReviewAgreement = tenantEndpoint({
  operationId: 'getReviewAgreement',
  summary: 'Get reviewer agreement and review times',
  description:
    'Over the decisions since a moment, by default of the last 90 days. The numbers are of the whole account: none is of one person.',
  tag: 'Reviews',
  credentials: ['session', 'secret'],
  query: Type.Object({ since: Type.Optional(DateTime) }, { additionalProperties: false }),
  recordFaults: ({ query }) => sinceFaults(query),
  responses: { 200: ReviewAgreement },
  async handler({ deps, principal, query }) {
    const since = query.since === undefined ? new Date(deps.clock.now().getTime() - USUAL_MS) : instantOf(query.since)!;
    const of = [principal.tenantId, readableModes(principal), since];
    const [pace, pairs, sample] = await Promise.all([
      one<{ decisions: number; median: number | null }>(
        deps.db,
        `select count(*)::int as decisions, percentile_cont(0.5) within group (order by r.seconds) as median
         from reviews r join verifications v on v.id = r.verification_id
         where r.tenant_id = $1 and v.livemode = any($2) and r.created_at >= $3 and r.struck_at is null
           and r.decision <> 'escalated'`,
        of,
      ),
      many<{ first: string; second: string; cases: number }>(
        deps.db,
        `select first.decision as first, second.decision as second, count(*)::int as cases
         from reviews second join verifications v on v.id = second.verification_id
         join lateral (
           select decision from reviews r
           where r.verification_id = second.verification_id and r.number < second.number and r.struck_at is null
             and r.decision <> 'escalated'
           order by r.number limit 1) first on true
         where second.tenant_id = $1 and v.livemode = any($2) and second.created_at >= $3 and second.struck_at is null
           and second.decision <> 'escalated' and second.blind
         group by first.decision, second.decision`,
        of,
      ),
      one<{ cases: number; decided: number; approved: number }>(
        deps.db,
        `select count(*)::int as cases, (count(*) filter (where review_causes ? 'sample'))::int as decided,
           (count(*) filter (where review_causes ? 'sample' and review_decision = 'approved'))::int as approved
         from verifications
         where tenant_id = $1 and livemode = any($2) and review_state = 'decided' and review_decided_at >= $3`,
        of,
      ),
    ]);
    const kappa = kappaOf(pairs);
    const { cases, ...blind } = sample!;
    return ok({
      since: since.toISOString(),
      cases,
      decisions: pace!.decisions,
      ...(pace!.median === null ? {} : { median_seconds: pace!.median }),
      pairs: pairs.reduce((sum, { cases }) => sum + cases, 0),
      agreed: pairs.reduce((sum, { first, second, cases }) => sum + (first === second ? cases : 0), 0),
      ...(kappa === null ? {} : { kappa: Math.round(kappa * 1_000) / 1_000 }),
      sample: blind,
    });
  },
});
