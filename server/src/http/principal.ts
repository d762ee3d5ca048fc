import { ROLES, type Role } from '@firsthand/contract/people.ts';

/**
 * How a caller may prove who they are. `capture` is possession of the verification id in the path; `sign_in` is what the
 * request itself brings to open a session: a link, a code, a passkey's signature, a provider's answer.
 */
export type CredentialKind = 'key' | 'secret' | 'session' | 'bot' | 'capture' | 'sign_in' | 'none';

/** Kinds that ask for no header: whoever sends the request is let in to be checked by the endpoint itself. */
export const isOpen = (kinds: readonly CredentialKind[]): boolean =>
  kinds.some(kind => kind === 'capture' || kind === 'sign_in' || kind === 'none');

/** The mode of what a caller creates, and the modes it sees. */
export interface Modes {
  livemode: boolean;
  reads: readonly boolean[];
}

interface Common extends Modes {
  tenantId: string;
  /** The tenant's rate limit; null: the deployment's. */
  requestsPerMinute: number | null;
}

/** Whoever an authenticated request acts for. */
export type Principal = Common &
  (
    | { kind: 'key'; keyId: string }
    | { kind: 'secret'; keyId: string }
    | { kind: 'bot' }
    | { kind: 'session'; userId: string; role: Role; sessionId: string; signedInAt: Date }
  );

export type PersonPrincipal = Extract<Principal, { kind: 'session' }>;

/** The person of a session. An endpoint that takes no other credential is given nobody else. */
export function personOf(principal: Principal): PersonPrincipal {
  if (principal.kind !== 'session') throw new Error(`a ${principal.kind} is not a person`);
  return principal;
}

/** Possession of a verification's id: opens the capture flow of that one verification. */
export interface CapturePrincipal {
  kind: 'capture';
  tenantId: string;
  verificationId: string;
}

/** What a deployment narrowed to one mode serves; `both` serves everything. */
export const servedModes = (mode: 'both' | 'live' | 'test'): boolean[] =>
  mode === 'both' ? [true, false] : [mode === 'live'];

/** The modes of a caller that is of neither: secret key, person, bot. They create live objects where there are any. */
export const modesOfAll = (mode: 'both' | 'live' | 'test'): Modes => ({
  livemode: mode !== 'test',
  reads: servedModes(mode),
});

/** The mode of what this caller creates. */
export const createsLive = (principal: Principal): boolean => principal.livemode;

/** The modes this caller may read; a publishable key sees its own alone. */
export const readableModes = (principal: Principal): boolean[] => [...principal.reads];

/** True when the role of a signed-in person is at least the one asked for. */
export const hasRole = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);
