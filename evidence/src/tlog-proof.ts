import { base64, fromBase64, fromDecimal, fromUtf8 } from './bytes.ts';

// Proofs that need nothing else (c2sp.org/tlog-proof): index, inclusion proof and checkpoint in one text.

export interface TlogProof {
  index: bigint;
  hashes: Uint8Array[];
  /** The signed note, as it came. */
  checkpoint: string;
  /** Nothing vouches for these bytes. */
  extra?: Uint8Array;
}

export class ProofFault extends Error {
  override name = 'ProofFault';
}

const HEADER = 'c2sp.org/tlog-proof@v1';
const MAX_HASHES = 63;

export function formatProof({ index, hashes, checkpoint, extra }: TlogProof): string {
  const extraLine = extra?.length ? `extra ${base64(extra)}\n` : '';
  return `${HEADER}\n${extraLine}index ${index}\n${hashes.map(hash => `${base64(hash)}\n`).join('')}\n${checkpoint}`;
}

/** Reads a proof; its checkpoint stays unread. Throws {@link ProofFault} with what is wrong. */
export function parseProof(bytes: Uint8Array): TlogProof {
  const text = fromUtf8(bytes);
  if (text === null) throw new ProofFault('the proof is not UTF-8');
  const end = text.indexOf('\n\n');
  if (end < 0) throw new ProofFault('no empty line before the checkpoint');
  const lines = text.slice(0, end).split('\n');
  if (lines.shift() !== HEADER) throw new ProofFault(`the first line is not ${HEADER}`);
  let extra: Uint8Array | undefined;
  if (lines[0]?.startsWith('extra ')) {
    const decoded = fromBase64(lines.shift()!.slice(6));
    if (!decoded) throw new ProofFault('the extra data is not base64');
    extra = decoded;
  }
  const indexLine = lines.shift() ?? '';
  const index = indexLine.startsWith('index ') ? fromDecimal(indexLine.slice(6)) : null;
  if (index === null) throw new ProofFault('no line with the index of the entry');
  if (lines.length > MAX_HASHES) throw new ProofFault(`more than ${MAX_HASHES} hashes`);
  const hashes = lines.map(line => {
    const hash = fromBase64(line);
    if (hash?.length !== 32) throw new ProofFault('a line of the proof is not a SHA-256 hash in base64');
    return hash;
  });
  return { index, hashes, checkpoint: text.slice(end + 2), ...(extra ? { extra } : {}) };
}
