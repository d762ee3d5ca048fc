import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Files, Integrity, Phone } from '@firsthand/react-native/phone.ts';

export interface NodePhone extends Phone {
  /** Puts a file where the camera would. Returns its URI. */
  shoot(picture: Uint8Array): Promise<string>;
  /** As the app's coming to the front. */
  comeBack(): void;
  /** The folder of documents. */
  documents: string;
}

export interface NodePhoneOptions {
  integrity?: () => Promise<Integrity | null>;
  fetch?: typeof fetch;
  /** Runs before each change of the disk and each upload. `half`: writes half of what the change would write. */
  before?: (change: keyof Files, half?: () => Promise<void>) => Promise<void>;
}

/** A phone whose native modules stand on Node.js: files in a folder, secrets in a file beside it. The folder is the phone: it outlives the process. */
export function nodePhone(folder: string, { before = async () => {}, ...o }: NodePhoneOptions = {}): NodePhone {
  const documents = join(folder, 'documents');
  const cache = join(folder, 'cache');
  const keychain = join(folder, 'keychain.json');
  const listeners = new Set<() => void>();
  const at = (path: string) => join(documents, path);
  const secrets = async (): Promise<Record<string, string>> =>
    existsSync(keychain) ? JSON.parse(await readFile(keychain, 'utf8')) : {};
  const keep = async (all: Record<string, string>) => {
    await writeFile(`${keychain}.new`, JSON.stringify(all));
    await rename(`${keychain}.new`, keychain);
  };
  const files: Files = {
    list: async path => (existsSync(at(path)) ? readdir(at(path)) : []),
    readText: path => readFile(at(path), 'utf8'),
    readBytes: async path => new Uint8Array(await readFile(at(path))),
    async writeText(path, text) {
      await mkdir(dirname(at(path)), { recursive: true });
      await before('writeText', () => writeFile(at(path), text.slice(0, text.length / 2)));
      await writeFile(at(path), text);
    },
    async writeBytes(path, bytes) {
      await mkdir(dirname(at(path)), { recursive: true });
      await before('writeBytes', () => writeFile(at(path), bytes.subarray(0, bytes.length / 2)));
      await writeFile(at(path), bytes);
    },
    async move(from, to) {
      await before('move');
      await rename(at(from), at(to));
    },
    async take(uri, path) {
      await mkdir(dirname(at(path)), { recursive: true });
      await before('take');
      await rename(fileURLToPath(uri), at(path));
    },
    async remove(path) {
      await before('remove');
      await rm(at(path), { recursive: true, force: true });
    },
    uriOf: path => pathToFileURL(at(path)).href,
    async upload(path, { url, method, headers, onProgress, signal }) {
      await before('upload');
      const body = await readFile(at(path));
      onProgress(body.length);
      return (await fetch(url, { method, headers, body, signal })).status;
    },
  };
  return {
    files,
    documents,
    secrets: {
      get: async name => (await secrets())[name] ?? null,
      set: async (name, value) => keep({ ...(await secrets()), [name]: value }),
      remove: async name => {
        const { [name]: _, ...rest } = await secrets();
        await keep(rest);
      },
    },
    sha256: async bytes => createHash('sha256').update(bytes).digest(),
    randomId: randomUUID,
    integrity: o.integrity ?? (async () => null),
    onReturn: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    comeBack: () => {
      for (const listener of [...listeners]) listener();
    },
    ...(o.fetch ? { fetch: o.fetch } : {}),
    async shoot(picture) {
      await mkdir(cache, { recursive: true });
      const file = join(cache, `${randomUUID()}.jpg`);
      await writeFile(file, picture);
      return pathToFileURL(file).href;
    },
  };
}
