import type { ByteRange } from './zip/read.ts';

// What a check of a bundle found. `words.ts` says it to people.

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
