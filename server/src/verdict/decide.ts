import type { SignalName } from '@firsthand/contract/create-verification.ts';
import type { ReasonCode, Signals, Verdict } from '@firsthand/contract/verification.ts';

export type Band = 'clear' | 'doubtful' | 'confident';

/** One required signal of one capture, or of the whole verification: how sure we are that something is wrong. */
interface Judged {
  reason: ReasonCode;
  band: Band;
  /** Calibrated probability that something is wrong; null when the signal says nothing either way. */
  probability: number | null;
  evaluated: boolean;
}

type SignalKey = keyof Signals;
type Evaluated = { confidence?: number; band?: Band; evaluated?: boolean } & Record<string, unknown>;

/** Required signal to its key on the wire. `context` has none: it can only trip. */
export const SIGNAL_KEY: Readonly<Record<Exclude<SignalName, 'context'>, SignalKey>> = {
  screen: 'screen_detection',
  ai: 'ai_detection',
  reverse: 'reverse_search',
  depth: 'depth',
};

/** By the interface's priority: screen, AI, context, reverse search, depth. */
const PRIORITY: readonly ReasonCode[] = [
  'screen_detected',
  'ai_generated',
  'context_mismatch',
  'reverse_search_match',
  'depth_anomaly',
];

const REASON: Readonly<Record<SignalKey, ReasonCode>> = {
  screen_detection: 'screen_detected',
  ai_detection: 'ai_generated',
  reverse_search: 'reverse_search_match',
  depth: 'depth_anomaly',
};

const SEVERITY: Readonly<Record<Band, number>> = { clear: 0, doubtful: 1, confident: 2 };

function judge(key: SignalKey, signal: Evaluated): Judged {
  const { band = 'clear', confidence = 0 } = signal;
  const reason = REASON[key];
  const evaluated = signal.evaluated !== false && signal.status !== 'not_applicable';
  if (!evaluated) return { reason, band: 'clear', probability: null, evaluated };
  if (key === 'screen_detection') {
    return { reason, band, probability: signal.screen_detected ? confidence : 1 - confidence, evaluated };
  }
  if (key === 'ai_detection') {
    if (signal.label === 'unknown') return { reason, band: 'clear', probability: null, evaluated };
    return { reason, band, probability: signal.label === 'likely_ai' ? confidence : 1 - confidence, evaluated };
  }
  return { reason, band, probability: band === 'clear' ? null : confidence, evaluated };
}

/** How bad a signal is, for finding the worst: the band first, then the probability; what was not evaluated comes last. */
function badness(key: SignalKey, signal: Evaluated): number {
  if (signal.status === 'not_applicable') return -2;
  const { band, probability } = judge(key, signal);
  // Twice the band, so that no probability makes up for a band.
  return probability === null ? -1 : 2 * SEVERITY[band] + probability;
}

/** Each required signal of a verification: the worst evaluated one of its captures. */
export function worstSignals(required: readonly SignalName[], captures: readonly Signals[]): Signals {
  const worst: Record<string, unknown> = {};
  for (const name of required) {
    if (name === 'context') continue;
    const key = SIGNAL_KEY[name];
    const candidates = captures.flatMap(signals => (signals[key] ? [signals[key] as Evaluated] : []));
    candidates.sort((a, b) => badness(key, b) - badness(key, a));
    if (candidates[0]) worst[key] = candidates[0];
  }
  return worst as Signals;
}

export interface ContextOpinion {
  band: Band;
  /** Null on `clear`: what speaks for a mismatch is no measure of a match. */
  probability: number | null;
}

/** The score of a clean verdict to which no signal gave a probability: some were evaluated, or none was. */
const NO_PROBABILITY = 0.5;
const NOTHING_EVALUATED = 0;

/**
 * The verdict of a verification from the signals of its captures. `failed`: a signal is confident; `suspicious`: one is
 * doubtful; else `verified`. `score` is the calibrated confidence in the label: the tripped signal's probability, or, when none
 * tripped, the least clean one's complement. Where no signal gives a probability it is {@link NO_PROBABILITY}, and
 * {@link NOTHING_EVALUATED} where none could be evaluated: then nothing speaks for the label.
 */
export function decide(
  required: readonly SignalName[],
  captures: readonly Signals[],
  context: ContextOpinion | null = null,
): Verdict {
  const signals = worstSignals(required, captures);
  const judged: Judged[] = Object.entries(signals).map(([key, signal]) => judge(key as SignalKey, signal as Evaluated));
  if (context && required.includes('context')) judged.push({ reason: 'context_mismatch', evaluated: true, ...context });
  const level = Math.max(0, ...judged.map(({ band }) => SEVERITY[band]));
  if (level === 0) {
    const clean = judged.flatMap(({ probability }) => (probability === null ? [] : [1 - probability]));
    const unknown = judged.some(({ evaluated }) => evaluated) ? NO_PROBABILITY : NOTHING_EVALUATED;
    return { label: 'verified', score: clean.length > 0 ? round(Math.min(...clean)) : unknown, signals };
  }
  const tripped = judged
    .filter(({ band }) => SEVERITY[band] === level)
    .sort((a, b) => PRIORITY.indexOf(a.reason) - PRIORITY.indexOf(b.reason))[0]!;
  return {
    label: level === 2 ? 'failed' : 'suspicious',
    score: round(tripped.probability ?? NO_PROBABILITY),
    signals,
    reason_code: tripped.reason,
  };
}

const round = (value: number): number => Math.round(Math.max(0, Math.min(1, value)) * 10_000) / 10_000;
