import { base64, fromBase64, fromDecimal, fromUtf8 } from '@firsthand/evidence/bytes.ts';

// The request of c2sp.org/tlog-witness: the size that the witness knows, a consistency proof, a checkpoint.

export interface AddCheckpoint {
  old: bigint;
  proof: Uint8Array[];
  /** The signed note. */
  note: string;
}

const MAX_HASHES = 63;
export const SIZE_TYPE = 'text/x.tlog.size';

export const formatAddCheckpoint = ({ old, proof, note }: AddCheckpoint): string =>
  `old ${old}\n${proof.map(hash => `${base64(hash)}\n`).join('')}\n${note}`;

/** Reads a request; null unless it has the form that the protocol gives. */
export function parseAddCheckpoint(body: Uint8Array): AddCheckpoint | null {
  const text = fromUtf8(body);
  const end = text?.indexOf('\n\n') ?? -1;
  if (text === null || end < 0) return null;
  const [first = '', ...lines] = text.slice(0, end).split('\n');
  const old = first.startsWith('old ') ? fromDecimal(first.slice(4)) : null;
  const proof = lines.map(fromBase64);
  if (old === null || proof.length > MAX_HASHES) return null;
  if (!proof.every((hash): hash is Uint8Array => hash?.length === 32)) return null;
  return { old, proof, note: text.slice(end + 2) };
}
