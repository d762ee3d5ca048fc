import { fstatSync } from 'node:fs';

/**
 * Whether keys and sign-in links may be printed: to a terminal, or on a laptop, which has no `PUBLIC_URL` and no systemd. Elsewhere
 * standard output is a log that others read.
 */
export const showsSecrets = (publicUrl: string | null): boolean =>
  process.stdout.isTTY || (publicUrl === null && !isJournal());

/** systemd names the journal's device and inode to a service whose output it keeps (systemd.exec(5), `$JOURNAL_STREAM`). */
function isJournal(): boolean {
  const { dev, ino } = fstatSync(process.stdout.fd);
  return process.env.JOURNAL_STREAM === `${dev}:${ino}`;
}
