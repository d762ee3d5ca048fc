import { SignJWT } from 'jose';
import type { PlayIntegrityConfig, ServiceAccount } from '../../../platform/config/attestation.ts';
import { isRecord } from '../../../platform/lib/ask-json.ts';
import { askVerifier, Refusal } from './check.ts';

const SCOPE = 'https://www.googleapis.com/auth/playintegrity';
/** Seconds before it expires at which an access token goes out of use. */
const MARGIN_S = 60;

interface AccessToken {
  value: string;
  /** Milliseconds of the epoch. */
  until: number;
}

/** Valid access tokens, kept as long as their service account's settings. */
const known = new WeakMap<ServiceAccount, AccessToken>();

interface Asked {
  now: Date;
  signal: AbortSignal;
}

/**
 * Asks Google to decode an integrity token: `v1.decodeIntegrityToken` of the Play Integrity API. Throws {@link Refusal}
 * when Google refuses the token, and other errors when Google does not answer or refuses us.
 */
export async function decodeAtGoogle(
  config: PlayIntegrityConfig,
  token: string,
  o: Asked,
): Promise<Record<string, unknown>> {
  const account = config.serviceAccount;
  if (!account) throw new Error('no service account is configured');
  const ask = async () =>
    askVerifier(`${config.url}/v1/${encodeURIComponent(config.packageName)}:decodeIntegrityToken`, {
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await accessToken(account, o)}` },
      body: JSON.stringify({ integrity_token: token }),
      signal: o.signal,
    });
  let answer = await ask();
  if (answer.status === 401) {
    known.delete(account);
    answer = await ask();
  }
  if (answer.status === 400) throw new Refusal('Google does not take the token');
  if (answer.status !== 200) throw new Error(`Play Integrity answered ${answer.status}: ${reasonOf(answer.body)}`);
  const verdict = answer.body.tokenPayloadExternal;
  if (!isRecord(verdict)) throw new Error('Play Integrity answered without a verdict');
  return verdict;
}

/**
 * Gets a service account's access token (RFC 7523) in exchange for a signed assertion. Reuses it until shortly before
 * it expires.
 */
async function accessToken(account: ServiceAccount, { now, signal }: Asked): Promise<string> {
  const kept = known.get(account);
  if (kept && kept.until > now.getTime()) return kept.value;
  const seconds = Math.floor(now.getTime() / 1_000);
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(account.keyId ? { kid: account.keyId } : {}) })
    .setIssuer(account.clientEmail)
    .setAudience(account.tokenUri)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 3_600)
    .sign(account.privateKey);
  const { status, body } = await askVerifier(account.tokenUri, {
    body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
    signal,
  });
  if (status !== 200 || typeof body.access_token !== 'string') {
    throw new Error(`the token endpoint of the service account answered ${status}: ${reasonOf(body)}`);
  }
  const lifetime = typeof body.expires_in === 'number' ? body.expires_in : 0;
  known.set(account, { value: body.access_token, until: now.getTime() + (lifetime - MARGIN_S) * 1_000 });
  return body.access_token;
}

/** Google's description of an error, for the log: `error` is text at the token endpoint and an object at the API. */
const reasonOf = ({ error, error_description }: Record<string, unknown>): string =>
  String((isRecord(error) ? error.message : error_description) ?? error).slice(0, 300);
