import type { Received } from './incoming.ts';
import type { PutGrant, Signer } from './signature.ts';

/** Where pictures lie: a folder or an S3 bucket. Both keep the promises of `server/test/blob-contract.ts`. */
export interface BlobStore {
  /** Stores or replaces an object. It lasts once this resolves. */
  put(key: string, bytes: Uint8Array, o: { contentType: string }): Promise<void>;
  /** The whole object. Throws {@link BlobMissing}, or {@link BlobTooLarge} before it has read more than `maxBytes`. */
  get(key: string, o: { maxBytes: number }): Promise<Buffer>;
  head(key: string): Promise<{ size: number; contentType: string } | null>;
  /** Removes an object; one that is not there counts as removed. */
  delete(key: string): Promise<void>;
  /**
   * A URL for one PUT of exactly this content type, for as long as no object has the key: the second PUT is answered 412,
   * also when two race. `headers` are those the client must send. No body over `maxBytes` is taken; with `sizeBytes`
   * only one of that length. S3 can sign a length but no limit, so without `sizeBytes` the service itself takes the PUT.
   */
  presignPut(key: string, o: PresignPut): Promise<PresignedPut>;
  /** A URL that shows the object. `filename` makes a browser save it under that name. */
  presignGet(key: string, o: PresignGet): Promise<string>;
  /** Throws {@link BlobUnavailable} unless the store can be written to. */
  check(): Promise<void>;
  /** The origin of presigned URLs when it is not the service's own, for its content security policy. */
  readonly origin: string | null;
  /** Verifies the presigned URLs that the service itself serves. */
  readonly signer: Signer;
  /** Stores a stream under a key that no object has yet, whole or not at all, in constant memory. */
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

/** The store cannot be reached or refuses its work. Nothing is known to be lost; the request may be tried again. */
export class BlobUnavailable extends Error {
  override name = 'BlobUnavailable';
}

/**
 * Keys are path segments of letters, digits, `.`, `_` and `-`, none of which starts with a dot: they cannot leave a
 * folder and need no escaping in a URL.
 */
export function assertKey(key: string): void {
  if (key.length > 512 || !/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(key)) {
    throw new TypeError(`not a key of a blob: ${JSON.stringify(key.slice(0, 600))}`);
  }
}

/** A Content-Disposition header that saves under `filename` (RFC 6266). */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(filename).replace(
    /['()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )}`;
}
