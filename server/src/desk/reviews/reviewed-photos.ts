import type { Decision } from '@firsthand/contract/reviews/reviews.ts';
import { type CaptureSignals, type Evaluated, evaluated } from '@firsthand/contract/verification/signals.ts';
import { genuineScreen } from '@firsthand/forensics/screen/genuine.ts';
import { many, one, type Queryable } from '../../platform/db/sql.ts';
import { labelOf, type ReviewedPhoto } from './calibration.ts';

interface DecidedRow {
  id: string;
  sampled: boolean;
  captures: { id: string; signals: CaptureSignals | null }[] | null;
  reviews: { decision: Decision; reasons: string[]; flags: { capture_id: string; genuine: boolean }[] | null }[] | null;
}

export interface Reviewed {
  photos: ReviewedPhoto[];
  /** Decided cases; of them those on which people disagreed, or which say nothing about displays. */
  cases: number;
  unused: number;
}

/** Read at a time. */
const SLICE = 500;

/**
 * Reads the photos of an account's decided live cases with what people agreed on. Only a random share of the verified cases is reviewed, so
 * each of those stands for the others; every other case is reviewed, and one that was decided stands for those that were not yet.
 */
export async function reviewedPhotos(db: Queryable, tenantId: string, livemode: boolean): Promise<Reviewed> {
  const weights = await weightsOf(db, tenantId, livemode);
  const reviewed: Reviewed = { photos: [], cases: 0, unused: 0 };
  let after = '';
  for (;;) {
    const rows = await many<DecidedRow>(
      db,
      `select v.id, coalesce(v.review_causes ? 'sample', false) as sampled,
         (select json_agg(json_build_object('id', c.id, 'signals', c.signals) order by c.id)
          from captures c where c.verification_id = v.id and c.analysis_state = 'done') as captures,
         (select json_agg(json_build_object('decision', r.decision, 'reasons', r.reasons, 'flags', r.flags) order by r.number)
          from reviews r where r.verification_id = v.id and r.struck_at is null) as reviews
       from verifications v
       where v.tenant_id = $1 and v.livemode = $2 and v.review_state = 'decided' and v.status = 'completed'
         and v.redacted_at is null and v.id > $3
       order by v.id limit $4`,
      [tenantId, livemode, after, SLICE],
    );
    for (const { sampled, captures, reviews } of rows) {
      reviewed.cases += 1;
      const photos = captures ?? [];
      const used = photos.flatMap(({ id, signals }): ReviewedPhoto[] => {
        const screen = evaluated<Evaluated<'screen_detection'>>(signals?.screen_detection);
        const model = (screen?.evidence as { model?: string } | undefined)?.model;
        const genuine = labelOf(id, photos.length, reviews ?? []);
        if (!screen || model !== genuineScreen.model || genuine === null) return [];
        const score = screen.screen_detected ? screen.confidence : 1 - screen.confidence;
        return [{ score, genuine, weight: sampled ? weights.sampled : weights.others }];
      });
      if (used.length === 0) reviewed.unused += 1;
      reviewed.photos.push(...used);
    }
    if (rows.length < SLICE) return reviewed;
    after = rows.at(-1)!.id;
  }
}

/** For how many cases a decided one stands: of the random sample, and of the others. */
async function weightsOf(db: Queryable, tenantId: string, livemode: boolean) {
  const counts = await one<{ drawn_from: number; sampled: number; opened: number; decided: number }>(
    db,
    `select count(*) filter (where verdict ->> 'label' = 'verified'
         and (review_causes is null or review_causes ? 'sample'))::int as drawn_from,
       count(*) filter (where review_causes ? 'sample' and review_state = 'decided')::int as sampled,
       count(*) filter (where not review_causes ? 'sample')::int as opened,
       count(*) filter (where not review_causes ? 'sample' and review_state = 'decided')::int as decided
     from verifications where tenant_id = $1 and livemode = $2 and status = 'completed' and redacted_at is null`,
    [tenantId, livemode],
  );
  const { drawn_from, sampled, opened, decided } = counts!;
  return { sampled: sampled > 0 ? drawn_from / sampled : 1, others: decided > 0 ? opened / decided : 1 };
}
