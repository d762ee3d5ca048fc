import type { Explanation, NO_ODDS, SignalExplanation } from '@firsthand/contract/verification/explanation.ts';
import type { DepthPolicy } from '@firsthand/contract/verification/presence.ts';
import {
  type CaptureSignals,
  decidedWithoutPictures,
  type Evaluated,
  evaluated,
  type NotApplicable,
  SIGNALS,
  type SignalName,
} from '@firsthand/contract/verification/signals.ts';
import { UNANSWERED_REASONS, type Unanswered } from '@firsthand/contract/verification/unanswered.ts';
import type { ContextCheck } from '@firsthand/contract/verification/verification.ts';
import { genuineGenerated } from '@firsthand/forensics/ai/genuine.ts';
import { asHigh, oddsOf } from '@firsthand/forensics/odds.ts';
import { PUBLISHED, PUBLISHED_BY_MODEL } from '@firsthand/forensics/published.ts';
import { genuineScreen } from '@firsthand/forensics/screen/genuine.ts';
import type { CalibratedScore } from '@firsthand/forensics/signals.ts';
import type { Config } from '../../platform/config/config.ts';
import { answeredBy } from './steps.ts';

type Thresholds = Pick<Config, 'screenThresholds'>;
type Said = Omit<SignalExplanation, 'published'>;

const none = (no_odds: (typeof NO_ODDS)[number]): Said => ({ no_odds });
const round = (value: number): number => Math.round(value * 1e5) / 1e5;

/** Odds, or why there are none. */
function oddsAmong(pictures: number, high: number): Pick<Said, 'odds' | 'no_odds'> {
  const odds = oddsOf(pictures, high);
  return odds ? { odds } : { no_odds: 'too_few_pictures' };
}

/** The thresholds in force, each with the share of genuine pictures that reach it. */
function thresholdsOf({ screenThresholds }: Thresholds): NonNullable<Said['thresholds']> {
  const { scores, thresholds } = genuineScreen;
  const { doubtful, confident } = screenThresholds ?? thresholds;
  const of = (at: number) => {
    const odds = oddsOf(scores.length, asHigh(scores, at));
    return { at, ...(odds && { odds }) };
  };
  return { doubtful: of(doubtful), confident: of(confident) };
}

function explainScreen(signal: Evaluated<'screen_detection'>, config: Thresholds): Said {
  const { screen_detected, confidence } = signal;
  const { still_probability, model } = (signal.evidence ?? {}) as { still_probability?: number; model?: string };
  const score = round(screen_detected ? confidence : 1 - confidence);
  const { scores } = genuineScreen;
  return {
    score,
    ...(still_probability === undefined ? {} : { still_score: still_probability }),
    ...(model === undefined ? {} : { model }),
    ...(model === genuineScreen.model
      ? oddsAmong(scores.length, asHigh(scores, still_probability ?? score))
      : none('other_model')),
    thresholds: thresholdsOf(config),
    tiles: (signal.heat_tiles as Said['tiles']) ?? [],
  };
}

function explainAi(signal: Evaluated<'ai_detection'>): Said {
  const calibrated = signal.calibrated as CalibratedScore | undefined;
  if (!calibrated) return none('no_score');
  const { model, score, genuine, as_high } = calibrated;
  return { score: round(score), model, ...oddsAmong(genuine, as_high) };
}

/** The explanation of a signal that was evaluated; null where the picture has none. */
function explained<S extends Evaluated>(found: S | NotApplicable | undefined, how: (signal: S) => Said): Said | null {
  if (!found) return null;
  const signal = evaluated<S>(found);
  return signal ? how(signal) : none('not_evaluated');
}

function explain(
  name: SignalName,
  signals: CaptureSignals,
  context: ContextCheck | null,
  config: Thresholds,
): Said | null {
  switch (name) {
    case 'context':
      return context && none(context.evaluated ? 'no_set' : 'not_evaluated');
    case 'screen':
      return explained(signals.screen_detection, signal => explainScreen(signal, config));
    case 'ai':
      return explained(signals.ai_detection, explainAi);
    default: {
      const { key } = SIGNALS.find(spec => spec.name === name)!;
      return explained(key ? signals[key] : undefined, () => none(name === 'depth' ? 'no_set' : 'no_score'));
    }
  }
}

function unansweredOf(...of: Parameters<typeof answeredBy>): SignalExplanation['unanswered'] {
  const answer = answeredBy(...of);
  if (answer.answered !== false) return undefined;
  const { reason, chosenBy } = answer;
  return { ...(isReason(reason) && { reason }), chosen_by: chosenBy };
}

/**
 * The rates of depth are those of two frames: neither sessions nor missing attestations were counted there. Those of `ai` are of the marks, or of the built-in model where
 * that scored the picture; nobody measured the operator's.
 */
function publishedFor(name: SignalName, signals: CaptureSignals | null) {
  const ai = name === 'ai' && signals?.ai_detection && evaluated<Evaluated<'ai_detection'>>(signals.ai_detection);
  const model = ai && (ai.calibrated as CalibratedScore | undefined)?.model;
  if (model) return model === genuineGenerated.model ? PUBLISHED_BY_MODEL : undefined;
  const source = name === 'depth' && signals?.depth ? evaluated<Evaluated<'depth'>>(signals.depth)?.source : undefined;
  return decidedWithoutPictures(source) ? undefined : PUBLISHED[name];
}

const isReason = (word: string | undefined): word is Unanswered =>
  (UNANSWERED_REASONS as readonly (string | undefined)[]).includes(word);

/** Why the detectors say what they say about one picture, and why a required signal says nothing. */
export function explanationOf(
  { signals, context }: { signals: CaptureSignals | null; context: ContextCheck | null },
  config: Thresholds,
  policy: DepthPolicy | undefined,
): Explanation {
  const said = SIGNALS.flatMap(({ name }) => {
    const found = explain(name, signals ?? {}, context, config);
    const published = publishedFor(name, signals);
    const unanswered = found?.no_odds === 'not_evaluated' && unansweredOf(name, { signals, context }, policy);
    return found ? [[name, { ...found, ...(published && { published }), ...(unanswered && { unanswered }) }]] : [];
  });
  return Object.fromEntries(said);
}
