import { type Static, Type } from 'typebox';
import { LABELS, STATUSES } from '../base/enums.ts';
import { DateTime, IdSchema } from '../base/ids.ts';
import { MAX_CAPTURES, NARRATIVE_MAX } from '../base/limits.ts';
import { MapOf } from '../base/map.ts';
import { byType, Step } from '../capture/steps.ts';
import { Review, ReviewSummary } from '../reviews/reviews.ts';
import { Context, Metadata } from './create-verification.ts';
import { Explanation } from './explanation.ts';
import { DepthPolicySchema, Presence } from './presence.ts';
import { BandSchema, CaptureSignals, REASON_CODES, SignalNameSchema, Unit, VerdictSignals } from './signals.ts';

const closed = { additionalProperties: false } as const;

export const Status = Type.Enum([...STATUSES], { title: 'Status' });
export type Status = (typeof STATUSES)[number];

export const Config = Type.Object(
  {
    max_captures: Type.Integer({ minimum: 1, maximum: MAX_CAPTURES }),
    steps: Type.Array(Step),
    signals_required: Type.Array(SignalNameSchema),
    mode: Type.Optional(Type.Enum(['verification', 'audit'], { title: 'VerificationMode' })),
    context: Type.Optional(Context),
    webhook_url: Type.Optional(Type.String()),
    notify_email: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    metadata: Type.Optional(Metadata),
    expected_location: Type.Optional(Type.String()),
    expected_object: Type.Optional(Type.String()),
    condition_aspects: Type.Optional(Type.Array(Type.String())),
    depth_policy: Type.Optional(DepthPolicySchema),
  },
  { ...closed, title: 'Config' },
);
export type Config = Static<typeof Config>;

export const VerdictLabel = Type.Enum([...LABELS], { title: 'VerdictLabel' });
export const Verdict = Type.Object(
  {
    label: VerdictLabel,
    score: Unit,
    signals: VerdictSignals,
    reason_code: Type.Optional(Type.Enum(REASON_CODES, { title: 'ReasonCode' })),
  },
  { ...closed, title: 'Verdict' },
);
export type Verdict = Static<typeof Verdict>;

export const Answers = MapOf(
  Type.Object(
    { value: Type.String({ minLength: 1, maxLength: 2_000 }), answered_at: DateTime },
    { ...closed, title: 'Answer' },
  ),
);
export type Answers = Static<typeof Answers>;

export const RecordSeal = Type.Object(
  {
    algorithm: Type.Literal('sha256'),
    hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    covers: Type.Array(Type.Enum(['record', 'answers'], { title: 'SealPart' })),
    answers_provenance: Type.Literal('user_declared'),
  },
  { ...closed, title: 'RecordSeal' },
);

const Concerns = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 12 });
const Dimension = Type.Object(
  { score: Unit, evidence: Type.String({ minLength: 1, maxLength: 1_000 }), concerns: Type.Optional(Concerns) },
  { ...closed, title: 'Dimension' },
);
export const CaseAnalysis = Type.Object(
  {
    overall_risk_score: Unit,
    confidence: Unit,
    dimensions: Type.Object(
      {
        cross_image_consistency: Dimension,
        physical_plausibility: Dimension,
        narrative_image_match: Type.Optional(Dimension),
      },
      { ...closed, title: 'CaseDimensions' },
    ),
    review_priority: Type.Enum(['low', 'medium', 'high'], { title: 'ReviewPriority' }),
    uncertainty_areas: Concerns,
    model: Type.String({ minLength: 1, maxLength: 200 }),
    rubric_version: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    consistency_level: Type.Optional(Unit),
    analysis: Type.Optional(
      Type.Array(
        Type.Object(
          {
            capture_id: Type.String({ minLength: 1, maxLength: 64 }),
            ai: Type.Enum(['low', 'medium', 'high'], { title: 'AiRisk' }),
            screen: Type.Boolean(),
          },
          { ...closed, title: 'CaptureAssessment' },
        ),
        { maxItems: 25 },
      ),
    ),
    text_analysis: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
  },
  { ...closed, title: 'CaseAnalysis' },
);
export type CaseAnalysis = Static<typeof CaseAnalysis>;

export const ObjectMatch = Type.Object(
  {
    status: Type.Enum(['match', 'mismatch', 'inconclusive'], { title: 'ObjectMatchStatus' }),
    expected_object: Type.String(),
  },
  { ...closed, title: 'ObjectMatch' },
);
export type ObjectMatch = Static<typeof ObjectMatch>;

