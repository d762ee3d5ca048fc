/** The patterns that texts of a request must match, each with what people are told when one does not. */
const WORDS = new Map<string, string>();
const pattern = (source: string, words: string): string => {
  WORDS.set(source, words);
  return source;
};

export const PHONE = pattern(
  '^\\+[1-9]\\d{6,14}$',
  'must be a phone number with + and country code, such as +4915112345678',
);
export const NOT_BLANK = pattern('\\S', 'must not be blank');
export const ONE_LINE = pattern(
  '^[^\\p{Cc}\\u2028\\u2029]*\\S[^\\p{Cc}\\u2028\\u2029]*$',
  'must be one line that is not blank',
);
export const SIX_DIGITS = pattern('^\\d{6}$', 'must be six digits, such as 042917');
export const STEP_KEY = pattern(
  '^[a-z0-9][a-z0-9_-]*$',
  'must be lower-case letters, digits, _ and -, such as front_left',
);
export const SLUG = pattern(
  '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  'must be lower-case letters and digits with single hyphens between them, such as acme-insurance',
);
export const LANGUAGE_TAG = pattern(
  '^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*$',
  'must be a language tag, such as de or pt-BR',
);
export const HEX_COLOR = pattern('^#[0-9a-fA-F]{6}$', 'must be a colour of six hexadecimal digits, such as #1a73e8');
/** No wildcard, no path. `originFaults` says how a host with other letters is written. Browsers give the camera only to secure pages, so `http` is for a page on the own machine. */
export const WEB_ORIGIN = pattern(
  '^(?:https://[a-z0-9\\u0080-\\uffff](?:[a-z0-9\\u0080-\\uffff.-]*[a-z0-9\\u0080-\\uffff])?|http://localhost|http://127\\.0\\.0\\.1)(?::[1-9][0-9]{0,4})?$',
  'must be an origin such as https://claims.example.com: https, lower case, no path, no *',
);
export const EXAMPLE_PICTURE = pattern(
  '^[0-9a-f]{64}$',
  'must be the sha256 of an example picture, as POST /v1/example-pictures gives it',
);
export const SHA256_HEX = pattern('^[0-9a-fA-F]{64}$', 'must be a SHA-256 of 64 hexadecimal digits');

/** Says in words what a pattern asks for. */
export const wordsOfPattern = (source: string): string => {
  const prefix = /^\^([a-z]+_)\[/.exec(source)?.[1];
  if (prefix !== undefined) return `must be an id that begins with ${prefix}`;
  return WORDS.get(source) ?? 'has characters or a form that are not allowed here';
};
