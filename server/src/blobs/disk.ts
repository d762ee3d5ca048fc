import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { createSigner, type PutGrant, type Signer } from './signature.ts';
import { assertKey, BlobMissing, type BlobStore, BlobTooLarge, BlobUnavailable } from './store.ts';

export interface DiskOptions {
  folder: string;
  /** The first signs the URLs, all are accepted; the same on every node that serves the folder. */
  secrets: readonly [Uint8Array, ...Uint8Array[]];
  /** The service's own address, without a trailing slash; asked for when a URL is made. */
  origin: () => string;
  now?: () => Date;
}

export type Received = 'stored' | 'exists' | 'too_large' | 'wrong_size';

/** A folder as a blob store, with what `routes.ts` needs to serve its presigned URLs. */
export interface DiskStore extends BlobStore {
  readonly origin: null;
  readonly signer: Signer;
  /** Stores a stream under a key that no object has yet, whole or not at all. */
  receive(grant: PutGrant, body: AsyncIterable<Buffer>): Promise<Received>;
  /** Opens an object for reading. Throws {@link BlobMissing}. */
  open(key: string): Promise<{ size: number; contentType: string; stream: Readable }>;
}

/** What a crash left of an upload is swept after this time; none takes as long. */
const INCOMING_MAX_AGE_MS = 3_600_000;

/**
 * Opens a folder as a blob store. An object is a folder with one file in it, named by its content type: the bytes on disk
 * are the bytes that came, and both appear in one rename, which fails where an object is already.
 */
export async function openDiskStore({
  folder,
  secrets,
  origin,
  now = () => new Date(),
}: DiskOptions): Promise<DiskStore> {
  const objects = join(folder, 'objects');
  const incoming = join(folder, 'incoming');
  for (const made of [objects, incoming]) await mkdir(made, { recursive: true, mode: 0o700 });
  await sweep(incoming);
  const signer = createSigner(secrets, now);

  // Keys have no `@`, so an object's folder is never on the way to another's.
  const pathOf = (key: string) => {
    assertKey(key);
    return join(objects, `${key}@`);
  };

  /** Makes an object beside the others, hands it to `publish`, and leaves nothing of it behind otherwise. */
  async function draft<T>(contentType: string, work: (draft: string, file: string) => Promise<T>): Promise<T> {
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

  /** Gives a draft its name. False when an object has it already. */
  async function publish(made: string, target: string): Promise<boolean> {
    await syncFolder(made);
    await makeFolders(dirname(target), objects);
    try {
      await rename(made, target);
    } catch (error) {
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return false;
      throw error;
    }
    await syncFolder(dirname(target));
    return true;
  }

  async function find(key: string): Promise<{ file: string; size: number; contentType: string }> {
    const path = pathOf(key);
    try {
      const name = (await readdir(path))[0];
      if (name === undefined) throw new BlobMissing(key);
      const file = join(path, name);
      return { file, size: (await stat(file)).size, contentType: decodeURIComponent(name) };
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw asUnavailable(error);
      // Without its folder (a volume that is not mounted) the store is away; nothing can be said of the object.
      const there = await stat(folder).then(
        found => found.isDirectory(),
        () => false,
      );
      throw there ? new BlobMissing(key) : new BlobUnavailable('the blob folder is not there', { cause: error });
    }
  }

  async function openObject(key: string) {
    const { file, contentType } = await find(key);
    try {
      const handle = await open(file);
      return { handle, contentType, size: (await handle.stat()).size };
    } catch (error) {
      if (hasCode(error, 'ENOENT')) throw new BlobMissing(key);
      throw asUnavailable(error);
    }
  }

  async function remove(target: string): Promise<void> {
    // Gone at once and as a whole, then taken apart.
    const away = join(incoming, randomUUID());
    try {
      await rename(target, away);
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return;
      throw error;
    }
    await syncFolder(dirname(target));
    await rm(away, { recursive: true, force: true });
  }

  const secondsFromNow = (seconds: number) => new Date((Math.floor(now().getTime() / 1000) + seconds) * 1000);
  const urlOf = (key: string, query: string) => {
    assertKey(key);
    return `${origin()}/blobs/${key}?${query}`;
  };

  return {
    origin: null,
    signer,

    async put(key, bytes, { contentType }) {
      const target = pathOf(key);
      await draft(contentType, async (made, file) => {
        await write(file, [bytes]);
        while (!(await publish(made, target))) {
          const old = await find(key).catch(() => null);
          if (old?.contentType === contentType) {
            // Replaced in place, as when a job runs a second time.
            await rename(file, old.file);
            await syncFolder(target);
            return;
          }
          await remove(target);
        }
      });
    },

    async get(key, { maxBytes }) {
      const { handle, size } = await openObject(key);
      try {
        if (size > maxBytes) throw new BlobTooLarge(key, maxBytes);
        return await handle.readFile();
      } catch (error) {
        throw asUnavailable(error);
      } finally {
        await handle.close();
      }
    },

    async head(key) {
      try {
        const { size, contentType } = await find(key);
        return { size, contentType };
      } catch (error) {
        if (error instanceof BlobMissing) return null;
        throw error;
      }
    },

    async delete(key) {
      const target = pathOf(key);
      await remove(target).catch(error => {
        throw asUnavailable(error);
      });
    },

    async presignPut(key, { contentType, maxBytes, sizeBytes = null, expiresSeconds }) {
      const expiresAt = secondsFromNow(expiresSeconds);
      return {
        url: urlOf(key, signer.put({ key, contentType, maxBytes, sizeBytes }, expiresAt)),
        headers: { 'content-type': contentType },
        expiresAt,
      };
    },

    async presignGet(key, { expiresSeconds, contentType = null, filename = null }) {
      return urlOf(key, signer.get({ key, contentType, filename, expiresAt: secondsFromNow(expiresSeconds) }));
    },

    check: () => draft('text/plain', (_made, file) => write(file, [Buffer.from('ok')])),

    async receive({ key, contentType, maxBytes, sizeBytes }, body) {
      const target = pathOf(key);
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
        return (await publish(made, target)) ? 'stored' : 'exists';
      });
    },

    async open(key) {
      const { handle, size, contentType } = await openObject(key);
      return { size, contentType, stream: handle.createReadStream() };
    },
  };
}

/** Writes a new file whose bytes last once this resolves; its name lasts once its folder is synced too. */
async function write(file: string, source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const chunk of source) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the folders from `root` down to `folder`, each of which lasts once this resolves. */
async function makeFolders(folder: string, root: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let at = dirname(folder); ; at = dirname(at)) {
    await syncFolder(at);
    if (at === dirname(first) || at === root) return;
  }
}

async function sweep(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(() => null);
    if (found && Date.now() - found.mtimeMs > INCOMING_MAX_AGE_MS) await rm(path, { recursive: true, force: true });
  }
}

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');

/** An error of the file system is the store's; one of the body's sender, or of ours, is not. */
function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).syscall === undefined) return error;
  return new BlobUnavailable(`the blob folder refuses: ${error.message}`, { cause: error });
}
