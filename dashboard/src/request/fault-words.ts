import { type FaultCode, known } from '@firsthand/contract/base/fault.ts';
import { NOT_BLANK, PHONE, SLUG, STEP_KEY } from '@firsthand/contract/base/patterns.ts';
import type { MessageKey, Translator } from '../base/i18n.ts';

/** A fault of a request, as the service names it. */
interface Named {
  code: string;
  params?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** The words for each code. What no form of the dashboard can cause has the words of `invalid`. */
const WORDS: Record<FaultCode, MessageKey> = {
  required: 'fault.required',
  unknown_property: 'fault.unknownMember',
  type: 'fault.type',
  enum: 'fault.enum',
  pattern: 'fault.pattern',
  format: 'fault.format',
  too_short: 'fault.tooShort',
  too_long: 'fault.tooLong',
  too_few: 'fault.tooFew',
  too_many: 'fault.tooMany',
  too_small: 'fault.tooSmall',
  too_large: 'fault.tooLarge',
  too_many_bytes: 'fault.tooManyBytes',
  invalid_name: 'fault.invalidName',
  unusable_text: 'fault.unusableText',
  duplicate: 'fault.duplicate',
  conflict: 'fault.conflict',
  not_allowed: 'fault.notAllowed',
  read_only: 'fault.notAllowed',
  masked: 'fault.masked',
  unknown_reference: 'fault.unknownReference',
  revoked: 'fault.revoked',
  not_configured: 'fault.notConfigured',
  cell_count: 'fault.cellCount',
  no_heading: 'fault.noHeading',
  incomplete: 'problem.network',
  wrong_size: 'fault.invalid',
  too_deep: 'fault.invalid',
  unsupported_type: 'fault.invalid',
  truncated: 'fault.invalid',
  undecodable: 'fault.invalid',
  too_many_pixels: 'fault.invalid',
  too_few_pixels: 'fault.invalid',
  not_uploaded: 'fault.invalid',
  hash_mismatch: 'fault.invalid',
  invalid: 'fault.invalid',
};

const PATTERNS: Readonly<Record<string, MessageKey>> = {
  [PHONE]: 'fault.phone',
  [STEP_KEY]: 'fault.stepKey',
  [SLUG]: 'fault.slug',
  [NOT_BLANK]: 'fault.blank',
};
const FORMATS: Readonly<Record<string, MessageKey>> = {
  'date-time': 'fault.date',
  'idn-email': 'fault.email',
  iri: 'fault.url',
};

/** Says in the person's language what is wrong. A code of a later version has the words of `invalid`. */
export function faultWords({ t }: Pick<Translator, 't'>, fault: Named): string {
  return t(keyOf(fault), valuesOf(fault.params));
}

function keyOf(fault: Named): MessageKey {
  const { code, params } = known(fault);
  if (code === 'pattern') return PATTERNS[params.pattern] ?? WORDS.pattern;
  if (code === 'format') return FORMATS[params.format] ?? WORDS.format;
  return Object.hasOwn(WORDS, code) ? WORDS[code] : 'fault.invalid';
}

function valuesOf(params: Named['params'] = {}): Record<string, string | number> {
  const values: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === 'object') values[name] = value.map(name === 'with' ? lastOf : String).join(', ');
    else values[name] = typeof value === 'boolean' ? String(value) : value;
    // A bound chooses the plural.
    if (name === 'min' || name === 'max') values.n = values[name];
  }
  return values;
}

/** The member that a path ends in: the form has no paths. */
const lastOf = (path: string): string => path.split('.').at(-1)!;
