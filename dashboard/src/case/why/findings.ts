import type { SignalExplanation } from '@firsthand/contract/verification/explanation.ts';
import {
  type Band,
  decidedWithoutPictures,
  SIGNALS,
  type SignalName,
  type SourceWithoutPictures,
} from '@firsthand/contract/verification/signals.ts';
import type { Capture } from '@firsthand/contract/verification/verification.ts';

/** The finding of one signal for one photo. */
export interface Finding {
  signal: SignalName;
  state: Band | 'not_evaluated' | 'not_applicable';
  /** The calibrated probability that something is wrong, where the detector gives one. */
  probability?: number;
  /** The measurements behind the finding, for a closer look. */
  evidence: [string, string][];
  /** Why it has no answer. */
  missing?: string;
  /** What spoke of depth, where it was no picture. */
  source?: SourceWithoutPictures;
  /** A model found it in the pixels, not a mark in the file. */
  byModel?: boolean;
  /** How rare the score is among genuine photos, where the thresholds lie, which parts say so. */
  explained?: SignalExplanation;
  /** Pictures found elsewhere. */
  matches: Match[];
}

export interface Match {
  source: string;
  verification_id?: string;
  url?: string;
  label?: string;
}

interface Judged {
  status?: string;
  band?: Band;
  evaluated?: boolean;
  evidence?: unknown;
  confidence?: number;
  source?: string;
  found_by?: string;
  matches?: Match[];
  reason?: string;
}

const round = (value: number) => Math.round(value * 1_000) / 1_000;
const text = (value: unknown): string =>
  typeof value === 'number' ? String(round(value)) : typeof value === 'object' ? JSON.stringify(value) : String(value);

function evidenceOf(evidence: unknown): [string, string][] {
  if (Array.isArray(evidence)) {
    return (evidence as { source?: string; field?: string; value?: string }[]).map(({ source, field, value }) => [
      [source, field].filter(Boolean).join(' '),
      text(value ?? ''),
    ]);
  }
  if (typeof evidence !== 'object' || evidence === null) return [];
  return Object.entries(evidence)
    .filter(([key]) => key !== 'probability' && key !== 'answer')
    .map(([key, value]) => [key.replaceAll('_', ' '), text(value)]);
}

/** Why a signal has no answer, as a word that the page translates. */
function missingOf(name: SignalName, found: Judged): string | undefined {
  if (found.evaluated !== false) return undefined;
  const { answer } = (found.evidence ?? {}) as { answer?: string };
  if (name === 'depth') return answer ?? found.reason ?? 'no_second_frame';
  // Photos analysed by an earlier version carry no reason.
  return found.reason ?? (name === 'screen' ? 'too_small_or_dark' : undefined);
}

/** The findings of all requested signals for a photo, in order of priority. */
export function findingsOf(capture: Capture): Finding[] {
  return SIGNALS.flatMap((spec): Finding[] => {
    if (spec.key === null) {
      const { context } = capture;
      if (!context) return [];
      const { evaluated, band = 'clear', probability, reasoning, no_answer, model, instructions_found } = context;
      const told: [string, string | undefined][] = [
        ['reasoning', reasoning],
        ['model', model],
        ['instructions in the picture', instructions_found ? 'yes' : undefined],
      ];
      return [
        {
          signal: spec.name,
          state: evaluated ? band : 'not_evaluated',
          ...(probability === undefined ? {} : { probability }),
          evidence: told.filter((entry): entry is [string, string] => entry[1] !== undefined),
          ...(no_answer === undefined ? {} : { missing: no_answer }),
          ...explainedBy(capture, spec.name),
          matches: [],
        },
      ];
    }
    const found = capture.signals?.[spec.key] as Judged | undefined;
    if (!found) return [];
    if (found.status === 'not_applicable') {
      return [{ signal: spec.name, state: 'not_applicable', evidence: [], matches: [] }];
    }
    const { probability } = (found.evidence ?? {}) as { probability?: unknown };
    const missing = missingOf(spec.name, found);
    return [
      {
        signal: spec.name,
        state: found.evaluated === false ? 'not_evaluated' : (found.band ?? 'clear'),
        ...(typeof probability === 'number' ? { probability } : {}),
        evidence: evidenceOf(found.evidence),
        ...(missing === undefined ? {} : { missing }),
        ...(decidedWithoutPictures(found.source) ? { source: found.source } : {}),
        ...(found.found_by === 'model' ? { byModel: true } : {}),
        ...explainedBy(capture, spec.name),
        matches: found.matches ?? [],
      },
    ];
  });
}

function explainedBy({ explanation }: Capture, name: SignalName): { explained?: SignalExplanation } {
  const explained = explanation?.[name];
  return explained ? { explained } : {};
}

/** The gravest band of a photo. */
export function bandOf(capture: Capture): Band {
  const states = findingsOf(capture).map(finding => finding.state);
  return states.includes('confident') ? 'confident' : states.includes('doubtful') ? 'doubtful' : 'clear';
}

/** The photo to show first: the first of those with the gravest finding. */
export function gravest(captures: readonly Capture[]): number {
  const bands = captures.map(bandOf);
  const at = bands.includes('confident') ? bands.indexOf('confident') : bands.indexOf('doubtful');
  return Math.max(0, at);
}
