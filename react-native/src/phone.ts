/** Files of the app that outlive a restart and an update. Paths are relative to a folder of ours, with `/` between names. */
export interface Files {
  /** The names in a folder; none where it does not exist. Rejects where it cannot be read: a locked phone is no empty queue. */
  list(folder: string): Promise<string[]>;
  readText(path: string): Promise<string>;
  /** Creates the folders above it. */
  writeText(path: string, text: string): Promise<void>;
  writeBytes(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  readBytes(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Replaces what is there. */
  move(from: string, to: string): Promise<void>;
  /** Moves the camera's or picker's file in here. */
  take(uri: string, path: string): Promise<void>;
  /** Removes a file, or a folder with all in it. Nothing there is fine. */
  remove(path: string): Promise<void>;
  /** Where the system finds the file now. It changes with updates of the app: show it, never keep it. */
  uriOf(path: string): string;
  /** Sends the file as the raw body. Resolves with the status of any answer; rejects without one. */
  upload(path: string, request: UploadRequest): Promise<number>;
}

export interface UploadRequest {
  url: string;
  method: 'PUT';
  headers: Record<string, string>;
  onProgress: (sentBytes: number) => void;
  signal: AbortSignal;
}

/** The system's store for secrets. Names have letters, digits, `.`, `-` and `_`. */
export interface Secrets {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Apple's App Attest. Errors have a `code`. `text` is hashed once on the way, with SHA-256. */
export interface AppAttest {
  provider: 'app_attest';
  generateKey(): Promise<string>;
  attestKey(keyId: string, text: string): Promise<string>;
  assert(keyId: string, text: string): Promise<string>;
}

/** Google's Play Integrity, standard requests. Errors have a `code`. */
export interface PlayIntegrity {
  provider: 'play_integrity';
  prepare(): Promise<void>;
  request(requestHash: string): Promise<string>;
}

export type Integrity = AppAttest | PlayIntegrity;

/** What this package needs of a phone. `expoPhone` makes it; a test brings its own. */
export interface Phone {
  files: Files;
  secrets: Secrets;
  sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
  randomId(): string;
  /** Null: photos go without an attestation. Rejects or resolves with null where the app was built without the module. */
  integrity: () => Promise<Integrity | null>;
  /** Calls back when the app comes to the front. Returns how to stop. */
  onReturn(listener: () => void): () => void;
  fetch?: typeof fetch;
}
