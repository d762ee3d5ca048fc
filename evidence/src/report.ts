import type { ByteRange } from './zip/read.ts';

// What a check of a bundle found. The workspace `report/` says it to people.

/** The checks, in the order in which a report lists them. */
export const CHECKS = [
  'container',
  'manifest',
  'manifest_signature',
  'statements',
  'log',
  'checkpoint',
  'photos',
  'record',
  'verdict',
  'timestamp',
  'witnesses',
] as const;

export type CheckName = (typeof CHECKS)[number];

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

/** What a key signs: the states of the log, or bundles and receipts. */
export type Role = 'log' | 'bundle';

export interface KeyUse {
  role: Role;
  vkey: string;
  /** Somebody vouched for it in this role and, if it was retired, somebody trusted dates what it signed before that. */
  trusted: boolean;
  /** When the issuer retired it, as a trusted list says. */
  retired_at?: string;
}

/** The result of the check of one photo. */
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
  marks: { name: 'bytes' | 'listed' | 'logged'; holds: boolean }[];
  holds: boolean;
}

export interface Report {
  outcome: 'holds' | 'fails' | 'unvouched' | 'unreadable';
  exit_code: 0 | 1 | 2 | 3;
  verification_id: string | null;
  origin: string | null;
  /** The verification was made in test mode or as a trial. */
  test: boolean;
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
