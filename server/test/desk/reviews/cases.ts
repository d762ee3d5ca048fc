import type { Review, ReviewInput } from '@firsthand/contract/reviews/reviews.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { transaction } from '../../../src/platform/db/sql.ts';
import { issue } from '../../../src/verification/verifications/issue.ts';
import type { Visitor } from '../../identity/people/visitor.ts';
import type { Failure } from '../../support/failure.ts';
import { ask, type TestService } from '../../support/harness.ts';

export interface CaseOptions {
  tenantId?: string;
  livemode?: boolean;
  label?: 'verified' | 'suspicious' | 'failed';
  needs?: 1 | 2;
  causes?: readonly string[];
  state?: 'none' | 'open';
}

/** Completed verifications up for review, written behind the API's back: a queue of any length at no cost of analyses. */
export async function openCases(service: TestService, count: number, o: CaseOptions = {}): Promise<string[]> {
  const { deps, tenant } = service;
  const { tenantId = tenant.tenant_id, livemode = true, label = 'suspicious', needs = 1, state = 'open' } = o;
  const ids: string[] = [];
  await transaction(deps.db, async tx => {
    for (let made = 0; made < count; made += 1)
      ids.push((await issue(tx, deps, { tenantId, livemode, request: {} })).id);
    await tx.query(
      `update verifications set status = 'completed', completed_at = now(), captures_count = 1, verdict = $2,
         review_state = $3, review_needs = $4, review_causes = $5, review_opened_at = now() where id = any($1)`,
      [ids, JSON.stringify({ label, score: 0.9, signals: {} }), state, needs, JSON.stringify(o.causes ?? [label])],
    );
  });
  return ids;
}

export const setSettings = async (
  service: TestService,
  body: object,
  key = service.tenant.rk_secret,
): Promise<void> => {
  const reply = await ask(service, '/v1/settings', { method: 'PATCH', key, body });
  if (reply.status !== 200) throw new Error(`the settings were answered ${reply.status}: ${reply.text}`);
};

export const next = (person: Visitor, body: object = {}) => person.ask<Verification>('/v1/reviews/next', { body });
export const review = (person: Visitor, id: string, body: ReviewInput) =>
  person.ask<Review & Partial<Failure>>(`/v1/verifications/${id}/reviews`, { body });
export const undo = (person: Visitor, id: string, reviewId: string) =>
  person.ask<Partial<Failure>>(`/v1/verifications/${id}/reviews/${reviewId}`, { method: 'DELETE' });
export const read = async (person: Visitor, id: string): Promise<Verification> =>
  (await person.ask<Verification>(`/v1/verifications/${id}`)).body;
