import type { Attestation } from '@firsthand/contract/verification/verification.ts';
import { one, type Tx } from '../../../platform/db/sql.ts';
import type { Deps } from '../../../platform/deps.ts';
import { type Passed, Refusal, type Subject } from './check.ts';
import { readToken, type Token } from './token.ts';
import { checkTurnstile } from './turnstile.ts';

export interface Attested {
  /** Null: nothing was checked. */
  attestation: Attestation | null;
  /** Null: the attestation failed, or its token cannot be used twice. */
  proof: Buffer | null;
}
/** Returns what to record with the capture, within its transaction. */
export type Attesting = (tx: Tx) => Promise<Attested>;

const MAX_DETAIL = 300;
const NOTHING: Attested = { attestation: null, proof: null };

/**
 * Checks an attestation token with the verifier it names. Records nothing without a token, or when that verifier is not
 * configured. Never throws: it records a refused token, or a verifier that does not answer, as `error` and keeps the
 * capture.
 */
export async function attest(
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'clock'>,
  text: string | undefined,
  subject: Subject,
): Promise<Attesting> {
  const { turnstile, appAttest, playIntegrity } = deps.config;
  if (text === undefined || !(turnstile || appAttest || playIntegrity)) return async () => NOTHING;
  let provider: Token['provider'] | 'unknown' = 'unknown';
  const failed = (fault: unknown): Attested => {
    if (!(fault instanceof Refusal)) deps.log.warn({ err: fault, provider }, 'an attestation could not be checked');
    const detail = fault instanceof Refusal ? fault.message.slice(0, MAX_DETAIL) : 'the verifier did not answer';
    return {
      attestation: { verdict: 'error', provider, detail, checked_at: deps.clock.now().toISOString() },
      proof: null,
    };
  };
  try {
    const token = readToken(text);
    provider = token.provider;
    const passed = await check(deps, token, subject);
    if (passed === null) return async () => NOTHING;
    return async tx => {
      try {
        if (passed.proof) await checkUnused(tx, subject, passed.proof);
        await passed.complete?.(tx);
        const attestation: Attestation = { verdict: 'ok', provider, checked_at: deps.clock.now().toISOString() };
        return { attestation, proof: passed.proof ?? null };
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

/** Throws {@link Refusal} where another photo of the verification, to which the token is bound, came with it. The caller has locked the verification. */
async function checkUnused(tx: Tx, { verificationId }: Subject, proof: Buffer): Promise<void> {
  const used = await one(tx, 'select 1 from captures where verification_id = $1 and attestation_proof = $2', [
    verificationId,
    proof,
  ]);
  if (used) throw new Refusal('used before: an attestation counts for one photo');
}

/** Null: the verifier that the token names is not configured. Loads each verifier of app tokens at its first use. */
async function check(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  token: Token,
  subject: Subject,
): Promise<Passed | null> {
  const { turnstile, appAttest, playIntegrity } = deps.config;
  switch (token.provider) {
    case 'turnstile':
      if (!turnstile) return null;
      await checkTurnstile(turnstile, token.token, subject);
      return {};
    case 'play_integrity': {
      if (!playIntegrity) return null;
      const { checkPlayIntegrity } = await import('./play-integrity.ts');
      return checkPlayIntegrity(playIntegrity, token.token, subject, deps.clock.now());
    }
    case 'app_attest': {
      if (!appAttest) return null;
      const { checkAppAttest } = await import('./app-attest.ts');
      return checkAppAttest(deps, appAttest, token, subject);
    }
  }
}
