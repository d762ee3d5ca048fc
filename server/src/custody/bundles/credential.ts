import type { Deps } from '../../platform/deps.ts';
import type { VerificationRow } from '../../verification/verifications/row.ts';
import type { CredentialFacts } from '../credentials/manifest.ts';
import { type PhotoBytes, signPhoto } from '../credentials/sign-photo.ts';
import { PUBLISHED_RATES } from './published-rates.ts';
import { stampOf } from './time-stamp.ts';

export type LoggedFacts = Pick<CredentialFacts, 'statements' | 'leaves' | 'log'>;

/** Asks for time stamps until the authority fails once: a bundle of twenty photos must not wait for it twenty times. */
export function stampsOf(deps: Pick<Deps, 'config' | 'log'>): (data: Uint8Array) => Promise<Uint8Array | null> {
  let failed = false;
  return async data => {
    const made = failed ? null : await stampOf(deps, data);
    failed ||= made === null;
    return made?.response ?? null;
  };
}

/** Signs a photo with all that is recorded about it. Throws as `signPhoto` does. */
export const credentialOf = (
  deps: Deps,
  o: Pick<CredentialFacts, 'capture' | 'of' | 'bundle'> & { row: VerificationRow; logged: LoggedFacts },
  bytes: PhotoBytes,
  stamp = stampsOf(deps),
): Promise<Buffer> => {
  const { logged, ...facts } = o;
  return signPhoto(deps, { ...facts, ...logged, rates: PUBLISHED_RATES, publicUrl: deps.origins.public }, bytes, stamp);
};
