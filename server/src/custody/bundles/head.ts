import type { Verifier } from '@firsthand/evidence/note.ts';

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
