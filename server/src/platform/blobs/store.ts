import type { Received } from './incoming.ts';
import type { PutGrant, Signer } from './signature.ts';

/** Stores pictures in a folder or an S3 bucket. Both keep the promises of `server/test/support/blob-contract.ts`. */
export interface BlobStore {
  /** Stores or replaces an object. It survives a crash once this resolves. */
  put(key: string, bytes: Uint8Array, o: { contentType: string }): Promise<void>;
  /**
   * Returns the whole object. Throws {@link BlobMissing}, or {@link BlobTooLarge} before it has read more than
   * `maxBytes`.
   */
  get(key: string, o: { maxBytes: number }): Promise<Buffer>;
  head(key: string): Promise<{ size: number; contentType: string } | null>;
  /** The keys below a folder: all that start with `prefix`, which ends in `/`. In no order. */
  list(prefix: string): AsyncIterable<string>;
  /** Removes an object. Succeeds when the object does not exist. */
  delete(key: string): Promise<void>;
  /**
   * Returns a URL for one PUT of exactly this content type, while no object has the key. The second PUT gets 412, even
   * when two race. The client must send `headers`. The store refuses a body over `maxBytes`, and with `sizeBytes` any
   * body of another length. S3 can sign a length but no limit, so without `sizeBytes` the service itself takes the PUT.
   */
  presignPut(key: string, o: PresignPut): Promise<PresignedPut>;
  /** Returns a URL that shows the object. With `filename`, a browser saves it under that name. */
  presignGet(key: string, o: PresignGet): Promise<string>;
  /** Throws {@link BlobUnavailable} unless the store can be written to. */
  check(): Promise<void>;
  /** The origin of presigned URLs, for the content security policy; null when it is the service's own. */
  readonly origin: string | null;
  /** Verifies the presigned URLs that the service itself serves. */
  readonly signer: Signer;
  /** Stores a stream under a new key, completely or not at all, in constant memory. */
  receive(grant: PutGrant, body: AsyncIterable<Buffer>): Promise<Received>;
}

export interface PresignPut {
  contentType: string;
  maxBytes: number;
  sizeBytes?: number;
  expiresSeconds: number;
}

export interface PresignGet {
  expiresSeconds: number;
  contentType?: string;
  filename?: string;
}

export interface PresignedPut {
  url: string;
  headers: Record<string, string>;
  expiresAt: Date;
}

export class BlobMissing extends Error {
  override name = 'BlobMissing';
  constructor(key: string) {
    super(`there is no object ${key}`);
  }
}

export class BlobTooLarge extends Error {
  override name = 'BlobTooLarge';
  constructor(key: string, maxBytes: number) {
    super(`object ${key} has more than ${maxBytes} bytes`);
  }
}

/** The store is unreachable or refuses the request. No data is known to be lost, and the client may try again. */
export class BlobUnavailable extends Error {
  override name = 'BlobUnavailable';
}

/**
 * Throws unless the key is path segments of letters, digits, `.`, `_` and `-`, none of which starts with a dot. Such
 * keys cannot leave a folder and need no escaping in a URL.
 */
export function assertKey(key: string): void {
  if (key.length > 512 || !/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(key)) {
    throw new TypeError(`not a key of a blob: ${JSON.stringify(key.slice(0, 600))}`);
  }
}

/** Throws unless the prefix is a key and a slash. */
export function assertPrefix(prefix: string): void {
  if (!prefix.endsWith('/')) throw new TypeError(`not a prefix of blobs: ${JSON.stringify(prefix.slice(0, 600))}`);
  assertKey(prefix.slice(0, -1));
}

/** Returns a Content-Disposition header that saves under `filename` (RFC 6266). */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(filename).replace(
    /['()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )}`;
}
