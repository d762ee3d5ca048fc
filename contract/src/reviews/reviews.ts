import { type Static, Type } from 'typebox';
import { DECISIONS, LABELS, REVIEW_QUEUES, REVIEW_STATES } from '../base/enums.ts';
import { DateTime, IdSchema } from '../base/ids.ts';
import {
  MAX_CAPTURES,
  REVIEW_NOTE_MAX,
  REVIEW_REASON_MAX,
  REVIEW_REASONS_MAX,
  REVIEW_SECONDS_MAX,
  REVIEWS_HELD_MAX,
} from '../base/limits.ts';
import { Unit } from '../verification/signals.ts';

const closed = { additionalProperties: false } as const;

export type Decision = (typeof DECISIONS)[number];
const DecisionSchema = Type.Enum([...DECISIONS], { title: 'Decision' });

export type ReviewState = (typeof REVIEW_STATES)[number];

export const REVIEW_POLICIES = ['none', 'one', 'two_people'] as const;
export type ReviewPolicy = (typeof REVIEW_POLICIES)[number];

export type ReviewQueue = (typeof REVIEW_QUEUES)[number];

export const Reviewer = Type.Object(
  { person_id: IdSchema('usr'), name: Type.String() },
  { ...closed, title: 'Reviewer' },
);
export type Reviewer = Static<typeof Reviewer>;

const Flag = Type.Object(
  {
    capture_id: IdSchema('cap'),
    genuine: Type.Boolean({
      description: 'true: a photo of the thing itself; false: of a screen, generated or not new',
    }),
  },
  { ...closed, title: 'ReviewFlag' },
);

const Version = Type.Integer({
  minimum: 0,
  description: '`review.version` as you saw it; another one now is 409 `review_changed`',
});

/** Body of PUT /v1/verifications/:id/assignee. */
export const Assignment = Type.Object(
  {
    person_id: Type.Union([IdSchema('usr'), Type.Null()], { description: 'who reviews it; null: whoever comes first' }),
    version: Type.Optional(Version),
  },
  { ...closed, title: 'ReviewAssignment' },
);
export type Assignment = Static<typeof Assignment>;

/** Body of POST /v1/verifications/:id/reviews. */
export const ReviewInput = Type.Object(
  {
    decision: DecisionSchema,
    reasons: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: REVIEW_REASON_MAX }), { maxItems: REVIEW_REASONS_MAX }),
    ),
    note: Type.Optional(Type.String({ maxLength: REVIEW_NOTE_MAX })),
    flags: Type.Optional(
      Type.Array(Flag, { maxItems: MAX_CAPTURES, description: 'what the reviewer says of single photos' }),
    ),
    seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: REVIEW_SECONDS_MAX,
        description: 'how long the case was on screen; without it, the time since the claim',
      }),
    ),
    version: Type.Optional(Version),
  },
  { ...closed, title: 'ReviewInput' },
);
export type ReviewInput = Static<typeof ReviewInput>;

/** A person's decision. It is never changed; one taken back within ten minutes stays and carries `struck_at`. */
export const Review = Type.Object(
  {
    id: IdSchema('rev'),
    decision: DecisionSchema,
    reasons: Type.Array(Type.String()),
    note: Type.Optional(Type.String()),
    flags: Type.Optional(Type.Array(Flag)),
    by: Reviewer,
    blind: Type.Boolean({ description: "made without seeing another person's decision that stood already" }),
    seconds: Type.Integer({ minimum: 0, description: 'how long the case was on screen' }),
    created_at: DateTime,
    struck_at: Type.Optional(Type.String({ format: 'date-time', description: 'when its author took it back' })),
  },
  { ...closed, title: 'Review' },
);
export type Review = Static<typeof Review>;

/** Where the people's decision stands. It never changes `verdict` nor `status`. */
export const ReviewSummary = Type.Object(
  {
    state: Type.Enum([...REVIEW_STATES], {
      title: 'ReviewState',
      description:
        '`none`: not up for review. `open`: waits for a person. `claimed`: a person has it. `disputed`: two people ' +
        'disagree and a third decides. `decided`: done.',
    }),
    decision: Type.Optional(
      Type.Enum(
        DECISIONS.filter(decision => decision !== 'escalated'),
        { title: 'FinalDecision' },
      ),
    ),
    decided_at: Type.Optional(DateTime),
    claimed_by: Type.Optional(Reviewer),
    assigned_to: Type.Optional(Reviewer),
    version: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'counts decisions, those taken back, and assignments; absent: none yet',
      }),
    ),
  },
  { ...closed, title: 'ReviewSummary' },
);
export type ReviewSummary = Static<typeof ReviewSummary>;

