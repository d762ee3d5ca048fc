import { isRecord } from '../../../platform/lib/ask-json.ts';
import { Refusal } from './check.ts';

/** An attestation token by its verifier. App Attest's members are base64. */
export type Token =
  | { provider: 'turnstile'; token: string }
  | { provider: 'app_attest'; keyId: string; attestation: Buffer }
  | { provider: 'app_attest'; keyId: string; assertion: Buffer }
  | { provider: 'play_integrity'; token: string };

/** Members of each form of envelope, beside `provider`. */
const FORMS: ReadonlyMap<unknown, readonly (readonly string[])[]> = new Map([
  [
    'app_attest',
    [
      ['key_id', 'attestation'],
      ['key_id', 'assertion'],
    ],
  ],
  ['play_integrity', [['token']]],
]);

/**
 * Reads an `attestation_token`. A JSON object names its provider; anything else is a Turnstile token, which never begins with
 * a brace. Throws {@link Refusal} for an envelope of no known form.
 */
export function readToken(text: string): Token {
  if (!text.trimStart().startsWith('{')) return { provider: 'turnstile', token: text };
  const envelope = parse(text);
  const { provider, ...members } = envelope;
  const names = Object.keys(members);
  const form = FORMS.get(provider)?.find(known => known.length === names.length && known.every(n => n in members));
  if (!form || !names.every(name => typeof members[name] === 'string')) {
    throw new Refusal('the token is an envelope of no known form');
  }
  const { key_id = '', attestation, assertion, token = '' } = members as Record<string, string>;
  if (provider === 'play_integrity') return { provider, token };
  const keyId = base64(key_id).toString('base64');
  return attestation !== undefined
    ? { provider: 'app_attest', keyId, attestation: base64(attestation) }
    : { provider: 'app_attest', keyId, assertion: base64(assertion ?? '') };
}

function parse(text: string): Record<string, unknown> {
  try {
    const envelope: unknown = JSON.parse(text);
    if (isRecord(envelope)) return envelope;
  } catch {
    // The error below replaces the parser's, which would repeat the token.
  }
  throw new Refusal('the token begins like an envelope and is no JSON object');
}

/** Standard or URL-safe alphabet, with or without padding. */
function base64(text: string): Buffer {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) throw new Refusal('a member of the token is not base64');
  return Buffer.from(text, 'base64');
}
