import { type Fault, fault } from '../base/fault.ts';
import type { TextStep } from './steps.ts';

/** Letters and digits of every script: a number plate may read `TÜ-AB 123` or `А123ВС77`. */
const FORMATS = { numeric_id: /^[0-9]+$/, alphanumeric_id: /^[\p{L}0-9-]+$/u } as const;

const MESSAGES = {
  numeric_id: 'must hold digits only',
  alphanumeric_id: 'must hold letters, digits and hyphens only',
} as const;

/** Returns the fault of an answer, or null. Page and service ask here. Lengths count Unicode code points, as JSON Schema does. */
export function faultOfAnswer({ key, validation }: Pick<TextStep, 'key' | 'validation'>, value: string): Fault | null {
  const { min_length = 0, max_length, format } = validation;
  const length = [...value].length;
  const path = `answers.${key}`;
  if (length < min_length)
    return fault(path, 'too_short', `must have at least ${min_length} characters`, { min: min_length });
  if (length > max_length)
    return fault(path, 'too_long', `must have at most ${max_length} characters`, { max: max_length });
  if (format !== 'free_text' && !FORMATS[format].test(value))
    return fault(path, 'format', MESSAGES[format], { format });
  return null;
}
