import type { CheckName, CheckState, Fault, KeyUse, PhotoReport, Report } from '@firsthand/evidence/report.ts';

// The words for a report. The command and the page show the same lines.

const HEADLINES: Record<Report['outcome'], string> = {
  holds: 'Everything holds, and the keys that signed are trusted.',
  fails: 'Something does not hold. Do not rely on this bundle.',
  unvouched: 'Everything holds among itself, but nobody vouched for the keys that signed.',
  unreadable: 'This is not a bundle that can be checked.',
};

const RETIRED = 'Everything holds among itself, but a key that signed is retired, and nobody dates this bundle before.';

const TEST = 'TEST, not evidence: this verification was made in test mode or as a trial. ';

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

const CHECKS: Record<CheckName, string> = {
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
};

/** The words of a check that had nothing to look at. */
const ABSENT: Partial<Record<CheckName, string>> = {
  timestamp: 'The bundle carries no time stamp.',
  witnesses: 'No witness was asked for.',
};

const PHOTO_MARKS: Record<PhotoReport['marks'][number]['name'], string> = {
  bytes: 'Its bytes are those that the log recorded on receipt.',
  listed: 'The signed list of files names it.',
  logged: 'The log holds the statement about it.',
};

/** A line of the report; what belongs to it stands below. */
export interface Line {
  mark?: CheckState;
  text: string;
  below?: Line[];
}

/** The sections of a report, in their order. */
const TITLES = {
  faults: 'What does not hold',
  checks: 'What was checked',
  photos: 'Photos',
  keys: 'Signed by',
  timestamp: 'Time stamp',
  witnesses: 'Witnesses',
  notes: 'Notes',
  not_proven: 'What this does not prove',
} as const;

type SectionName = keyof typeof TITLES;

export interface Section {
  name: SectionName;
  title: string;
  lines: Line[];
}

const markOf = (holds: boolean): CheckState => (holds ? 'holds' : 'fails');
const plain = (texts: readonly string[]): Line[] => texts.map(text => ({ text }));

const COMPARE =
  'Compare these keys with the ones that the issuer publishes at /v1/evidence-keys or gave you in writing. Then name them as trusted and check again.';

const DATE =
  'A retired key may have leaked. Name the root of the time stamp or a witness that saw this state before, or ask the issuer for the bundle again: the service signs it with its current keys.';

const isRetired = ({ trusted, retired_at }: KeyUse): boolean => !trusted && retired_at !== undefined;
const hintsFor = (key: KeyUse): string[] => (key.trusted ? [] : [isRetired(key) ? DATE : COMPARE]);

/** The report in the sections in which the command prints it and the page shows it; those without a line are left out. */
export function reportSections(report: Report): Section[] {
  const { faults, checks, photos, keys, timestamp, witnesses, notes } = report;
  const lines: Record<SectionName, Line[]> = {
    faults: plain(faults.map(faultLine)),
    checks: checks.map(({ name, state }) => ({
      mark: state,
      text: (state === 'absent' && ABSENT[name]) || CHECKS[name],
    })),
    photos: photos.map(photoLine),
    keys: [...keys.map(keyLine), ...plain([...new Set(keys.flatMap(hintsFor))])],
    timestamp: plain(timestamp ? [stampLine(timestamp)] : []),
    witnesses: witnesses.map(({ name, at }) => ({ mark: 'holds', text: `${name} at ${at}` })),
    notes: plain(notes),
    not_proven: plain(NOT_PROVEN),
  };
  const named = (Object.keys(TITLES) as SectionName[]).map(name => ({ name, title: TITLES[name], lines: lines[name] }));
  return named.filter(section => section.lines.length > 0);
}

export const headlineOf = ({ test, outcome, keys }: Report): string =>
  `${test ? TEST : ''}${outcome === 'unvouched' && keys.some(isRetired) ? RETIRED : HEADLINES[outcome]}`;

/** Which verification the report is about; null when the bundle does not say. */
export const subjectOf = ({ verification_id, origin }: Report): string | null =>
  verification_id === null ? null : `Verification ${verification_id}, log ${origin}`;

const keyLine = ({ role, vkey, trusted, retired_at }: KeyUse): Line => ({
  mark: trusted ? 'holds' : 'absent',
  text: `${role} key ${vkey} (${trusted ? 'trusted' : 'not vouched for'}${retired_at ? `, retired on ${retired_at}` : ''})`,
});

const photoLine = ({ entry, bytes, received_at, sha256, marks, holds }: PhotoReport): Line => ({
  mark: markOf(holds),
  text: `${entry}, ${bytes} bytes, ${received_at ? `received ${received_at}, ` : ''}SHA-256 ${sha256}`,
  below: marks.map(mark => ({ mark: markOf(mark.holds), text: PHOTO_MARKS[mark.name] })),
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
