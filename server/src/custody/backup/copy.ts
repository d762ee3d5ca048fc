import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A file of a backup, by its path below the backup's folder. */
export interface BackupFile {
  path: string;
  size: number;
  /** Lowercase hex. */
  sha256: string;
}

/** Copies a file to disk, past the system's cache, and tells what was copied. The folder is created if it is missing. */
export async function copyFile(from: string, to: string): Promise<{ size: number; sha256: string }> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  let size = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(createReadStream(from), count, createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }));
  return { size, sha256: hash.digest('hex') };
}

/** Writes a file that is not there yet, to disk. */
export async function writeNew(folder: string, path: string, text: string): Promise<BackupFile> {
  await writeFile(join(folder, path), text, { mode: 0o600, flag: 'wx', flush: true });
  return { path, size: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
}

/** Yields the files and folders below a folder, paths relative to it, folders with a slash at the end. Follows links. */
export async function* walk(folder: string, skip: (path: string) => boolean, under = ''): AsyncGenerator<string> {
  const names = await readdir(join(folder, under)).catch(unlessGone([] as string[]));
  for (const name of names.sort()) {
    const path = join(under, name);
    if (skip(path)) continue;
    const found = await stat(join(folder, path)).catch(unlessGone(null));
    if (found?.isDirectory()) {
      yield `${path}/`;
      yield* walk(folder, skip, path);
    } else if (found?.isFile()) yield path;
  }
}

/** Copies what lies below a folder. A file that disappears meanwhile is left out. */
export async function* copyTree(
  from: string,
  to: string,
  skip: (path: string) => boolean = () => false,
): AsyncGenerator<BackupFile> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for await (const path of walk(from, skip)) {
    if (path.endsWith('/')) {
      await mkdir(join(to, path), { recursive: true, mode: 0o700 });
      continue;
    }
    const copied = await copyFile(join(from, path), join(to, path)).catch(unlessGone(null));
    if (copied) yield { path, ...copied };
  }
}

const unlessGone =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };
