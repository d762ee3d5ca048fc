import { createReadStream } from 'node:fs';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { asUnavailable, type Incoming, openIncoming } from './incoming.ts';
import { createUrls, type UrlOptions } from './signature.ts';
import { assertKey, attachment, BlobMissing, type BlobStore, BlobTooLarge, BlobUnavailable } from './store.ts';

export interface S3Options {
  bucket: string;
  region: string;
  /** Null: the provider's own, made from the region. */
  endpoint: string | null;
  /** Null: the usual places (environment, shared file, the machine's role). */
  accessKeyId: string | null;
  secretAccessKey: string | null;
  forcePathStyle: boolean;
}

export interface S3UploadOptions extends UrlOptions {
  /** Uploads that the service takes lie here until they are whole; made when the first one comes. */
  incoming: string;
}

/** Opens a bucket as a blob store; nothing is sent before the first request. */
export async function openS3Store(
  o: S3Options,
  { incoming: folder, ...urlOptions }: S3UploadOptions,
): Promise<BlobStore> {
  const client = new S3Client({
    region: o.region,
    forcePathStyle: o.forcePathStyle,
    ...(o.endpoint ? { endpoint: o.endpoint } : {}),
    ...(o.accessKeyId && o.secretAccessKey
      ? { credentials: { accessKeyId: o.accessKeyId, secretAccessKey: o.secretAccessKey } }
      : {}),
    // Servers that speak S3 differ in the checksums they know; TLS and the capture's own SHA-256 guard the bytes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  });
  const at = (key: string) => {
    assertKey(key);
    return { Bucket: o.bucket, Key: key };
  };
  const urls = createUrls(urlOptions);
  let opened: Incoming | null = null;
  async function incoming(): Promise<Incoming> {
    try {
      opened ??= await openIncoming(folder);
      return opened;
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /** What the bucket answered, or null where there is no such object. */
  async function ask<T>(request: () => Promise<T>): Promise<T | null> {
    try {
      return await request();
    } catch (error) {
      // Presigned or not, a bucket that is missing is not an object that is.
      const { name, $metadata } = error instanceof S3ServiceException ? error : { name: '', $metadata: {} };
      if ($metadata.httpStatusCode === 404 && name !== 'NoSuchBucket') return null;
      throw new BlobUnavailable(`the bucket ${o.bucket} refuses: ${(error as Error).message}`, { cause: error });
    }
  }

  async function check(): Promise<void> {
    const found = await ask(() => client.send(new HeadBucketCommand({ Bucket: o.bucket })));
    if (!found) throw new BlobUnavailable(`there is no bucket ${o.bucket}`);
  }

  const example = await getSignedUrl(client, new GetObjectCommand(at('x')));
  return {
    origin: new URL(example).origin,

    async put(key, bytes, { contentType }) {
      const command = new PutObjectCommand({ ...at(key), Body: bytes, ContentType: contentType });
      if (!(await ask(() => client.send(command)))) throw new BlobUnavailable(`there is no bucket ${o.bucket}`);
    },

    async get(key, { maxBytes }) {
      const command = new GetObjectCommand(at(key));
      const answer = await ask(() => client.send(command));
      if (!answer?.Body) throw new BlobMissing(key);
      if ((answer.ContentLength ?? Number.POSITIVE_INFINITY) > maxBytes) {
        const body = answer.Body as unknown as { destroy(): void };
        body.destroy();
        throw new BlobTooLarge(key, maxBytes);
      }
      const bytes = await ask(() => answer.Body!.transformToByteArray());
      if (!bytes) throw new BlobMissing(key);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },

    async head(key) {
      const command = new HeadObjectCommand(at(key));
      const answer = await ask(() => client.send(command));
      // A HEAD has no body to say whether the object or its bucket is missing.
      if (!answer) await check();
      return (
        answer && { size: answer.ContentLength ?? 0, contentType: answer.ContentType ?? 'application/octet-stream' }
      );
    },

    async delete(key) {
      const command = new DeleteObjectCommand(at(key));
      await ask(() => client.send(command));
    },

    async presignPut(key, presign) {
      const { contentType, sizeBytes, expiresSeconds } = presign;
      if (sizeBytes === undefined) return urls.put(key, presign);
      const signingDate = new Date();
      const command = new PutObjectCommand({
        ...at(key),
        ContentType: contentType,
        IfNoneMatch: '*',
        ContentLength: sizeBytes,
      });
      const url = await getSignedUrl(client, command, {
        expiresIn: expiresSeconds,
        signingDate,
        signableHeaders: new Set(['host', 'content-type', 'content-length', 'if-none-match']),
        unhoistableHeaders: new Set(['if-none-match']),
      });
      return {
        url,
        headers: { 'content-type': contentType, 'if-none-match': '*' },
        expiresAt: new Date(Math.floor(signingDate.getTime() / 1000 + expiresSeconds) * 1000),
      };
    },

    async presignGet(key, { expiresSeconds, contentType, filename }) {
      const command = new GetObjectCommand({
        ...at(key),
        ResponseCacheControl: `private, max-age=${expiresSeconds}`,
        ...(contentType ? { ResponseContentType: contentType } : {}),
        ...(filename ? { ResponseContentDisposition: attachment(filename) } : {}),
      });
      return getSignedUrl(client, command, { expiresIn: expiresSeconds });
    },

    check,

    signer: urls.signer,

    async receive(grant, body) {
      const { receive } = await incoming();
      // Only a whole body goes to the bucket, which neither waits for a slow sender nor takes one of unknown length.
      return receive(grant, body, async (_made, file, size) => {
        const stream = createReadStream(file);
        const command = new PutObjectCommand({
          ...at(grant.key),
          Body: stream,
          ContentLength: size,
          ContentType: grant.contentType,
          IfNoneMatch: '*',
        });
        try {
          const answer = await ask(() =>
            client.send(command).catch(error => {
              if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412)
                return 'exists' as const;
              throw error;
            }),
          );
          if (!answer) throw new BlobUnavailable(`there is no bucket ${o.bucket}`);
          return answer === 'exists' ? 'exists' : 'stored';
        } finally {
          stream.destroy();
        }
      });
    },
  };
}
