import { evaluated } from '@firsthand/contract/verification/signals.ts';
import { type CaptureFacts, capitalised, pictures } from './facts.ts';
import type { Assessment, Finding } from './finding.ts';

/** True when the capture looks like a photograph of a display. */
export const showsScreen = ({ signals }: Pick<CaptureFacts, 'signals'>): boolean =>
  evaluated(signals.screen_detection)?.screen_detected === true;

/** How likely the capture was generated. Only positive evidence counts, so `unknown` is low. */
export function aiLevel({ signals }: Pick<CaptureFacts, 'signals'>): 'low' | 'medium' | 'high' {
  const ai = evaluated(signals.ai_detection);
  if (ai?.label !== 'likely_ai') return 'low';
  return ai.band === 'confident' || ai.confidence >= 0.9 ? 'high' : 'medium';
}

/** Turns the detectors' findings on each capture into weights by band. */
export function assessDetections(captures: readonly CaptureFacts[]): Assessment {
  const findings: Finding[] = [];
  const unknowns: string[] = [];
  let asked = 0;
  let answered = 0;
  for (const capture of captures) {
    const name = capitalised(pictures([capture.number]));
    const trip = (weight: number, text: string) =>
      findings.push({ dimension: 'physical_plausibility', weight, text: `${name} ${text}` });
    const present = Object.values(capture.signals);
    asked += present.length;
    answered += present.filter(signal => evaluated(signal)).length;
    if (capture.analysisFailed) unknowns.push(`${name} could not be analysed.`);

    const screen = evaluated(capture.signals.screen_detection);
    const screenChance = screen ? (screen.screen_detected ? screen.confidence : 1 - screen.confidence) : 0;
    if (screen && (screen.screen_detected || (screen.band ?? 'clear') !== 'clear')) {
      trip(Math.max(screenChance, 0.3), `looks like a photograph of a display (${percent(screenChance)}).`);
    }
    const level = aiLevel(capture);
    if (level !== 'low') trip(level === 'high' ? 0.9 : 0.5, 'is marked or judged as generated.');
    const reverse = evaluated(capture.signals.reverse_search);
    if (reverse?.found_online === true) {
      trip(
        reverse.band === 'doubtful' ? 0.4 : 0.7,
        `was found elsewhere (${Number(reverse.match_count) || 1} matches).`,
      );
    }
    const depth = evaluated(capture.signals.depth);
    if (depth?.band === 'confident') trip(0.7, 'is flat where it shows depth.');
    else if (depth?.band === 'doubtful') trip(0.35, 'may be flat where it shows depth.');
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
