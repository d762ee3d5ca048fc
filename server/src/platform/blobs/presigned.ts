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