const AspectScore = Type.Number({ minimum: 0, maximum: 10 });
export const Condition = Type.Object(
  {
    score: AspectScore,
    label: Type.Enum(['good', 'fair', 'poor'], { title: 'ConditionLabel' }),
    aspects: Type.Array(
      Type.Object(
        { name: Type.String(), score: AspectScore, reasoning: Type.String() },
        { ...closed, title: 'AspectScore' },
      ),
    ),
  },
  { ...closed, title: 'Condition' },
);
export type Condition = Static<typeof Condition>;

/** Checks whose model is shown the pictures. */
export const InstructedCheck = Type.Enum(['context', 'object', 'condition', 'text', 'case_analysis'], {
  title: 'InstructedCheck',
});
export type InstructedCheck = Static<typeof InstructedCheck>;

/** Who sent a position, as far as the request shows. */
export const LocationSource = Type.Enum(['app', 'page', 'program'], {
  title: 'LocationSource',
  description:
    '`app`: the photo came with a passed attestation of an app. `page`: the request has the headers that a browser sends from the ' +
    'capture page; a program can send the same. `program`: anything else.',
});
export type LocationSource = Static<typeof LocationSource>;

/** Worst first. */
export const LOCATION_RESULTS = ['rejected', 'no_match', 'ungeocoded', 'verified'] as const;
export const LocationResult = Type.Enum([...LOCATION_RESULTS], { title: 'LocationResult' });
export type LocationResult = (typeof LOCATION_RESULTS)[number];

export const Progress = Type.Object(
  {
    schema_version: Type.Literal(1),
    step: Type.Enum(['landing', 'ready', 'capturing', 'reviewing', 'uploading', 'camera_blocked', 'success'], {
      title: 'ProgressStep',
    }),
    elapsed_ms: Type.Integer({ minimum: 0, description: 'since the page was opened' }),
    updated_at: DateTime,
    step_index: Type.Optional(Type.Integer({ minimum: 0 })),
    camera_permission: Type.Optional(
      Type.Enum(['granted', 'denied', 'unavailable', 'unknown'], { title: 'CameraPermission' }),
    ),
  },
  { ...closed, title: 'Progress' },
);
export type Progress = Static<typeof Progress>;

export const GeoPoint = Type.Object(
  {
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
    longitude: Type.Number({ minimum: -180, maximum: 180 }),
    accuracy_m: Type.Optional(Type.Number({ minimum: 0 })),
    simulated: Type.Optional(Type.Boolean()),
  },
  { ...closed, title: 'GeoPoint' },
);
export type GeoPoint = Static<typeof GeoPoint>;

export const Attestation = Type.Object(
  {
    verdict: Type.Enum(['ok', 'error'], { title: 'AttestationVerdict' }),
    provider: Type.String({
      description: '`turnstile`, `app_attest`, `play_integrity`, or `unknown` for a token in an unknown format',
    }),
    detail: Type.Optional(Type.String({ description: 'why the result is an error' })),
    checked_at: DateTime,
  },
  { ...closed, title: 'Attestation' },
);
export type Attestation = Static<typeof Attestation>;

/** The vision model's answer on a capture and its `context`. It is not among the signals and can only trip. */
export const ContextCheck = Type.Object(
  {
    evaluated: Type.Boolean(),
    band: Type.Optional(BandSchema),
    plausible: Type.Optional(Type.Enum(['yes', 'no', 'unclear'], { title: 'Plausibility' })),
    probability: Type.Optional(Unit),
    reasoning: Type.Optional(Type.String()),
    instructions_found: Type.Optional(
      Type.Boolean({ description: 'the picture contains text that addresses the person or model that checks it' }),
    ),
    model: Type.Optional(Type.String()),
    no_answer: Type.Optional(Type.String({ description: 'why the signal could not be evaluated' })),
  },
  { ...closed, title: 'ContextCheck' },
);
export type ContextCheck = Static<typeof ContextCheck>;

