import { CryptoDigestAlgorithm, digest, randomUUID } from 'expo-crypto';
import { Directory, File, Paths } from 'expo-file-system';
import { AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY, deleteItemAsync, getItemAsync, setItemAsync } from 'expo-secure-store';
import { AppState } from 'react-native';
import type { Files, Integrity, Phone, Secrets } from './phone.ts';

export type ExpoPhoneOptions = {
  /** `appIntegrity()` of `@firsthand/react-native/integrity`. Without it, photos go without an attestation. */
  integrity?: () => Promise<Integrity | null>;
};

/** The phone by Expo's modules. Make one for the whole app. */
export function expoPhone({ integrity = async () => null }: ExpoPhoneOptions = {}): Phone {
  return {
    files: filesBelow('firsthand-captures'),
    secrets,
    sha256: async bytes => new Uint8Array(await digest(CryptoDigestAlgorithm.SHA256, bytes)),
    randomId: () => randomUUID(),
    integrity,
    onReturn: listener => {
      const subscription = AppState.addEventListener('change', state => {
        if (state === 'active') listener();
      });
      return () => subscription.remove();
    },
  };
}

/** Readable after the first unlock, so that sending may go on behind a locked screen; never in a backup. */
const KEPT = { keychainAccessible: AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY };
const secrets: Secrets = {
  get: name => getItemAsync(name, KEPT),
  set: (name, value) => setItemAsync(name, value, KEPT),
  remove: name => deleteItemAsync(name, KEPT),
};

/** Files in the app's documents. The cache, where the camera writes, may be emptied by the system. */
function filesBelow(name: string): Files {
  // Made anew with each call: on iOS the path changes with updates.
  const root = () => new Directory(Paths.document, name);
  const namesOf = (path: string) => path.split('/').filter(part => part !== '');
  const fileAt = (path: string) => new File(root(), ...namesOf(path));
  const folderAt = (path: string) => new Directory(root(), ...namesOf(path));
  const makeParent = (path: string) =>
    folderAt(namesOf(path).slice(0, -1).join('/')).create({ intermediates: true, idempotent: true });

  const write = (path: string, content: string | Uint8Array) => {
    makeParent(path);
    const file = fileAt(path);
    file.create({ overwrite: true });
    file.write(content);
  };

  return {
    list: async folder => {
      const directory = folderAt(folder);
      return directory.exists ? directory.list().map(entry => entry.name) : [];
    },
    readText: path => fileAt(path).text(),
    writeText: async (path, text) => write(path, text),
    writeBytes: async (path, bytes) => write(path, bytes),
    readBytes: path => fileAt(path).bytes(),
    move: async (from, to) => fileAt(from).move(fileAt(to), { overwrite: true }),
    take: async (uri, path) => {
      makeParent(path);
      // Some cameras give a bare path.
      const source = new File(uri.includes('://') ? uri : `file://${uri}`);
      // A file that the person chose on Android is theirs: moving it would delete it.
      if (uri.startsWith('content:')) await source.copy(fileAt(path));
      else await source.move(fileAt(path));
    },
    remove: async path => {
      const file = fileAt(path);
      if (file.exists) file.delete();
      const folder = folderAt(path);
      if (folder.exists) folder.delete();
    },
    uriOf: path => fileAt(path).uri,
    upload: async (path, { url, method, headers, onProgress, signal }) => {
      const { status } = await fileAt(path).upload(url, {
        httpMethod: method,
        headers,
        onProgress: ({ bytesSent }) => onProgress(bytesSent),
        // On iOS the system goes on while the app is suspended.
        sessionType: 'background',
        signal,
      });
      return status;
    },
  };
}
