import { createHmac, timingSafeEqual } from 'node:crypto';
import { assertKey, type PresignedPut, type PresignGet, type PresignPut } from './presigned.ts';

/** The permission of a presigned URL whose signature is right. */
export interface PutGrant {
  key: string;
  contentType: string;
  maxBytes: number;
  sizeBytes: number | null;
}
export interface GetGrant {
  key: string;
  contentType: string | null;
  filename: string | null;
  expiresAt: Date;
}

export interface Signer {
  /** Returns the query string of a URL that permits this, signature included. */
  put(grant: PutGrant, expiresAt: Date): string;
  get(grant: GetGrant): string;
  verifyPut(key: string, query: Query): PutGrant | 'forged' | 'expired';
  verifyGet(key: string, query: Query): GetGrant | 'forged' | 'expired';
}
type Query = Readonly<Record<string, unknown>>;

/**
 * Signs a URL's permission with HMAC-SHA256 over the method, the key and every parameter in the order of their names.
 * The first secret signs. A URL that any of the secrets signed is valid, so links outlive a rotation.
 */
export function createSigner(secrets: readonly [Uint8Array, ...Uint8Array[]], now: () => Date): Signer {
  const signatureOf = (secret: Uint8Array, method: string, key: string, parameters: URLSearchParams): string => {
    const pairs = [...parameters].sort(([a], [b]) => (a < b ? -1 : 1));
    return createHmac('sha256', secret)
      .update(JSON.stringify([method, key, pairs]))
      .digest('base64url');
  };

  function sign(method: string, key: string, values: Record<string, string | number | null>): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) if (value !== null) parameters.set(name, `${value}`);
    const signature = signatureOf(secrets[0], method, key, parameters);
    parameters.set('signature', signature);
    return parameters.toString();
  }

  function verify(method: string, key: string, query: Query): URLSearchParams | 'forged' | 'expired' {
    const { signature, ...values } = query;
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'string') return 'forged'; // Given twice.
      parameters.set(name, value);
    }
    const given = Buffer.from(typeof signature === 'string' ? signature : '');
    const good = secrets.some(secret => {
      const expected = Buffer.from(signatureOf(secret, method, key, parameters));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    if (!good) return 'forged';
    return now().getTime() < Number(parameters.get('expires')) * 1000 ? parameters : 'expired';
  }

  const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
  return {
    put: ({ key, contentType, maxBytes, sizeBytes }, expiresAt) =>
      sign('PUT', key, { type: contentType, max: maxBytes, size: sizeBytes, expires: seconds(expiresAt) }),
    get: ({ key, contentType, filename, expiresAt }) =>
      sign('GET', key, { type: contentType, filename, expires: seconds(expiresAt) }),
    verifyPut(key, query) {
      const found = verify('PUT', key, query);
      if (typeof found === 'string') return found;
      const size = found.get('size');
      return {
        key,
        contentType: found.get('type') ?? '',
        maxBytes: Number(found.get('max')),
        sizeBytes: size === null ? null : Number(size),
      };
    },
    verifyGet(key, query) {
      const found = verify('GET', key, query);
      if (typeof found === 'string') return found;
      return {
        key,
        contentType: found.get('type'),
        filename: found.get('filename'),
        expiresAt: new Date(Number(found.get('expires')) * 1000),
      };
    },
  };
}

export interface UrlOptions {
  /** The first signs the URLs; all of them verify. The same on every node that serves the store. */
  secrets: readonly [Uint8Array, ...Uint8Array[]];
  /** Returns the service's own address, without a trailing slash. Called when a URL is made. */
  origin: () => string;
  now?: () => Date;
}

export interface Urls {
  readonly signer: Signer;
  put(key: string, o: PresignPut): PresignedPut;
  get(key: string, o: PresignGet): string;
}

/** Makes presigned URLs that the service itself serves (`routes.ts`). */
export function createUrls({ secrets, origin, now = () => new Date() }: UrlOptions): Urls {
  const signer = createSigner(secrets, now);
  const secondsFromNow = (seconds: number) => new Date((Math.floor(now().getTime() / 1000) + seconds) * 1000);
  const urlOf = (key: string, query: string) => {
    assertKey(key);
    return `${origin()}/blobs/${key}?${query}`;
  };
  return {
    signer,
    put(key, { contentType, maxBytes, sizeBytes = null, expiresSeconds }) {
      const expiresAt = secondsFromNow(expiresSeconds);
      return {
        url: urlOf(key, signer.put({ key, contentType, maxBytes, sizeBytes }, expiresAt)),
        headers: { 'content-type': contentType },
        expiresAt,
      };
    },
    get: (key, { expiresSeconds, contentType = null, filename = null }) =>
      urlOf(key, signer.get({ key, contentType, filename, expiresAt: secondsFromNow(expiresSeconds) })),
  };
}
