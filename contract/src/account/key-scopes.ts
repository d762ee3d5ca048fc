/** What a key for apps may do: create verifications, and send their photos. */
export const KEY_SCOPES = ['create', 'capture'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];