/** A capture as the tenant sees it. Webhook payloads omit its URLs. */
export const Capture = Type.Object(
  {
    id: IdSchema('cap'),
    step_key: Type.String(),
    source: Type.Enum(['live', 'upload'], { title: 'CaptureSource' }),
    surface: Type.Optional(Type.String()),
    content_type: Type.String(),
    size_bytes: Type.Integer({ minimum: 0, description: 'of the original file' }),
    width: Type.Integer({ minimum: 1, description: 'pixels' }),
    height: Type.Integer({ minimum: 1, description: 'pixels' }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    created_at: DateTime,
    client_captured_at: Type.Optional(DateTime),
    image_url: Type.Optional(Type.String({ description: 'presigned URL, valid for 1 hour' })),
    preview_url: Type.Optional(Type.String({ description: 'presigned URL, valid for 1 hour' })),
    display_url: Type.Optional(
      Type.String({
        description:
          'presigned URL, valid for 1 hour: all pixels as JPEG, where most browsers cannot show `content_type`; above 24 ' +
          'megapixels at half the size',
      }),
    ),
    second_frame_url: Type.Optional(
      Type.String({ description: 'presigned URL, valid for 1 hour: the photo after a small sideways move' }),
    ),
    explanation: Type.Optional(Explanation),
    attestation: Type.Optional(Attestation),
    location: Type.Optional(GeoPoint),
    location_source: Type.Optional(LocationSource),
    location_match: Type.Optional(
      Type.Object(
        {
          result: LocationResult,
          distance_m: Type.Optional(Type.Number({ minimum: 0 })),
          tolerance_m: Type.Optional(Type.Number({ minimum: 0 })),
          source: Type.Optional(LocationSource),
          exif_distance_m: Type.Optional(
            Type.Number({ minimum: 0, description: 'from the expected place to the position in the file' }),
          ),
        },
        { ...closed, title: 'CaptureLocationMatch' },
      ),
    ),
    signals: Type.Optional(CaptureSignals),
    metadata: Type.Optional(MapOf(Type.Unknown(), { description: 'camera, time and place as the file states them' })),
    context: Type.Optional(ContextCheck),
    presence: Type.Optional(Presence),
    text: Type.Optional(MapOf(Type.Unknown(), { description: 'text read for ocr_type' })),
  },
  { ...closed, title: 'Capture' },
);
export type Capture = Static<typeof Capture>;

const base = {
  id: IdSchema('vfy'),
  status: Status,
  capture_url: Type.String({ format: 'uri', description: 'the link for the person with the camera' }),
  created_at: DateTime,
  expires_at: DateTime,
  captures_count: Type.Integer({ minimum: 0, description: 'captures received so far' }),
  config: Config,
};

const tenantFields = {
  ...base,
  capture_url: Type.Optional(
    Type.String({
      format: 'uri',
      description:
        'the link for the person with the camera; absent only for people whose role may not create verifications',
    }),
  ),
  livemode: Type.Boolean(),
  completed_at: Type.Optional(DateTime),
  cancelled_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'when it was cancelled; its `status` is `expired`' }),
  ),
  answers: Type.Optional(Answers),
  record_seal: Type.Optional(RecordSeal),
  verdict: Type.Optional(Verdict),
  narrative: Type.Optional(Type.String({ maxLength: NARRATIVE_MAX })),
  case_analysis: Type.Optional(CaseAnalysis),
  object_match: Type.Optional(ObjectMatch),
  condition: Type.Optional(Condition),
  instructions_found: Type.Optional(
    Type.Array(InstructedCheck, {
      description:
        'checks in which the model found text in a picture that tells it what to answer; each opens a review',
    }),
  ),
  location_match: Type.Optional(
    Type.Object({ result: LocationResult, expected_location: Type.String() }, { ...closed, title: 'LocationMatch' }),
  ),
  progress: Type.Optional(Progress),
  redacted_at: Type.Optional(DateTime),
  review: ReviewSummary,
  reviews: Type.Array(Review, { description: 'oldest first' }),
};

/** A list item: everything but the captures. */
export const VerificationSummary = Type.Object(tenantFields, { ...closed, title: 'VerificationSummary' });
export type VerificationSummary = Static<typeof VerificationSummary>;

export const VerificationList = Type.Object(
  {
    data: Type.Array(VerificationSummary),
    next_cursor: Type.Optional(Type.String({ description: 'absent on the last page' })),
    total_estimate: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'on the first page: how many match; exact up to 1,000, an estimate beyond',
      }),
    ),
  },
  { ...closed, title: 'VerificationSummaryList' },
);
export type VerificationList = Static<typeof VerificationList>;

const CreationWarning = Type.Object(
  {
    signal: SignalNameSchema,
    reason: Type.Enum(['no_context', 'no_model', 'nothing_to_search'], { title: 'WarningReason' }),
    message: Type.String({ description: 'in English, for the developer' }),
  },
  { ...closed, title: 'CreationWarning' },
);
export type CreationWarning = Static<typeof CreationWarning>;

