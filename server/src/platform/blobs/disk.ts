import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { BlobMissing, BlobTooLarge, BlobUnavailable } from './faults.ts';
import { asUnavailable, DELETED, type Incoming, openIncoming, type Received, write } from './incoming.ts';
import { assertKey, assertPrefix, type PresignedPut, type PresignGet, type PresignPut } from './presigned.ts';
import { createUrls, type PutGrant, type Signer, type UrlOptions, type Urls } from './signature.ts';
import type { BlobStore } from './store.ts';

export interface DiskOptions extends UrlOptions {
  folder: string;
}

/** A folder as a blob store, with the reading that `routes.ts` needs. */
export interface DiskStore extends BlobStore {
  readonly origin: null;
  /** Opens an object for reading. Throws {@link BlobMissing}. */
  open(key: string): Promise<{ size: number; contentType: string; stream: Readable }>;
}

/**
 * Opens a folder as a blob store. An object is a folder with one file, named by its content type. The bytes on disk are
 * the bytes received. Content type and bytes appear in one rename, which fails when the object exists.
 */
export async function openDiskStore({ folder, ...urlOptions }: DiskOptions): Promise<DiskStore> {
  await mkdir(join(folder, 'objects'), { recursive: true, mode: 0o700 });
  return new Disk(folder, await openIncoming(join(folder, 'incoming')), createUrls(urlOptions));
}

class Disk implements DiskStore {
  private readonly folder: string;
  private readonly objects: string;
  private readonly incoming: Incoming;
  private readonly urls: Urls;
  readonly origin = null;
  readonly signer: Signer;

  constructor(folder: string, incoming: Incoming, urls: Urls) {
    this.folder = folder;
    this.objects = join(folder, 'objects');
    this.incoming = incoming;
    this.urls = urls;
    this.signer = urls.signer;
  }

  // Keys contain no `@`, so one object's folder is never part of another's path.
  private pathOf(key: string): string {
    assertKey(key);
    return join(this.objects, `${key}@`);
  }

  /** Gives a draft its name. Returns false when another object has the name. */
  private async publish(made: string, target: string): Promise<boolean> {
    await syncFolder(made);
    await makeFolders(dirname(target), this.objects);
    try {
      await rename(made, target);
    } catch (error) {
      if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return false;
      throw error;
    }
    await syncFolder(dirname(target));
    return true;
  }

  private async find(key: string): Promise<{ file: string; size: number; contentType: string }> {
    const path = this.pathOf(key);
    try {
      const name = (await readdir(path))[0];
      if (name === undefined) throw new BlobMissing(key);
      const file = join(path, name);
      return { file, size: (await stat(file)).size, contentType: decodeURIComponent(name) };
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw asUnavailable(error);
      // Without its folder (a volume that is not mounted) the store is unavailable, and the object may still exist.
      const there = await stat(this.folder).then(
        found => found.isDirectory(),
        () => false,
      );
      throw there ? new BlobMissing(key) : new BlobUnavailable('the blob folder is not there', { cause: error });
    }
  }

  /** The names in a folder; empty if the folder does not exist. */
  private async namesIn(path: string): Promise<string[]> {
    try {
      return await readdir(path);
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw asUnavailable(error);
      await stat(this.objects).catch(cause => {
        throw new BlobUnavailable('the blob folder is not there', { cause });
      });
      return [];
    }
  }

  private async openFile(key: string) {
    const { file, contentType } = await this.find(key);
    try {
      const handle = await open(file);
      return { handle, contentType, size: (await handle.stat()).size };
    } catch (error) {
      if (hasCode(error, 'ENOENT')) throw new BlobMissing(key);
      throw asUnavailable(error);
    }
  }

  private async remove(target: string): Promise<void> {
    // The rename removes the object whole and at once. The deletion follows.
    const away = join(this.folder, 'incoming', `${DELETED}${randomUUID()}`);
    try {
      await rename(target, away);
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return;
      throw error;
    }
    await syncFolder(dirname(target));
    await rm(away, { recursive: true, force: true });
  }

  put(key: string, bytes: Uint8Array, { contentType }: { contentType: string }): Promise<void> {
    const target = this.pathOf(key);
    return this.incoming.draft(contentType, async (made, file) => {
      await write(file, [bytes]);
      while (!(await this.publish(made, target))) {
        const old = await this.find(key).catch(() => null);
        if (old?.contentType === contentType) {
          // Replaces the file in place, as when a job runs a second time.
          await rename(file, old.file);
          await syncFolder(target);
          return;
        }
        await this.remove(target);
      }
    });
  }

  async get(key: string, { maxBytes }: { maxBytes: number }): Promise<Buffer> {
    const { handle, size } = await this.openFile(key);
    try {
      if (size > maxBytes) throw new BlobTooLarge(key, maxBytes);
      return await handle.readFile();
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      await handle.close();
    }
  }

  async head(key: string) {
    try {
      const { size, contentType } = await this.find(key);
      return { size, contentType };
    } catch (error) {
      if (error instanceof BlobMissing) return null;
      throw error;
    }
  }

  async *list(prefix: string): AsyncGenerator<string> {
    assertPrefix(prefix);
    for (const folders = [prefix.slice(0, -1)]; folders.length > 0; ) {
      const at = folders.pop()!;
      for (const name of await this.namesIn(join(this.objects, at))) {
        if (name.endsWith('@')) yield `${at}/${name.slice(0, -1)}`;
        else folders.push(`${at}/${name}`);
      }
    }
  }

  async delete(key: string): Promise<void> {
    const target = this.pathOf(key);
    await this.remove(target).catch(error => {
      throw asUnavailable(error);
    });
  }

  async presignPut(key: string, o: PresignPut): Promise<PresignedPut> {
    return this.urls.put(key, o);
  }

  async presignGet(key: string, o: PresignGet): Promise<string> {
    return this.urls.get(key, o);
  }

  check(): Promise<void> {
    return this.incoming.draft('text/plain', (_made, file) => write(file, [Buffer.from('ok')]));
  }

  async receive(grant: PutGrant, body: AsyncIterable<Buffer>): Promise<Received> {
    const target = this.pathOf(grant.key);
    return this.incoming.receive(grant, body, async made => ((await this.publish(made, target)) ? 'stored' : 'exists'));
  }

  async open(key: string) {
    const { handle, size, contentType } = await this.openFile(key);
    return { size, contentType, stream: handle.createReadStream() };
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

/** Creates the folders from `root` down to `folder`. Each survives a crash once this resolves. */
async function makeFolders(folder: string, root: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let at = dirname(folder); ; at = dirname(at)) {
    await syncFolder(at);
    if (at === dirname(first) || at === root) return;
  }
}

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