/** How many cases wait for the person who asks. */
export const WaitingReviews = Type.Object(
  {
    all: Type.Integer({ minimum: 0, description: 'those that you may decide now' }),
    mine: Type.Integer({ minimum: 0, description: 'those of them that are assigned to you' }),
  },
  { ...closed, title: 'WaitingReviews' },
);
export type WaitingReviews = Static<typeof WaitingReviews>;

/** Body of POST /v1/reviews/next. */
export const NextReview = Type.Object(
  {
    queue: Type.Optional(
      Type.Enum([...REVIEW_QUEUES], {
        title: 'ReviewQueue',
        default: 'all',
        description:
          '`mine`: assigned to you. `suspicious` and `failed`: by the verdict or status. `checks`: place or object did not match, or the file of a ' +
          'live photo is from another day.',
      }),
    ),
    holding: Type.Optional(
      Type.Array(IdSchema('vfy'), {
        maxItems: REVIEWS_HELD_MAX,
        description:
          'the cases at hand: their claims are renewed. When sent, a case that you hold and do not list comes first, so ' +
          'that a reloaded page gets its cases back',
      }),
    ),
  },
  { ...closed, title: 'NextReview' },
);
export type NextReview = Static<typeof NextReview>;

const ReplayedLabel = Type.Enum([...LABELS], { title: 'ReplayedLabel' });
const Cases = Type.Integer({ minimum: 0 });

/** The last cases under other thresholds. */
export const Replay = Type.Object(
  {
    cases: Type.Integer({
      minimum: 0,
      description: 'completed verifications that were judged again, the newest first',
    }),
    since: Type.Optional(DateTime),
    thresholds: Type.Object(
      { doubtful: Unit, confident: Unit },
      { ...closed, title: 'ReplayedThresholds', description: 'as asked for; without: those in force' },
    ),
    in_force: Type.Object({ doubtful: Unit, confident: Unit }, { ...closed, title: 'ThresholdsInForce' }),
    flips: Type.Integer({ minimum: 0, description: 'cases whose verdict would be another' }),
    by: Type.Array(
      Type.Object(
        {
          from: ReplayedLabel,
          to: ReplayedLabel,
          cases: Cases,
          approved: Type.Integer({ minimum: 0, description: 'of them, people approved' }),
          rejected: Type.Integer({ minimum: 0, description: 'of them, people rejected' }),
        },
        { ...closed, title: 'ReplayedFlips' },
      ),
      { description: 'flips by verdict before and after' },
    ),
    verifications: Type.Array(
      Type.Object(
        {
          id: IdSchema('vfy'),
          name: Type.Optional(Type.String({ description: 'the name of the case, as in the list' })),
          created_at: DateTime,
          from: ReplayedLabel,
          to: ReplayedLabel,
          score: Type.Number({ minimum: 0, maximum: 1, description: "the highest screen score of the case's photos" }),
          decision: Type.Optional(Type.Enum(['approved', 'rejected', 'retake'], { title: 'ReplayedDecision' })),
        },
        { ...closed, title: 'ReplayedVerification' },
      ),
      { description: 'those that flip, newest first, at most 500' },
    ),
  },
  { ...closed, title: 'Replay' },
);
export type Replay = Static<typeof Replay>;

/** How far people agree, and how long a case takes them: of the whole account, never of one person. */
export const ReviewAgreement = Type.Object(
  {
    since: DateTime,
    cases: Type.Integer({ minimum: 0, description: 'cases that people decided, by the time of the last decision' }),
    decisions: Type.Integer({ minimum: 0, description: 'single decisions that stand; an escalation decides nothing' }),
    median_seconds: Type.Optional(
      Type.Number({ minimum: 0, description: 'how long a case was on screen; absent without a decision' }),
    ),
    pairs: Type.Integer({
      minimum: 0,
      description: 'cases that a second person decided without seeing the first decision',
    }),
    agreed: Type.Integer({ minimum: 0, description: 'of the pairs, both decided alike' }),
    kappa: Type.Optional(
      Type.Number({
        minimum: -1,
        maximum: 1,
        description:
          'agreement beyond chance over the pairs (κ of Fleiss for two): 1 always, 0 as often as chance; absent where all ' +
          'decisions are the same',
      }),
    ),
    sample: Type.Object(
      { decided: Cases, approved: Cases },
      {
        ...closed,
        title: 'BlindSample',
        description: 'verified cases that came up at random, unmarked, and of them those that people approved',
      },
    ),
  },
  { ...closed, title: 'ReviewAgreement' },
);
export type ReviewAgreement = Static<typeof ReviewAgreement>;
