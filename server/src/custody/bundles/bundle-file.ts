import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Splice } from './splice.ts';

/** A file of a bundle: its bytes, or the blob that contains them, or both: see `splice.ts`. */
export interface BundleFile {
  path: string;
  bytes: number;
  sha256: string;
  crc32: number;
  /** Base64. */
  content?: string;
  blob?: string;
  /** The file is the blob with `content` between its first and last bytes. */
  splice?: Splice;
}

/** A file that is kept as its bytes. */
export function inline(path: string, content: string | Uint8Array): BundleFile {
  const bytes = Buffer.from(content);
  return {
    path,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    crc32: crc32(bytes),
    content: bytes.toString('base64'),
  };
}
