import type { ByteRange } from './zip/read.ts';

// Results of checks and the words for them. The command and the page print the same lines.

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

/** The result of the check of one photo. */
export const PHOTO_MARKS = {
  bytes: 'Its bytes are those that the log recorded on receipt.',
  listed: 'The signed list of files names it.',
  logged: 'The log holds the statement about it.',
} as const;

export interface PhotoReport {
  capture_id: string;
  entry: string;
  sha256: string;
  bytes: number;
  /** Null, and the times empty, for a photo that no statement is about. */
  statement: string | null;
  step_key: string;
  received_at: string;
  /** The device's statement. */
  client_captured_at: string;
  marks: { name: keyof typeof PHOTO_MARKS; holds: boolean }[];
  holds: boolean;
}

export interface Report {
  outcome: 'holds' | 'fails' | 'unvouched' | 'unreadable';
  exit_code: 0 | 1 | 2 | 3;
  verification_id: string | null;
  origin: string | null;
  checks: { name: CheckName; state: CheckState }[];
  faults: Fault[];
  /** Remarks for the reader that are no faults. */
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

/** Limits of every check of a bundle, shown to every reader. */
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

/** The words of a check that had nothing to look at. */
const ABSENT: Partial<Record<CheckName, string>> = {
  timestamp: 'The bundle carries no time stamp.',
  witnesses: 'No witness was asked for.',
};

/** A line of the report; what belongs to it stands below. */
export interface Line {
  mark?: CheckState;
  text: string;
  below?: Line[];
}

export interface Section {
  name: 'checks' | 'faults' | 'photos' | 'keys' | 'timestamp' | 'witnesses' | 'notes' | 'not_proven';
  title: string;
  lines: Line[];
}

const markOf = (holds: boolean): CheckState => (holds ? 'holds' : 'fails');
const plain = (texts: readonly string[]): Line[] => texts.map(text => ({ text }));

const COMPARE =
  'Compare these keys with the ones that the issuer publishes at /v1/evidence-keys or gave you in writing. Then name them as trusted and check again.';

/** The report in the sections in which the command prints it and the page shows it; those without a line are left out. */
export function reportSections(report: Report): Section[] {
  const { keys, timestamp } = report;
  const sections: Section[] = [
    { name: 'faults', title: 'What does not hold', lines: plain(report.faults.map(faultLine)) },
    {
      name: 'checks',
      title: 'What was checked',
      lines: report.checks.map(({ name, state }) => ({
        mark: state,
        text: (state === 'absent' && ABSENT[name]) || CHECKS[name],
      })),
    },
    { name: 'photos', title: 'Photos', lines: report.photos.map(photoLine) },
    {
      name: 'keys',
      title: 'Signed by',
      lines: [
        ...keys.map(
          ({ role, vkey, trusted }): Line => ({
            mark: trusted ? 'holds' : 'absent',
            text: `${role} key ${vkey} (${trusted ? 'trusted' : 'not vouched for'})`,
          }),
        ),
        ...plain(keys.some(key => !key.trusted) ? [COMPARE] : []),
      ],
    },
    { name: 'timestamp', title: 'Time stamp', lines: plain(timestamp ? [stampLine(timestamp)] : []) },
    {
      name: 'witnesses',
      title: 'Witnesses',
      lines: report.witnesses.map(({ name, at }) => ({ mark: 'holds', text: `${name} at ${at}` })),
    },
    { name: 'notes', title: 'Notes', lines: plain(report.notes) },
    { name: 'not_proven', title: 'What this does not prove', lines: plain(NOT_PROVEN) },
  ];
  return sections.filter(({ lines }) => lines.length > 0);
}

export const headlineOf = (report: Report): string => HEADLINES[report.outcome];

/** Which verification the report is about; null when the bundle does not say. */
export const subjectOf = ({ verification_id, origin }: Report): string | null =>
  verification_id === null ? null : `Verification ${verification_id}, log ${origin}`;

const photoLine = (photo: PhotoReport): Line => ({
  mark: markOf(photo.holds),
  text: [
    photo.entry,
    `${photo.bytes} bytes`,
    ...(photo.received_at ? [`received ${photo.received_at}`] : []),
    `SHA-256 ${photo.sha256}`,
  ].join(', '),
  below: photo.marks.map(({ name, holds }) => ({ mark: markOf(holds), text: PHOTO_MARKS[name] })),
});

const stampLine = (stamp: NonNullable<Report['timestamp']>): string =>
  `${stamp.at} by ${stamp.authority}${stamp.root_checked ? '' : ', not checked against a root'}${stamp.claims_qualified ? ', says it is qualified' : ''}`;

const MARKS: Record<CheckState, string> = { holds: '[ok] ', fails: '[NO] ', absent: '[--] ' };

/** The report as text, a line each. */
export function reportLines(report: Report): string[] {
  const subject = subjectOf(report);
  const written = (line: Line, indent: string): string[] => [
    `${indent}${line.mark ? MARKS[line.mark] : ''}${line.text}`,
    ...(line.below ?? []).flatMap(below => written(below, `${indent}     `)),
  ];
  return [
    headlineOf(report),
    ...(subject === null ? [] : ['', subject]),
    ...reportSections(report).flatMap(({ title, lines }) => [
      '',
      `${title}:`,
      ...lines.flatMap(line => written(line, '  ')),
    ]),
  ];
}
