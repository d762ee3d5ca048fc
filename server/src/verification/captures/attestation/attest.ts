import type { Attestation } from '@firsthand/contract/verification/verification.ts';
import type { Tx } from '../../../platform/db/sql.ts';
import type { Deps } from '../../../platform/deps.ts';
import { type Completion, Refusal, type Subject } from './check.ts';
import { readToken, type Token } from './token.ts';
import { checkTurnstile } from './turnstile.ts';

/** Returns the attestation to record with the capture, within its transaction; null: nothing was checked. */
export type Attested = (tx: Tx) => Promise<Attestation | null>;

const MAX_DETAIL = 300;

/**
 * Checks an attestation token with the verifier it names. Records nothing without a token, or when that verifier is not
 * configured. Never throws: it records a refused token, or a verifier that does not answer, as `error` and keeps the
 * capture.
 */
export async function attest(
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'clock'>,
  text: string | undefined,
  subject: Subject,
): Promise<Attested> {
  const { turnstile, appAttest, playIntegrity } = deps.config;
  if (text === undefined || !(turnstile || appAttest || playIntegrity)) return async () => null;
  let provider: Token['provider'] | 'unknown' = 'unknown';
  const failed = (fault: unknown): Attestation => {
    if (!(fault instanceof Refusal)) deps.log.warn({ err: fault, provider }, 'an attestation could not be checked');
    const detail = fault instanceof Refusal ? fault.message.slice(0, MAX_DETAIL) : 'the verifier did not answer';
    return { verdict: 'error', provider, detail, checked_at: deps.clock.now().toISOString() };
  };
  try {
    const token = readToken(text);
    provider = token.provider;
    const completion = await check(deps, token, subject);
    if (completion === null) return async () => null;
    return async tx => {
      try {
        await completion(tx);
        return { verdict: 'ok', provider, checked_at: deps.clock.now().toISOString() };
      } catch (fault) {
        if (fault instanceof Refusal) return failed(fault);
        throw fault;
      }
    };
  } catch (fault) {
    const recorded = failed(fault);
    return async () => recorded;
  }
}

/** Null: the verifier that the token names is not configured. Loads each verifier of app tokens at its first use. */
async function check(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  token: Token,
  subject: Subject,
): Promise<Completion | null> {
  const { turnstile, appAttest, playIntegrity } = deps.config;
  switch (token.provider) {
    case 'turnstile':
      if (!turnstile) return null;
      await checkTurnstile(turnstile, token.token, subject);
      return async () => {};
    case 'play_integrity': {
      if (!playIntegrity) return null;
      const { checkPlayIntegrity } = await import('./play-integrity.ts');
      await checkPlayIntegrity(playIntegrity, token.token, subject, deps.clock.now());
      return async () => {};
    }
    case 'app_attest': {
      if (!appAttest) return null;
      const { checkAppAttest } = await import('./app-attest.ts');
      return checkAppAttest(deps, appAttest, token, subject);
    }
  }
}
