// Archives whose bytes depend only on what is in them: names sorted, no users, fixed modes, one time for all.
import { constants, gzipSync } from 'node:zlib';

/** A file or link of an archive; folders come by themselves. */
export interface Entry {
  /** With slashes, without one at its beginning. */
  path: string;
  /** The bytes, or where a link leads. */
  content: Buffer | { link: string };
  /** A program: mode 0755 in place of 0644. */
  executable?: boolean;
}

const BLOCK = 512;
const TYPES = { file: '0', link: '2', folder: '5' };

/** A gzipped archive in the format `ustar`. `time` is in seconds. */
export const tarGz = (entries: readonly Entry[], time: number): Buffer => gzip(tar(entries, time));

export function tar(entries: readonly Entry[], time: number): Buffer {
  const parts: Buffer[] = [];
  for (const { path, content, executable } of withFolders(entries)) {
    const size = Buffer.isBuffer(content) ? content.length : 0;
    parts.push(header(path, content, executable ? 0o755 : 0o644, time));
    if (Buffer.isBuffer(content)) parts.push(content, Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** The same bytes on every system: no time, and no name of the system. */
export function gzip(bytes: Buffer): Buffer {
  const zipped = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION });
  zipped.fill(0, 4, 8);
  zipped[9] = 255;
  return zipped;
}

type Row = Omit<Entry, 'content'> & { content: Entry['content'] | 'folder' };

function withFolders(entries: readonly Entry[]): Row[] {
  const rows = new Map<string, Row>();
  for (const entry of entries) {
    if (rows.has(entry.path)) throw new Error(`${entry.path} is in the archive twice`);
    rows.set(entry.path, entry);
    for (let end = entry.path.indexOf('/'); end > 0; end = entry.path.indexOf('/', end + 1)) {
      const path = entry.path.slice(0, end + 1);
      rows.set(path, { path, content: 'folder', executable: true });
    }
  }
  // By code unit, whatever the language of this machine.
  return [...rows.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function header(path: string, content: Row['content'], mode: number, time: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const link = typeof content === 'object' && 'link' in content ? content.link : '';
  const type = content === 'folder' ? TYPES.folder : link ? TYPES.link : TYPES.file;
  const { name, prefix } = split(path);
  const octal = (value: number, at: number, width: number) =>
    block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at);
  if (Buffer.byteLength(link) > 100) throw new Error(`${path}: the link is too long`);
  block.write(name, 0);
  octal(link ? 0o777 : mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(Buffer.isBuffer(content) ? content.length : 0, 124, 12);
  octal(time, 136, 12);
  block.fill(' ', 148, 156);
  block.write(type, 156);
  block.write(link, 157);
  block.write('ustar\x0000', 257);
  octal(0, 329, 8);
  octal(0, 337, 8);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** `ustar` keeps 100 bytes of a name, and 155 of the folders before it. */
function split(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' };
  for (let at = path.indexOf('/'); at > 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { name, prefix };
  }
  throw new Error(`${path} is too long for an archive`);
}
