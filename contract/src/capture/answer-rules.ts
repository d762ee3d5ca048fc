import { type Fault, fault } from '../base/fault.ts';
import type { TextStep } from './steps.ts';
import { TEXT_FORMATS } from './text-formats.ts';

/** Returns the fault of an answer, or null. Page and service ask here. Lengths count Unicode code points, as JSON Schema does. */
export function faultOfAnswer({ key, validation }: Pick<TextStep, 'key' | 'validation'>, value: string): Fault | null {
  const { min_length = 0, max_length, format } = validation;
  const length = [...value].length;
  const path = `answers.${key}`;
  if (length < min_length)
    return fault(path, 'too_short', `must have at least ${min_length} characters`, { min: min_length });
  if (length > max_length)
    return fault(path, 'too_long', `must have at most ${max_length} characters`, { max: max_length });
  const rule = TEXT_FORMATS[format];
  return rule && !rule.pattern.test(value) ? fault(path, 'format', rule.message, { format }) : null;
}
