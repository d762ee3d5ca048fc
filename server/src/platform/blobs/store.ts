import { BlobTooLarge, BlobUnavailable } from './faults.ts';
import type { Received } from './incoming.ts';
import type { PresignedPut, PresignGet, PresignPut } from './presigned.ts';
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

/** Returns a Content-Disposition header that saves under `filename` (RFC 6266). */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(filename).replace(
    /['()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )}`;
}
