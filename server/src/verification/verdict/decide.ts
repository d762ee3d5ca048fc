import {
  type Band,
  type CaptureSignals,
  type Evaluated,
  evaluated,
  membersOf,
  type NotApplicable,
  type ReasonCode,
  SHOWN_SIGNALS,
  SIGNALS,
  type SignalName,
  type VerdictSignals,
} from '@firsthand/contract/verification/signals.ts';
import type { Verdict } from '@firsthand/contract/verification/verification.ts';

/** One required signal of a capture or of the whole verification, with how sure we are that something is wrong. */
interface Judged {
  reason: ReasonCode;
  band: Band;
  /** Calibrated probability that something is wrong; null when the signal says nothing either way. */
  probability: number | null;
}

type Shown = (typeof SHOWN_SIGNALS)[number];
type Found = Evaluated | NotApplicable;

const SEVERITY: Readonly<Record<Band, number>> = { clear: 0, doubtful: 1, confident: 2 };

function judge({ reason, problem }: Shown, found: Found): Judged {
  const signal = evaluated(found);
  if (!signal) return { reason, band: 'clear', probability: null };
  const probability = (problem as (signal: Evaluated) => number | null)(signal);
  // A label of "unknown" has no probability, so it has no band either.
  const band = probability === null ? 'clear' : (signal.band ?? 'clear');
  return { reason, band, probability };
}

/** Ranks signals to find the worst: by band, then by probability. Signals that were not evaluated rank last. */
function badness(spec: Shown, found: Found): number {
  if (found.status === 'not_applicable') return -2;
  const { band, probability } = judge(spec, found);
  // Doubles the band, so that no probability outweighs it.
  return probability === null ? -1 : 2 * SEVERITY[band] + probability;
}

/** Returns, for each required signal, the worst evaluated one among the captures. */
export function worstSignals(required: readonly SignalName[], captures: readonly CaptureSignals[]): CaptureSignals {
  const worst = SHOWN_SIGNALS.filter(({ name }) => required.includes(name)).flatMap(spec => {
    const candidates = captures.flatMap((signals): Found[] => {
      const found = signals[spec.key];
      return found ? [found] : [];
    });
    candidates.sort((a, b) => badness(spec, b) - badness(spec, a));
    return candidates[0] ? [[spec.key, candidates[0]]] : [];
  });
  return Object.fromEntries(worst);
}

export interface ContextOpinion {
  band: Band;
  /** Null on `clear`: evidence of a mismatch does not measure a match. */
  probability: number | null;
}

/** Score of a verdict that no probability speaks for. */
const NO_PROBABILITY = 0.5;

const PRIORITY: readonly ReasonCode[] = SIGNALS.map(({ reason }) => reason);

export interface Findings {
  required: readonly SignalName[];
  /** The signals of each capture. */
  captures: readonly CaptureSignals[];
  context?: ContextOpinion | null;
  /** Whether a verdict may say `verified`; see `support.ts`. */
  supported: boolean;
}

/**
 * Decides the verdict of a verification. `failed`: a signal is confident; `suspicious`: one is doubtful, or nothing
 * tripped and nothing supports more; else `verified`.
 *
 * `score` is the calibrated confidence in the label: the tripped signal's probability or, when none tripped, the
 * complement of the least clean one, but never below {@link NO_PROBABILITY}: a signal below its threshold does not speak
 * for fraud. It is {@link NO_PROBABILITY} where no signal gives a probability and where the support is missing.
 */
export function decide({ required, captures, context = null, supported }: Findings): Verdict {
  const worst = worstSignals(required, captures);
  const found = SHOWN_SIGNALS.flatMap(spec => {
    const signal = worst[spec.key];
    return signal ? [{ spec, signal }] : [];
  });
  const signals: VerdictSignals = Object.fromEntries(
    found.map(({ spec, signal }) => [spec.key, membersOf(spec, signal)]),
  );
  const judged = found.map(({ spec, signal }) => judge(spec, signal));
  if (context && required.includes('context')) judged.push({ reason: 'context_mismatch', ...context });
  const level = Math.max(0, ...judged.map(({ band }) => SEVERITY[band]));
  if (level === 0 && !supported) return { label: 'suspicious', score: NO_PROBABILITY, signals };
  if (level === 0) {
    const clean = judged.flatMap(({ probability }) => (probability === null ? [] : [1 - probability]));
    const score = clean.length > 0 ? Math.max(NO_PROBABILITY, Math.min(...clean)) : NO_PROBABILITY;
    return { label: 'verified', score: round(score), signals };
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
