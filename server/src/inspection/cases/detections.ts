import { type Evaluated, evaluated, SHOWN_SIGNALS, type SignalKey } from '@firsthand/contract/verification/signals.ts';
import { type CaptureFacts, capitalised, pictures } from './facts.ts';
import type { Assessment, Finding } from './finding.ts';

/** True when the capture looks like a photograph of a display. */
export const showsScreen = ({ signals }: Pick<CaptureFacts, 'signals'>): boolean =>
  evaluated(signals.screen_detection)?.screen_detected === true;

/** How likely the capture was generated. Only positive evidence counts, so `unknown` is low. What a model doubts is medium: genuine pictures are doubted too. */
export const aiLevel = ({ signals }: Pick<CaptureFacts, 'signals'>) => levelOf(evaluated(signals.ai_detection));

function levelOf(ai: Evaluated<'ai_detection'> | null): 'low' | 'medium' | 'high' {
  if (ai?.label !== 'likely_ai') return 'low';
  return ai.band === 'confident' || (ai.confidence >= 0.9 && ai.found_by !== 'model') ? 'high' : 'medium';
}

interface Weighed {
  weight: number;
  text: string;
}

/** What each signal says against a capture. */
const WEIGH: { [K in SignalKey]: (signal: Evaluated<K>) => Weighed | null } = {
  screen_detection({ screen_detected, confidence, band = 'clear' }) {
    const chance = screen_detected ? confidence : 1 - confidence;
    if (!screen_detected && band === 'clear') return null;
    return { weight: Math.max(chance, 0.3), text: `looks like a photograph of a display (${percent(chance)}).` };
  },
  ai_detection(ai) {
    const level = levelOf(ai);
    return level === 'low' ? null : { weight: level === 'high' ? 0.9 : 0.5, text: 'is marked or judged as generated.' };
  },
  reverse_search({ found_online, match_count, band }) {
    if (!found_online) return null;
    return { weight: band === 'doubtful' ? 0.4 : 0.7, text: `was found elsewhere (${match_count || 1} matches).` };
  },
  depth({ band }) {
    if (band === 'confident') return { weight: 0.7, text: 'is flat where it shows depth.' };
    return band === 'doubtful' ? { weight: 0.35, text: 'may be flat where it shows depth.' } : null;
  },
};

/** Turns the detectors' findings on each capture into weights by band. */
export function assessDetections(captures: readonly CaptureFacts[]): Assessment {
  const findings: Finding[] = [];
  const unknowns: string[] = [];
  let asked = 0;
  let answered = 0;
  for (const capture of captures) {
    const name = capitalised(pictures([capture.number]));
    const present = Object.values(capture.signals);
    asked += present.length;
    answered += present.filter(signal => evaluated(signal)).length;
    if (capture.analysisFailed) unknowns.push(`${name} could not be analysed.`);

    for (const { key } of SHOWN_SIGNALS) {
      const signal = evaluated(capture.signals[key]);
      const said = signal && (WEIGH[key] as (signal: Evaluated) => Weighed | null)(signal);
      if (said) {
        findings.push({ dimension: 'physical_plausibility', weight: said.weight, text: `${name} ${said.text}` });
      }
    }
    if (
      evaluated(capture.signals.ai_detection)?.label === 'unknown' &&
      !unknowns.some(text => text.includes('generat'))
    ) {
      unknowns.push('Nothing proves or disproves that a picture was generated.');
    }
  }
  if (captures.some(capture => capture.source === 'upload')) {
    unknowns.push('Uploaded pictures are not checked for displays or flatness.');
  }
  if (findings.length === 0 && answered > 0) {
    findings.push({ dimension: 'physical_plausibility', weight: 0, text: 'No detector found anything wrong.' });
  }
  return { findings, unknowns, coverage: asked === 0 ? 0 : answered / asked };
}

const percent = (value: number): string => `${Math.round(value * 100)}%`;
