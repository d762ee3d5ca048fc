import { conflict, type Fault, required } from '@firsthand/contract/base/fault.ts';
import { Replay } from '@firsthand/contract/reviews/reviews.ts';
import { caseName } from '@firsthand/contract/verification/name.ts';
import { type Evaluated, evaluated, Unit } from '@firsthand/contract/verification/signals.ts';
import type { Verdict } from '@firsthand/contract/verification/verification.ts';
import { rejudge } from '@firsthand/forensics/rejudge.ts';
import { genuineScreen } from '@firsthand/forensics/screen/genuine.ts';
import { type Static, Type } from 'typebox';
import { many, type Queryable } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { readableModes } from '../../platform/http/principal.ts';
import { decide } from '../../verification/verdict/decide.ts';
import { worstContext } from '../../verification/verdict/settle.ts';
import { supports } from '../../verification/verdict/support.ts';
import { testOutcomeOf } from '../../verification/verdict/test-outcome.ts';
import type { CaptureRow, VerificationRow } from '../../verification/verifications/row.ts';

const MOST_CASES = 10_000;
const MOST_SHOWN = 500;
/** Cases read by one statement: their signals take a few megabytes at most, and other requests run between two. */
const SLICE = 500;

type Label = Verdict['label'];
type Thresholds = { doubtful: number; confident: number };

interface CaseRow extends Pick<VerificationRow, 'id' | 'created_at' | 'livemode' | 'config' | 'review_decision'> {
  label: Label;
  captures: Pick<CaptureRow, 'step_key' | 'source' | 'signals' | 'context' | 'analysis_state'>[] | null;
}

/** Completed verifications with their signals, the newest first, in slices by the list's own index. */
async function* casesOf(db: Queryable, tenantId: string, livemode: boolean): AsyncGenerator<CaseRow[]> {
  let before: { created_at: Date; id: string } | null = null;
  for (let left = MOST_CASES; left > 0; left -= SLICE) {
    const rows: CaseRow[] = await many<CaseRow>(
      db,
      `select v.id, v.created_at, v.livemode, v.config, v.review_decision, v.verdict ->> 'label' as label,
         (select json_agg(json_build_object('step_key', c.step_key, 'source', c.source, 'signals', c.signals, 'context', c.context,
            'analysis_state', c.analysis_state) order by c.id)
          from captures c where c.verification_id = v.id) as captures
       from verifications v
       where v.tenant_id = $1 and v.livemode = $2 and v.status = 'completed' and v.verdict is not null
         and ($3::timestamptz is null or (v.created_at, v.id) < ($3, $4))
       order by v.created_at desc, v.id desc limit $5`,
      [tenantId, livemode, before?.created_at ?? null, before?.id ?? null, Math.min(SLICE, left)],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < SLICE) return;
    before = rows.at(-1)!;
  }
}

/** The highest probability of a display among a case's photos; null when the detector looked at none. */
function scoreOf(captures: NonNullable<CaseRow['captures']>): number | null {
  const scores = captures.flatMap(({ signals }) => {
    const screen = evaluated<Evaluated<'screen_detection'>>(signals?.screen_detection);
    return screen ? [screen.screen_detected ? screen.confidence : 1 - screen.confidence] : [];
  });
  return scores.length > 0 ? Math.max(...scores) : null;
}

/** The verdict that a case would have under other thresholds. */
function replayed({ config, captures }: CaseRow, thresholds: Thresholds): Label {
  const photos = captures ?? [];
  const threeDimensional = config.context?.attributes?.three_dimensional === true;
  const rejudged = photos.map(one => ({
    ...one,
    signals: one.signals && rejudge(one.signals, thresholds, threeDimensional),
  }));
  return decide({
    required: config.signals_required,
    captures: rejudged.flatMap(({ signals }) => (signals ? [signals] : [])),
    context: worstContext(photos),
    supported: supports(config, rejudged),
  }).label;
}

function thresholdFaults(query: unknown): Fault[] {
  const { doubtful, confident } = query as Partial<Thresholds>;
  if ((doubtful === undefined) !== (confident === undefined)) {
    const [missing, other] = doubtful === undefined ? ['doubtful', 'confident'] : ['confident', 'doubtful'];
    return [required(missing!, 'goes with the other threshold', { with: [other!] })];
  }
  return doubtful !== undefined && confident !== undefined && doubtful > confident
    ? [conflict('confident', 'must be at least `doubtful`', ['doubtful'])]
    : [];
}

const round = (value: number): number => Math.round(value * 1e5) / 1e5;

export const replayThresholds = tenantEndpoint({
  operationId: 'replayThresholds',
  summary: 'Replay recent cases under other thresholds',
  description:
    'Judges up to 10,000 of the last completed verifications again, with other thresholds of the screen detector, and says ' +
    'which verdicts would be different. Changes nothing: the thresholds are settings of the deployment. Leaves out cases ' +
    'whose outcome `test_outcome` forced. A secret key sees live verifications unless `mode=test`.',
  tag: 'Reviews',
  credentials: ['session', 'secret'],
  role: 'owner',
  query: Type.Object(
    {
      doubtful: Type.Optional(Unit),
      confident: Type.Optional(Unit),
      mode: Type.Optional(Type.Enum(['live', 'test'], { title: 'Mode' })),
    },
    { additionalProperties: false },
  ),
  recordFaults: ({ query }) => thresholdFaults(query),
  responses: { 200: Replay },
  async handler({ deps, principal, query }) {
    const in_force = deps.config.screenThresholds ?? genuineScreen.thresholds;
    const { doubtful = in_force.doubtful, confident = in_force.confident } = query;
    const thresholds = { doubtful, confident };
    const livemode = query.mode === undefined ? principal.livemode : query.mode === 'live';
    let cases = 0;
    let since: Date | undefined;
    const flipped: Static<typeof Replay>['verifications'] = [];
    const by = new Map<string, Static<typeof Replay>['by'][number]>();
    let flips = 0;
    const slices = readableModes(principal).includes(livemode) ? casesOf(deps.db, principal.tenantId, livemode) : [];
    for await (const rows of slices) {
      for (const row of rows) {
        const score = scoreOf(row.captures ?? []);
        if (testOutcomeOf(row)) continue;
        cases += 1;
        since = row.created_at;
        const { label: from } = row;
        const to = score === null ? from : replayed(row, thresholds);
        if (from === to) continue;
        flips += 1;
        const decision = row.review_decision ?? undefined;
        const sum = by.get(`${from} ${to}`) ?? { from, to, cases: 0, approved: 0, rejected: 0 };
        sum.cases += 1;
        if (decision === 'approved' || decision === 'rejected') sum[decision] += 1;
        by.set(`${from} ${to}`, sum);
        if (flipped.length === MOST_SHOWN) continue;
        const name = caseName(row.config);
        flipped.push({
          id: row.id,
          ...(name === undefined ? {} : { name }),
          created_at: row.created_at.toISOString(),
          from,
          to,
          score: round(score!),
          ...(decision && { decision }),
        });
      }
    }
    return ok({
      cases,
      ...(since && { since: since.toISOString() }),
      thresholds,
      in_force,
      flips,
      by: [...by.values()].sort((a, b) => (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1)),
      verifications: flipped,
    });
  },
});
