import { createReadStream } from 'node:fs';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { BlobMissing, BlobTooLarge, BlobUnavailable } from './faults.ts';
import { asUnavailable, type Incoming, openIncoming } from './incoming.ts';
import { assertKey, assertPrefix, type PresignedPut } from './presigned.ts';
import { createUrls, type UrlOptions } from './signature.ts';
import { attachment, type BlobStore } from './store.ts';
import { expectWriteOnce, PROBE } from './write-once.ts';

export interface S3Options {
  bucket: string;
  region: string;
  /** Null: the provider's own endpoint for the region. */
  endpoint: string | null;
  /** Null: credentials come from the usual places (environment, shared file, the machine's role). */
  accessKeyId: string | null;
  secretAccessKey: string | null;
  forcePathStyle: boolean;
}

export interface S3UploadOptions extends UrlOptions {
  /** Holds uploads to the service until they are complete. Created when the first one arrives. */
  incoming: string;
}

/** Opens a bucket as a blob store. Sends nothing before the first request. */
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
    // S3 servers differ in the checksums they support. TLS and the capture's own SHA-256 protect the bytes.
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

  /** Returns the bucket's answer, or null when the object does not exist. */
  async function ask<T>(request: () => Promise<T>): Promise<T | null> {
    try {
      return await request();
    } catch (error) {
      // A missing bucket is an error, not a missing object.
      const { name, $metadata } = error instanceof S3ServiceException ? error : { name: '', $metadata: {} };
      if ($metadata.httpStatusCode === 404 && name !== 'NoSuchBucket') return null;
      throw new BlobUnavailable(`the bucket ${o.bucket} refuses: ${(error as Error).message}`, { cause: error });
    }
  }

  async function check(): Promise<void> {
    const found = await ask(() => client.send(new HeadBucketCommand({ Bucket: o.bucket })));
    if (!found) throw new BlobUnavailable(`there is no bucket ${o.bucket}`);
    await writesOnce();
  }

  async function presign(key: string, contentType: string, sizeBytes: number, seconds: number): Promise<PresignedPut> {
    const signingDate = new Date();
    const command = new PutObjectCommand({
      ...at(key),
      ContentType: contentType,
      IfNoneMatch: '*',
      ContentLength: sizeBytes,
    });
    const url = await getSignedUrl(client, command, {
      expiresIn: seconds,
      signingDate,
      signableHeaders: new Set(['host', 'content-type', 'content-length', 'if-none-match']),
      unhoistableHeaders: new Set(['if-none-match']),
    });
    return {
      url,
      headers: { 'content-type': contentType, 'if-none-match': '*' },
      expiresAt: new Date(Math.floor(signingDate.getTime() / 1000 + seconds) * 1000),
    };
  }

  const remove = async (key: string) => {
    const command = new DeleteObjectCommand(at(key));
    await ask(() => client.send(command));
  };
  const writesOnce = expectWriteOnce(o.bucket, {
    presign: key => presign(key, PROBE.contentType, PROBE.sizeBytes, 300),
    delete: remove,
  });

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
      // A HEAD answer has no body, so it cannot say whether the object or its bucket is missing.
      if (!answer) await check();
      return (
        answer && { size: answer.ContentLength ?? 0, contentType: answer.ContentType ?? 'application/octet-stream' }
      );
    },

    async *list(prefix) {
      assertPrefix(prefix);
      let after: string | undefined;
      do {
        const command = new ListObjectsV2Command({ Bucket: o.bucket, Prefix: prefix, ContinuationToken: after });
        const answer = await ask(() => client.send(command));
        for (const { Key } of answer?.Contents ?? []) if (Key) yield Key;
        after = answer?.NextContinuationToken;
      } while (after);
    },

    delete: remove,

    async presignPut(key, wanted) {
      const { contentType, sizeBytes, expiresSeconds } = wanted;
      await writesOnce();
      return sizeBytes === undefined ? urls.put(key, wanted) : presign(key, contentType, sizeBytes, expiresSeconds);
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
      await writesOnce();
      const { receive } = await incoming();
      // Sends only complete bodies: the bucket does not wait for a slow sender and takes no body of unknown length.
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