/** Required signals that this installation cannot evaluate. `when`: which answers have them. */
export const CreationWarnings = (when: string) =>
  Type.Optional(
    Type.Array(CreationWarning, {
      minItems: 1,
      description: `${when}: required signals that this installation cannot evaluate`,
    }),
  );

/** The tenant's view. */
export const Verification = Type.Object(
  {
    ...tenantFields,
    captures: Type.Array(Capture),
    warnings: CreationWarnings('while the verification is open'),
  },
  { ...closed, title: 'Verification' },
);
export type Verification = Static<typeof Verification>;

export const BrandView = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    logo_url: Type.Optional(Type.String()),
    colors: Type.Optional(
      Type.Object(
        { accent: Type.String(), background: Type.Optional(Type.String()) },
        { ...closed, title: 'BrandViewColors' },
      ),
    ),
  },
  { ...closed, title: 'BrandView' },
);
export type BrandView = Static<typeof BrandView>;

export const StepState = Type.Union(
  [
    Type.Object(
      {
        key: Type.String(),
        type: Type.Enum(['image', 'upload'], { title: 'PictureStepType' }),
        captured: Type.Integer({ minimum: 0 }),
        remaining: Type.Integer({ minimum: 0 }),
        min_long_side: Type.Optional(
          Type.Integer({ minimum: 1, description: 'pixels that a picture must have on its long side' }),
        ),
        example_url: Type.Optional(
          Type.String({
            format: 'uri',
            description: 'address of the example picture; 404 once the account deleted it',
          }),
        ),
        motion_frame: Type.Optional(
          Type.Literal(false, {
            description: 'this step shows flat things: no moves and no second photo are asked for',
          }),
        ),
      },
      { ...closed, title: 'PictureStepState' },
    ),
    Type.Object(
      { key: Type.String(), type: Type.Literal('text'), answered: Type.Boolean() },
      { ...closed, title: 'TextStepState' },
    ),
  ],
  {
    title: 'StepState',
    discriminator: byType({ image: 'PictureStepState', text: 'TextStepState', upload: 'PictureStepState' }),
  },
);
export type StepState = Static<typeof StepState>;

/** The claimant's view. It omits answers, verdict, metadata, context, expectations and addresses. */
export const EndUserView = Type.Object(
  {
    ...base,
    config: Type.Pick(Config, ['max_captures', 'steps', 'signals_required'], { ...closed, title: 'CaptureConfig' }),
    step_states: Type.Array(StepState),
    trial: Type.Optional(
      Type.Literal(true, {
        description:
          'Only on trials. A stranger made the request, so the steps come without their descriptions and examples.',
      }),
    ),
    under_review: Type.Optional(
      Type.Literal(true, { description: 'a person looks at the photos before anybody is told a result' }),
    ),
    brand: Type.Optional(BrandView),
    requires: Type.Object(
      {
        location: Type.Boolean({ description: 'ask for the location with the first photo' }),
        motion_frame: Type.Boolean({ description: 'take a second photo after a small sideways move' }),
      },
      { ...closed, title: 'CaptureRequirements' },
    ),
    turnstile_site_key: Type.Optional(Type.String()),
  },
  { ...closed, title: 'EndUserView' },
);
export type EndUserView = Static<typeof EndUserView>;

/** The share-safe projection behind the certificate page. */
export const PublicView = Type.Object(
  {
    id: IdSchema('vfy'),
    status: Status,
    created_at: DateTime,
    completed_at: Type.Optional(DateTime),
    captures_count: Type.Integer({ minimum: 0, description: 'captures received so far' }),
    livemode: Type.Optional(
      Type.Literal(false, { description: 'Only on test verifications and trials: they prove nothing.' }),
    ),
    verdict: Type.Optional(
      Type.Object(
        { label: VerdictLabel },
        { ...closed, title: 'PublicVerdict', description: 'not while a review is open, if the account says so' },
      ),
    ),
    review: Type.Optional(
      Type.Object(
        {
          state: Type.Enum(['open', 'approved'], { title: 'PublicReviewState' }),
          decided_at: Type.Optional(DateTime),
        },
        { ...closed, title: 'PublicReview', description: 'while a person looks at it, and after people approved it' },
      ),
    ),
    brand: Type.Optional(BrandView),
    record_seal: Type.Optional(Type.Pick(RecordSeal, ['algorithm', 'hash'], { ...closed, title: 'PublicSeal' })),
  },
  { ...closed, title: 'PublicView' },
);
export type PublicView = Static<typeof PublicView>;
