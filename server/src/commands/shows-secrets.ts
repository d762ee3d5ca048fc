/**
 * Whether keys and sign-in links may be printed: to a terminal, or on a laptop, which has no `PUBLIC_URL`. Elsewhere standard output is a
 * log that others read.
 */
export const showsSecrets = (publicUrl: string | null): boolean => process.stdout.isTTY || publicUrl === null;
