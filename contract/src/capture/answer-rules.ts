import type { TextStep } from './steps.ts';

/** Letters and digits of every script: a number plate may read `TÜ-AB 123` or `А123ВС77`. */
const FORMATS = { numeric_id: /^[0-9]+$/, alphanumeric_id: /^[\p{L}0-9-]+$/u } as const;

/** The rule of a text step that an answer breaks. `n`: the length that it sets. */
export type AnswerFault = { rule: 'min_length' | 'max_length'; n: number } | { rule: 'numeric_id' | 'alphanumeric_id' };

/** Returns the rule that an answer breaks, or null. Page and service ask here. Lengths count Unicode code points, as JSON Schema does. */
export function faultOfAnswer({ validation }: Pick<TextStep, 'validation'>, value: string): AnswerFault | null {
  const { min_length = 0, max_length, format } = validation;
  const length = [...value].length;
  if (length < min_length) return { rule: 'min_length', n: min_length };
  if (length > max_length) return { rule: 'max_length', n: max_length };
  if (format !== 'free_text' && !FORMATS[format].test(value)) return { rule: format };
  return null;
}

/** What the service says of a broken rule. */
export function messageOfAnswerFault(fault: AnswerFault): string {
  switch (fault.rule) {
    case 'min_length':
      return `must have at least ${fault.n} characters`;
    case 'max_length':
      return `must have at most ${fault.n} characters`;
    case 'numeric_id':
      return 'must hold digits only';
    case 'alphanumeric_id':
      return 'must hold letters, digits and hyphens only';
  }
}

/** Returns the rule that a message of the service tells of, or null. */
export function answerFaultIn(message: string): AnswerFault | null {
  const n = Number(/\d+/.exec(message)?.[0] ?? 0);
  const all: AnswerFault[] = [
    { rule: 'min_length', n },
    { rule: 'max_length', n },
    { rule: 'numeric_id' },
    { rule: 'alphanumeric_id' },
  ];
  return all.find(fault => messageOfAnswerFault(fault) === message) ?? null;
}
