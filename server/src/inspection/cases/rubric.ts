import type { CaseAnalysis } from '@firsthand/contract/verification/verification.ts';
import { bounded, boundedList } from '../../platform/lib/text.ts';
import { checked, unit } from './bounds.ts';
import { assessCamera } from './camera.ts';
import { aiLevel, assessDetections, showsScreen } from './detections.ts';
import type { CaseFacts } from './facts.ts';
import type { Assessment, DimensionName, Finding } from './finding.ts';
import { assessNarrative, literalPlaces, namedDates } from './narrative.ts';
import { assessPlaces } from './places.ts';
import { assessRepeats } from './repeats.ts';
import { assessTimes } from './times.ts';

/** The value of `model` when no vision model took part. */
export const RUBRIC_NAME = 'firsthand-evidence/1';
export const RUBRIC_VERSION = 1;
const MAX_CAPTURES_SHOWN = 25;
/** Confidence limit without a model: metadata and clocks never settle a case. */
const MAX_EVIDENCE_CONFIDENCE = 0.75;

export interface Dimension {
  score: number;
  evidence: string;
  concerns: string[];
}

/** The opinion from the evidence, before a model's answers and the interface's bounds apply. */
export interface Opinion {
  dimensions: Partial<Record<DimensionName, Dimension>>;
  unknowns: string[];
  confidence: number;
}

const EMPTY: Readonly<Record<DimensionName, string>> = {
  cross_image_consistency: 'There is nothing to compare the picture to.',
  physical_plausibility: 'No detector ran and no clock or position was reported.',
  narrative_image_match: 'The narrative names nothing that could be held against the record.',
};

/** Combines independent reasons: 1 − Π(1 − weight). One certain reason suffices; small ones add up slowly. */
export const combine = (weights: readonly number[]): number =>
  1 - weights.reduce((left, weight) => left * (1 - weight), 1);

function dimensionOf(name: DimensionName, findings: readonly Finding[]): Dimension {
  const own = findings.filter(finding => finding.dimension === name).toSorted((a, b) => b.weight - a.weight);
  const concerns = own.filter(finding => finding.weight > 0).map(finding => finding.text);
  const supports = own.filter(finding => finding.weight === 0).map(finding => finding.text);
  return {
    score: combine(own.map(finding => finding.weight)),
    evidence: [...concerns, ...supports].join(' ') || EMPTY[name],
    concerns,
  };
}

/** Judges a case only from the evidence, by the rubric `firsthand-evidence/1` of docs/vision.md. */
export function judgeEvidence(facts: CaseFacts): Opinion {
  const { captures } = facts;
  const narrative = assessNarrative(facts);
  const assessments: Assessment[] = [
    assessDetections(captures),
    assessRepeats(facts),
    assessCamera(captures),
    assessTimes(captures),
    assessPlaces(captures),
    ...(narrative ? [narrative] : []),
  ];
  const findings = assessments.flatMap(assessment => assessment.findings);
  const covered = assessments.flatMap(({ coverage }) => (coverage === null ? [] : [coverage]));
  const coverage = covered.reduce((sum, value) => sum + value, 0) / covered.length;
  return {
    dimensions: {
      cross_image_consistency: dimensionOf('cross_image_consistency', findings),
      physical_plausibility: dimensionOf('physical_plausibility', findings),
      ...(narrative ? { narrative_image_match: dimensionOf('narrative_image_match', findings) } : {}),
    },
    unknowns: [
      ...(captures.length < 2 ? ['One picture cannot be compared with others.'] : []),
      ...assessments.flatMap(assessment => assessment.unknowns),
    ],
    confidence: Math.min(MAX_EVIDENCE_CONFIDENCE, 0.25 + 0.5 * coverage),
  };
}

/**
 * The worst dimension, raised by half of what the others add. It is never an average, and it is 1 when one dimension is
 * 1.
 */
export function overallRisk(scores: readonly number[]): number {
  const [worst = 0, ...rest] = scores.toSorted((a, b) => b - a);
  return worst + (1 - worst) * 0.5 * combine(rest);
}

export type Priority = CaseAnalysis['review_priority'];

/** High from 0.6, medium from 0.3, and never below the priority that the verdict requires. */
export function priorityOf(risk: number, verdict: CaseFacts['verdict']): Priority {
  if (risk >= 0.6 || verdict?.label === 'failed') return 'high';
  return risk >= 0.3 || verdict?.label === 'suspicious' ? 'medium' : 'low';
}

export interface Naming {
  model: string;
  consistencyLevel?: number;
  /** The model's text about the narrative. The record's own summary precedes it. */
  text?: string;
}

/** Converts an opinion to the interface's shape within every bound. */
export function present(facts: CaseFacts, opinion: Opinion, naming: Naming): CaseAnalysis {
  const { cross_image_consistency, physical_plausibility, narrative_image_match } = opinion.dimensions;
  const all = [cross_image_consistency, physical_plausibility, narrative_image_match].flatMap(one => one ?? []);
  const risk = unit(overallRisk(all.map(dimension => unit(dimension.score))));
  const text = bounded([summaryOf(facts), naming.text ?? ''].join(' '), 2_000);
  const analysis = facts.captures
    .slice(0, MAX_CAPTURES_SHOWN)
    .map(capture => ({ capture_id: capture.id, ai: aiLevel(capture), screen: showsScreen(capture) }));
  return checked({
    overall_risk_score: risk,
    confidence: unit(opinion.confidence),
    dimensions: {
      cross_image_consistency: shown(cross_image_consistency, 'cross_image_consistency'),
      physical_plausibility: shown(physical_plausibility, 'physical_plausibility'),
      ...(narrative_image_match
        ? { narrative_image_match: shown(narrative_image_match, 'narrative_image_match') }
        : {}),
    },
    review_priority: priorityOf(risk, facts.verdict),
    uncertainty_areas: boundedList(opinion.unknowns),
    model: bounded(naming.model, 200),
    rubric_version: RUBRIC_VERSION,
    ...(naming.consistencyLevel === undefined ? {} : { consistency_level: unit(naming.consistencyLevel) }),
    analysis,
    ...(text === '' ? {} : { text_analysis: text }),
  });
}

function shown(dimension: Dimension | undefined, name: DimensionName) {
  const concerns = boundedList(dimension?.concerns ?? []);
  return {
    score: unit(dimension?.score ?? 0),
    evidence: bounded(dimension?.evidence ?? '', 1_000) || EMPTY[name],
    ...(concerns.length > 0 ? { concerns } : {}),
  };
}

/** Summarises the dates and places read from the narrative. */
function summaryOf({ narrative, namedPlaces, finalizedAt }: CaseFacts): string {
  const dates = namedDates(narrative, finalizedAt).map(date => date.text);
  const places = [...literalPlaces(narrative), ...namedPlaces].map(place => place.text);
  const parts = [
    ...(dates.length > 0 ? [`dates: ${dates.join('; ')}`] : []),
    ...(places.length > 0 ? [`places: ${places.join('; ')}`] : []),
  ];
  return parts.length > 0 ? `Read from the narrative, ${parts.join('. ')}.` : '';
}
