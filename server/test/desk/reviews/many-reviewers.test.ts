import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signedIn } from '../../identity/people/visitor.ts';
import { startTestService, type TestService } from '../../support/harness.ts';
import { next, openCases, review, undo } from './cases.ts';

let service: TestService;
let beside: TestService;
beforeAll(async () => {
  service = await startTestService({ worker: false });
  beside = await startTestService({ worker: false, beside: service });
});
afterAll(async () => {
  await beside?.stop();
  await service?.stop();
});

const ACTS = ['next', 'next', 'decide', 'decide', 'release', 'undo'] as const;
type Act = (typeof ACTS)[number];
const PEOPLE = 6;
const CASES = 12;

/**
 * The model: who holds which case, as the answers say. A case is taken at the answer that gives it, and free again when its holder asks to
 * decide or release it.
 */
it('POST /v1/reviews/next never gives a case to a person while another holds it, whatever many people do at once on two nodes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.constantFrom<Act>(...ACTS), { minLength: 8, maxLength: 16 }), {
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
            for (const act of plan) {
              if (act === 'next') {
                const answer = await next(me, { holding: mine });
                expect([200, 204]).toContain(answer.status);
                if (answer.status === 204) continue;
                take(answer.body.id, me.personId);
                mine.push(answer.body.id);
              } else if (act === 'undo' && last) {
                const { id, reviewId } = last;
                last = null;
                expect((await undo(me, id, reviewId)).status).toBe(204);
                take(id, me.personId);
                mine.push(id);
              } else if (act === 'decide' && mine.length > 0) {
                const id = mine.shift()!;
                holder.delete(id);
                const made = await review(me, id, { decision: 'approved' });
                expect(made.status).toBe(201);
                last = { id, reviewId: made.body.id };
              } else if (act === 'release' && mine.length > 0) {
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
