import type { KeyScope } from '@firsthand/contract/account/key-scopes.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import { hasRole } from '@firsthand/contract/people/roles.ts';

/**
 * Ways for a caller to prove their identity. `capture` is possession of the verification id in the path. `sign_in` is
 * the proof in the request that opens a session: a link, a code, a passkey's signature or a provider's answer.
 */
export type CredentialKind = 'key' | 'secret' | 'session' | 'bot' | 'capture' | 'sign_in' | 'none';

/** True when the credential needs no header: the endpoint itself checks the sender. */
export const isOpen = (kinds: readonly CredentialKind[]): boolean =>
  kinds.some(kind => kind === 'capture' || kind === 'sign_in' || kind === 'none');

/** The mode of objects a caller creates, and the modes it can read. */
export interface Modes {
  livemode: boolean;
  reads: readonly boolean[];
}

interface Common extends Modes {
  tenantId: string;
  /** The tenant's rate limit; null: the deployment's limit. */
  requestsPerMinute: number | null;
}

/** The party that an authenticated request acts for. */
export type Principal = Common &
  (
    | { kind: 'key'; keyId: string; scopes: readonly KeyScope[] | null; templateId: string | null }
    | { kind: 'secret'; keyId: string }
    | { kind: 'bot' }
    | { kind: 'session'; userId: string; role: Role; sessionId: string; signedInAt: Date }
  );

/** A key that sits in an app, so whoever takes the app apart has it too. */
export type AppPrincipal = Extract<Principal, { kind: 'key' }> & { scopes: readonly KeyScope[] };
export const isApp = (principal: Principal | null): principal is AppPrincipal =>
  principal?.kind === 'key' && principal.scopes !== null;

export type PersonPrincipal = Extract<Principal, { kind: 'session' }>;

/** Returns the person of a session. Call it only in endpoints that take no other credential. */
export function personOf(principal: Principal): PersonPrincipal {
  if (principal.kind !== 'session') throw new Error(`a ${principal.kind} is not a person`);
  return principal;
}

/** Returns the id of the person who looks; null for a key or a bot. */
export const viewerOf = (principal: Principal): string | null =>
  principal.kind === 'session' ? principal.userId : null;

/** True for callers who may have the links that claimants get: all but people who may not create verifications. */
export const holdsLinks = (principal: Principal): boolean =>
  principal.kind !== 'session' || hasRole(principal.role, 'member');

/** Possession of a verification's id. It opens the capture flow of that one verification. */
export interface CapturePrincipal {
  kind: 'capture';
  tenantId: string;
  verificationId: string;
  /** The person of the account whose browser sends the request, if it has a session. */
  personId: string | null;
}

/** The modes that a deployment serves; `both` serves everything. */
export const servedModes = (mode: 'both' | 'live' | 'test'): boolean[] =>
  mode === 'both' ? [true, false] : [mode === 'live'];

/**
 * The modes of callers without a mode of their own: secret key, person, bot. They create live objects unless the
 * deployment serves only test mode.
 */
export const modesOfAll = (mode: 'both' | 'live' | 'test'): Modes => ({
  livemode: mode !== 'test',
  reads: servedModes(mode),
});

/** True when this caller creates live objects. */
export const createsLive = (principal: Principal): boolean => principal.livemode;

/** The modes this caller may read. A publishable key reads only its own. */
export const readableModes = (principal: Principal): boolean[] => [...principal.reads];
