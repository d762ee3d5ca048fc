import type { Attestation } from '@firsthand/contract/verification.ts';
import { request } from 'undici';
import type { Deps } from '../deps.ts';

const TIMEOUT_MS = 5_000;

/**
 * Checks an attestation token with the verifier that is configured; null when none is, and the token is ignored.
 * A failed or unreachable check is recorded as `error` and never rejects the capture.
 * Cloudflare Turnstile: developers.cloudflare.com/turnstile/get-started/server-side-validation
 */
export async function attest(deps: Deps, token: string | undefined, ip: string): Promise<Attestation | null> {
  const { turnstile } = deps.config;
  if (!turnstile || token === undefined) return null;
  const result = (verdict: 'ok' | 'error', detail?: string): Attestation => ({
    verdict,
    provider: 'turnstile',
    ...(detail ? { detail } : {}),
    checked_at: deps.clock.now().toISOString(),
  });
  try {
    const answer = await request(turnstile.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: turnstile.secret, response: token, remoteip: ip }),
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const body = (await answer.body.json()) as { success?: unknown; 'error-codes'?: unknown };
    if (body.success === true) return result('ok');
    const codes = Array.isArray(body['error-codes']) ? body['error-codes'].map(String).join(', ') : 'not successful';
    return result('error', codes.slice(0, 300));
  } catch (error) {
    deps.log.warn({ err: error }, 'attestation verifier did not answer');
    return result('error', 'the verifier did not answer');
  }
}
