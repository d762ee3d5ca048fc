import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobUnavailable } from './faults.ts';
import type { PutGrant } from './signature.ts';

export type Received = 'stored' | 'exists' | 'too_large' | 'wrong_size';

/** A folder that holds objects until they are complete. */
export interface Incoming {
  /** Gives `work` a new folder and the name of a file in it. Removes whatever `work` leaves there. */
  draft<T>(contentType: string, work: (folder: string, file: string) => Promise<T>): Promise<T>;
  /** Writes a body to a draft within the grant's bounds. Passes the draft to `keep` when its size is right. */
  receive(
    grant: PutGrant,
    body: AsyncIterable<Buffer>,
    keep: (folder: string, file: string, size: number) => Promise<'stored' | 'exists'>,
  ): Promise<Received>;
}

/** The sweep removes partial uploads of a crash after this time. No upload takes as long. */
const MAX_AGE_MS = 3_600_000;

/** Prefix of a deleted object's name. The next start removes the files that a crash left. */
export const DELETED = 'deleted-';

/** Opens the folder, creates it if it is missing, and sweeps what an earlier process left. */
export async function openIncoming(incoming: string): Promise<Incoming> {
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  await sweep(incoming);

  async function draft<T>(contentType: string, work: (folder: string, file: string) => Promise<T>): Promise<T> {
    const made = join(incoming, randomUUID());
    try {
      await mkdir(made, { mode: 0o700 });
      return await work(made, join(made, encodeURIComponent(contentType)));
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      await rm(made, { recursive: true, force: true }).catch(() => {});
    }
  }

  return {
    draft,
    receive({ contentType, maxBytes, sizeBytes }, body, keep) {
      return draft(contentType, async (made, file) => {
        let size = 0;
        async function* bounded() {
          for await (const chunk of body) {
            size += chunk.length;
            if (size > maxBytes) return;
            yield chunk;
          }
        }
        await write(file, bounded());
        if (size > maxBytes) return 'too_large';
        if (sizeBytes !== null && size !== sizeBytes) return 'wrong_size';
        return keep(made, file, size);
      });
    },
  };
}

/** Writes a new file. Its bytes survive a crash once this resolves; its name survives once its folder is synced too. */
export async function write(file: string, source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const chunk of source) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Converts an error of the file system to BlobUnavailable. Errors of the body's sender, and our own, pass unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).syscall === undefined) return error;
  return new BlobUnavailable(`the blob folder refuses: ${error.message}`, { cause: error });
}

async function sweep(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(() => null);
    const deleted = name.startsWith(DELETED);
    if (deleted || (found && Date.now() - found.mtimeMs > MAX_AGE_MS)) await rm(path, { recursive: true, force: true });
  }
}
