import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { UNANSWERED_REASONS } from './unanswered.ts';

/**
 * How sure a signal is that something is wrong. `clear`: below the 1% false-positive threshold; `doubtful`: above it;
 * `confident`: above the 0.1% threshold.
 */
export const BANDS = ['clear', 'doubtful', 'confident'] as const;
export type Band = (typeof BANDS)[number];
export const BandSchema = Type.Enum([...BANDS], { title: 'Band' });

export const Unit = Type.Number({ minimum: 0, maximum: 1 });

/** Members of a capture's signal beyond those of the interface; `captures[].signals` shows them. */
interface Judgement {
  band?: Band;
  /** False when the signal could not be evaluated. Such a signal trips nothing. */
  evaluated?: boolean;
  /** Why it could not be evaluated. */
  reason?: string;
  [evidence: string]: unknown;
}

interface Spec<N extends string, K extends string | null, R extends string, M extends TProperties> {
  /** As `signals_required` names it. */
  name: N;
  /**
   * The key in `verdict.signals` and `captures[].signals`. Null: the signal can trip, but the interface does not show
   * it.
   */
  key: K;
  /** `verdict.reason_code` when the signal trips. */
  reason: R;
  /** Completes "The pictures may be …" in an e-mail. */
  words: string;
  /** False: the signal is `not_applicable` to uploaded content. */
  uploads: boolean;
  /** The interface's members, all required. */
  members: M;
  /** The members when the signal could not be evaluated. */
  unevaluated: Static<TObject<M>>;
  /** The calibrated probability that something is wrong; null where the signal says nothing either way. */
  problem(signal: Static<TObject<M>> & Judgement): number | null;
}

const spec = <N extends string, K extends string | null, R extends string, M extends TProperties>(
  signal: Spec<N, K, R, M>,
): Spec<N, K, R, M> => signal;

/** A finding's confidence says how likely it is wrong. A clear signal says nothing about being right. */
const tripped = ({ band = 'clear', confidence }: Judgement): number | null =>
  band === 'clear' ? null : Number(confidence ?? 0);

/** Every signal in order of priority. When several trip, the first names the verdict. */
export const SIGNALS = [
  spec({
    name: 'screen',
    key: 'screen_detection',
    reason: 'screen_detected',
    words: 'a photo of a screen',
    uploads: false,
    members: { screen_detected: Type.Boolean(), confidence: Unit },
    unevaluated: { screen_detected: false, confidence: 0 },
    problem: ({ screen_detected, confidence }) => (screen_detected ? confidence : 1 - confidence),
  }),
  spec({
    name: 'ai',
    key: 'ai_detection',
    reason: 'ai_generated',
    words: 'an AI-generated picture',
    uploads: true,
    members: { label: Type.Enum(['likely_human', 'likely_ai', 'unknown'], { title: 'AiLabel' }), confidence: Unit },
    unevaluated: { label: 'unknown', confidence: 0 },
    problem: ({ label, confidence }) =>
      label === 'unknown' ? null : label === 'likely_ai' ? confidence : 1 - confidence,
  }),
  spec({
    name: 'context',
    key: null,
    reason: 'context_mismatch',
    words: 'not what was asked for',
    uploads: true,
    members: {},
    unevaluated: {},
    problem: tripped,
  }),
  spec({
    name: 'reverse',
    key: 'reverse_search',
    reason: 'reverse_search_match',
    words: 'a picture found elsewhere',
    uploads: true,
    members: { found_online: Type.Boolean(), match_count: Type.Integer({ minimum: 0 }) },
    unevaluated: { found_online: false, match_count: 0 },
    problem: tripped,
  }),
  spec({
    name: 'depth',
    key: 'depth',
    reason: 'depth_anomaly',
    words: 'a flat copy instead of a three-dimensional object',
    uploads: false,
    members: { source: Type.String(), confidence: Unit },
    unevaluated: { source: 'unavailable', confidence: 0 },
    problem: tripped,
  }),
] as const;

type Signal = (typeof SIGNALS)[number];
export type SignalName = Signal['name'];
export type ReasonCode = Signal['reason'];

/** A signal that measures the picture itself and is shown under a key. */
type ShownSignal = Extract<Signal, { key: string }>;
export type ShownSignalName = ShownSignal['name'];
export type SignalKey = ShownSignal['key'];

export const SHOWN_SIGNALS = SIGNALS.filter((signal): signal is ShownSignal => signal.key !== null);
export const SIGNAL_NAMES = SIGNALS.map(signal => signal.name);
export const SignalNameSchema = Type.Enum(SIGNAL_NAMES, { title: 'SignalName' });
export const REASON_CODES = SIGNALS.map(signal => signal.reason);

const closed = { additionalProperties: false } as const;
const NotApplicable = Type.Object(
  { status: Type.Literal('not_applicable'), reason: Type.Literal('uploaded_content') },
  { ...closed, title: 'NotApplicable' },
);
export type NotApplicable = Static<typeof NotApplicable>;
export const NOT_APPLICABLE: NotApplicable = { status: 'not_applicable', reason: 'uploaded_content' };

type MembersOf<K extends SignalKey> = Extract<ShownSignal, { key: K }>['unevaluated'];
/** A capture's signal: the interface's members plus the band and the evidence. */
export type Evaluated<K extends SignalKey = SignalKey> = MembersOf<K> & Judgement;
export type CaptureSignals = { [K in SignalKey]?: Evaluated<K> | NotApplicable };
/** A verdict's signal: only the interface's members, plus `evaluated: false` when it could not be evaluated. */
export type VerdictSignals = { [K in SignalKey]?: (MembersOf<K> & { evaluated?: false }) | NotApplicable };

/** The name of a signal's schema in the OpenAPI document: `screen_detection` → `ScreenDetection`. */
const nameOf = (key: SignalKey): string => key.replace(/(^|_)(\w)/g, (_, _gap, letter: string) => letter.toUpperCase());

const shapes = (title: string, shape: (signal: ShownSignal) => TObject): TObject =>
  Type.Object(
    Object.fromEntries(
      SHOWN_SIGNALS.map(signal => [signal.key, Type.Optional(Type.Union([shape(signal), NotApplicable]))]),
    ),
    { ...closed, title },
  );

export const CaptureSignals = Type.Unsafe<CaptureSignals>(
  shapes('CaptureSignals', ({ key, members }) =>
    Type.Object(
      {
        ...members,
        band: Type.Optional(BandSchema),
        evaluated: Type.Optional(Type.Boolean({ description: 'false if the signal could not be evaluated' })),
        reason: Type.Optional(
          Type.Enum(UNANSWERED_REASONS, { title: 'Unanswered', description: 'why the signal could not be evaluated' }),
        ),
      },
      {
        additionalProperties: true,
        title: `Capture${nameOf(key)}`,
        description: 'the members of the verdict and the evidence for them',
      },
    ),
  ),
);

export const VerdictSignals = Type.Unsafe<VerdictSignals>(
  shapes('VerdictSignals', ({ key, members }) =>
    Type.Object(
      {
        ...members,
        evaluated: Type.Optional(Type.Literal(false, { description: 'present if the signal could not be evaluated' })),
      },
      { ...closed, title: `Verdict${nameOf(key)}` },
    ),
  ),
);

/** Returns the signal if it applies to the content and could be evaluated; else null. */
export const evaluated = <S extends Evaluated>(signal: S | NotApplicable | undefined): S | null =>
  signal && signal.status !== 'not_applicable' && (signal as S).evaluated !== false ? (signal as S) : null;

/** Returns the members of a capture's signal that the verdict shows. */
export function membersOf(signal: ShownSignal, shown: Evaluated | NotApplicable): object {
  if (shown.status === 'not_applicable') return NOT_APPLICABLE;
  const members = Object.keys(signal.members).map(member => [member, (shown as Judgement)[member]]);
  return { ...Object.fromEntries(members), ...(evaluated(shown) ? {} : { evaluated: false }) };
}

/** Sources of `depth` that judge no picture. The thresholds and rates of pictures do not apply to them. */
export type SourceWithoutPictures = 'camera_session' | 'attestation';

export const decidedWithoutPictures = (source: string | undefined): source is SourceWithoutPictures =>
  source === 'camera_session' || source === 'attestation';
