/** How a caller may prove who they are. `capture` is possession of the verification id in the path. */
export type CredentialKind = 'key' | 'secret' | 'session' | 'bot' | 'capture' | 'none';

export type Role = 'owner' | 'member' | 'viewer';

/** Whoever an authenticated request acts for. */
export type Principal =
  | { kind: 'key'; tenantId: string; keyId: string; livemode: boolean }
  | { kind: 'secret'; tenantId: string; keyId: string }
  | { kind: 'bot'; tenantId: string }
  | { kind: 'session'; tenantId: string; userId: string; role: Role };

/** The mode of what this caller creates. */
export const createsLive = (principal: Principal): boolean => (principal.kind === 'key' ? principal.livemode : true);

/** The modes this caller may read; a publishable key sees its own alone. */
export const readableModes = (principal: Principal): boolean[] =>
  principal.kind === 'key' ? [principal.livemode] : [true, false];
