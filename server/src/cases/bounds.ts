import { type CaseAnalysis, CaseAnalysis as Schema } from '@firsthand/contract/verification.ts';
import { Value } from 'typebox/value';

/** A text within its bound: control characters and runs of blanks are one blank, and what is too long ends in an ellipsis. */
export function bounded(text: string, max: number): string {
  const clean = text
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  const letters = [...clean];
  return letters.length <= max
    ? clean
    : `${letters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}

/** At most 12 different texts of at most 300 characters, the first ones kept. */
export const boundedList = (texts: readonly string[], max = 300, items = 12): string[] =>
  [...new Set(texts.map(text => bounded(text, max)).filter(text => text !== ''))].slice(0, items);

export const unit = (value: number): number =>
  Number.isFinite(value) ? Math.round(Math.max(0, Math.min(1, value)) * 1_000) / 1_000 : 0;

/** Holds a case analysis against the interface's bounds. Throws with the first place that breaks one: ours to mend. */
export function checked(analysis: CaseAnalysis): CaseAnalysis {
  if (!Value.Check(Schema, analysis)) {
    const [fault] = Value.Errors(Schema, analysis);
    throw new Error(`a case analysis breaks its bounds at ${fault?.instancePath}: ${fault?.message}`);
  }
  return analysis;
}
