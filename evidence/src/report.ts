import type { ByteRange } from './zip/read.ts';

// What a check found, and the words for it. The command and the page print the same lines.

export const CHECKS = {
  container: 'The file can be read to its end and no byte is out of place.',
  manifest: 'Every file is listed with its size and SHA-256, and is exactly as listed.',
  manifest_signature: 'The list of files is signed with the bundle key.',
  statements: 'The statements about this verification are numbered without a gap.',
  log: 'Each statement is an entry of the log.',
  checkpoint: 'The state of the log is signed with the log key.',
  photos: 'Each photo is the one the log recorded when it was received.',
  record: 'The record and the answers are those that were sealed.',
  verdict: 'The verdict, case analysis and reviews are those that were logged.',
  timestamp: 'A time-stamping authority saw the state of the log.',
  witnesses: 'The witnesses asked for saw the same log.',
} as const;

export type CheckName = keyof typeof CHECKS;

export interface Fault {
  check: CheckName;
  /** The file in the bundle; null for the container itself. */
  entry: string | null;
  /** Where in the container, or which member or line of the file. */
  bytes?: ByteRange;
  field?: string;
  reason: string;
}

export type CheckState = 'holds' | 'fails' | 'absent';

export interface KeyUse {
  role: 'log' | 'bundle';
  vkey: string;
  trusted: boolean;
}

export interface PhotoReport {
  capture_id: string;
  entry: string;
  sha256: string;
  bytes: number;
  received_at: string;
  holds: boolean;
}

export interface Report {
  outcome: 'holds' | 'fails' | 'unvouched' | 'unreadable';
  exit_code: 0 | 1 | 2 | 3;
  verification_id: string | null;
  origin: string | null;
  checks: { name: CheckName; state: CheckState }[];
  faults: Fault[];
  /** What a reader should know though nothing is wrong. */
  notes: string[];
  keys: KeyUse[];
  log: { size: string; root: string; indices: string[] } | null;
  timestamp: { at: string; authority: string; root_checked: boolean; claims_qualified: boolean } | null;
  witnesses: { name: string; vkey: string; at: string }[];
  photos: PhotoReport[];
}

const HEADLINES: Record<Report['outcome'], string> = {
  holds: 'Everything holds, and the keys that signed are trusted.',
  fails: 'Something does not hold. Do not rely on this bundle.',
  unvouched: 'Everything holds among itself, but nobody vouched for the keys that signed.',
  unreadable: 'This is not a bundle that can be checked.',
};

/** What no check of a bundle can show, for every reader to see. */
export const NOT_PROVEN: readonly string[] = [
  'That what a photo shows is true, or what a person answered.',
  'That the verdict is right: it is the result of detectors with published error rates.',
  'Who held the camera.',
  'The time on the device; the time of receipt is the server\u2019s, bounded by the time stamp where there is one.',
];

/** One fault in one line: file, place, reason. */
export function faultLine({ entry, bytes, field, reason }: Fault): string {
  const place = [bytes ? `bytes ${bytes[0]}\u2013${bytes[1]}` : '', field ?? ''].filter(Boolean).join(', ');
  return `${entry ?? 'the file itself'}${place ? ` (${place})` : ''}: ${reason}`;
}

const MARKS: Record<CheckState, string> = { holds: '[ok]', fails: '[NO]', absent: '[--]' };

/** The report as text, a line each. */
export function reportLines(report: Report): string[] {
  const untrusted = report.keys.filter(key => !key.trusted);
  return [
    HEADLINES[report.outcome],
    ...(report.verification_id ? ['', `Verification ${report.verification_id}, log ${report.origin}`] : []),
    '',
    ...report.checks.map(({ name, state }) => `${MARKS[state]} ${CHECKS[name]}`),
    ...section('What does not hold', report.faults.map(faultLine)),
    ...section(
      'Photos',
      report.photos.map(
        photo =>
          `${photo.holds ? '[ok]' : '[NO]'} ${photo.entry}, ${photo.bytes} bytes, received ${photo.received_at}, SHA-256 ${photo.sha256}`,
      ),
    ),
    ...section(
      'Signed by',
      report.keys.map(key => `${key.role} key ${key.vkey} (${key.trusted ? 'trusted' : 'not vouched for'})`),
    ),
    ...(untrusted.length > 0
      ? [
          'Compare these keys with the ones the issuer publishes at /v1/evidence-keys or gave you in writing,',
          'then check again with --trust and the key.',
        ]
      : []),
    ...section('Time stamp', report.timestamp ? [stampLine(report.timestamp)] : []),
    ...section(
      'Witnesses',
      report.witnesses.map(witness => `${witness.name} at ${witness.at}`),
    ),
    ...section('Notes', report.notes),
    ...section('What this does not prove', NOT_PROVEN),
  ];
}

const stampLine = (stamp: NonNullable<Report['timestamp']>): string =>
  `${stamp.at} by ${stamp.authority}${stamp.root_checked ? '' : ', not checked against a root'}${stamp.claims_qualified ? ', says it is qualified' : ''}`;

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length > 0 ? ['', `${title}:`, ...lines.map(line => `  ${line}`)] : [];
