import type { TurnstileConfig } from '../../../platform/config/attestation.ts';
import { askVerifier, CHECK_MS, Refusal, type Subject } from './check.ts';

/**
 * Checks Cloudflare Turnstile: developers.cloudflare.com/turnstile/get-started/server-side-validation. Throws
 * {@link Refusal} with the error codes of an answer that is not a success.
 */
export async function checkTurnstile(config: TurnstileConfig, token: string, subject: Subject): Promise<void> {
  const { body } = await askVerifier(config.url, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret: config.secret, response: token, remoteip: subject.ip }),
    signal: AbortSignal.timeout(CHECK_MS),
  });
  if (body.success === true) return;
  const codes = body['error-codes'];
  throw new Refusal(Array.isArray(codes) && codes.length > 0 ? codes.map(String).join(', ') : 'not successful');
}
