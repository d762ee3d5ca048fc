import type { Findings } from './findings.ts';
import type { Statement } from './statement.ts';

/**
 * A retired key may have leaked. It counts only for a state of the log that a trusted time stamp or a named witness dates before the
 * retirement. A later date says nothing about when the key signed, so it does not help.
 */
export function checkRetired({ report }: Findings, statements: readonly Statement[]): void {
  const { keys, notes, timestamp, witnesses } = report;
  const dates = [...(timestamp?.root_checked ? [timestamp.at] : []), ...witnesses.map(({ at }) => at)];
  // The log seals the record with the verdict. Without one, only the bundle key vouches for the record, at no known time.
  const sealed = statements.some(({ type }) => type === 'verdict');
  for (const key of keys) {
    const { retired_at } = key;
    if (retired_at === undefined || !key.trusted) continue;
    key.trusted = dates.some(at => Date.parse(at) < Date.parse(retired_at)) && (key.role === 'log' || sealed);
    if (key.trusted && key.role === 'bundle') notes.push(`The bundle key was retired on ${retired_at}. ${UNDATED}`);
  }
}

const UNDATED =
  'Nobody dates its own signature. Rely on what the log holds: certificate.pdf, README.txt, previews and credentials may have been replaced since, and later reviews left out.';
