import type { Verifier } from '@firsthand/evidence/note.ts';
import { parseVkey } from '@firsthand/evidence/note.ts';
import type { Report } from '@firsthand/evidence/report.ts';
import { parseTrust, type TrustedKey } from '@firsthand/evidence/trust.ts';
import { type Entry, verifyBundle } from '@firsthand/evidence/verify.ts';

/** The keys and origins that the reader vouches for, as typed: the options of the command. */
export interface Trust {
  keys: string;
  witnesses: string;
  tsaRoots: string;
}

export interface TrustRead {
  trusted: TrustedKey[];
  witnesses: Verifier[];
  tsaRoots: string;
  faults: Partial<Record<keyof Trust, string>>;
}

export interface Checked {
  file: File;
  report: Report;
  entries: ReadonlyMap<string, Entry>;
  at: Date;
}

const CHUNK_BYTES = 1_048_576;

/** Reads the fields of the form; a field that cannot be read counts as empty and says why. */
export function readTrust({ keys, witnesses, tsaRoots }: Trust): TrustRead {
  const faults: TrustRead['faults'] = {};
  const read = (field: keyof Trust, parse: () => Verifier[]): Verifier[] => {
    try {
      return parse();
    } catch (error) {
      faults[field] = (error as Error).message;
      return [];
    }
  };
  return {
    trusted: read('keys', () => parseTrust(keys)),
    witnesses: read('witnesses', () => witnesses.split(/\s+/).filter(Boolean).map(parseVkey)),
    tsaRoots: tsaRoots.trim(),
    faults,
  };
}

/** Checks a file piece by piece; `progress` gets the bytes read so far. */
export async function checkFile(file: File, trust: TrustRead, progress: (bytes: number) => void): Promise<Checked> {
  const entries = new Map<string, Entry>();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < file.size; at += CHUNK_BYTES) {
      progress(at);
      yield new Uint8Array(await file.slice(at, at + CHUNK_BYTES).arrayBuffer());
    }
  }
  const report = await verifyBundle(chunks(), {
    trusted: trust.trusted,
    witnesses: trust.witnesses,
    ...(trust.tsaRoots === '' ? {} : { tsaRoots: trust.tsaRoots }),
    onEntry: entry => {
      if (!entries.has(entry.name)) entries.set(entry.name, entry);
    },
  });
  return { file, report, entries, at: new Date() };
}

/** The bytes of a file of the bundle, for showing them. */
export async function contentOf({ file, entries }: Checked, name: string): Promise<Blob | null> {
  const entry = entries.get(name);
  if (!entry) return null;
  const [start, end] = entry.range;
  const part = file.slice(start, end);
  if (part.size === entry.size) return part;
  return unpack(part, entry.size).catch(() => null);
}

/** Unpacks deflated data to exactly `size` bytes. Null where they hold another number, which is not read to its end. */
async function unpack(packed: Blob, size: number): Promise<Blob | null> {
  const reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let left = size;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    left -= part.value.length;
    if (left < 0) {
      void reader.cancel().catch(() => {});
      return null;
    }
    parts.push(part.value);
  }
  return left === 0 ? new Blob(parts) : null;
}
