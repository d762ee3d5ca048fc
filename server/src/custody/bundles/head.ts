import type { Verifier } from '@firsthand/evidence/note.ts';
import type { Stamp } from '@firsthand/stamps/rfc3161.ts';

/** The answer of a time-stamping authority, and what it says. */
export interface MadeStamp {
  response: Buffer;
  stamp: Stamp;
}

export interface Head {
  origin: string;
  size: bigint;
  root: Uint8Array;
  /** The note as the log signed it: what a time stamp is for. */
  signed: string;
  /** The same with the cosignatures of witnesses. */
  note: string;
  key: Verifier;
}
