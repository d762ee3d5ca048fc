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
import { asUnavailable, type Incoming, openIncoming, type Received } from './incoming.ts';
import { assertKey, assertPrefix, type PresignedPut, type PresignGet, type PresignPut } from './presigned.ts';
import { createUrls, type PutGrant, type Signer, type UrlOptions, type Urls } from './signature.ts';
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
export async function openS3Store(o: S3Options, urlOptions: S3UploadOptions): Promise<BlobStore> {
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
  const example = await getSignedUrl(client, new GetObjectCommand({ Bucket: o.bucket, Key: 'x' }));
  return new S3Store(client, o.bucket, new URL(example).origin, urlOptions);
}

class S3Store implements BlobStore {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly urls: Urls;
  private readonly incomingFolder: string;
  private readonly writesOnce: () => Promise<void>;
  private incoming: Incoming | null = null;
  readonly origin: string;
  readonly signer: Signer;

  constructor(client: S3Client, bucket: string, origin: string, { incoming, ...urlOptions }: S3UploadOptions) {
    this.client = client;
    this.bucket = bucket;
    this.incomingFolder = incoming;
    this.urls = createUrls(urlOptions);
    this.writesOnce = expectWriteOnce(bucket, {
      presign: key => this.presign(key, PROBE.contentType, PROBE.sizeBytes, 300),
      delete: key => this.delete(key),
    });
    this.origin = origin;
    this.signer = this.urls.signer;
  }

  private at(key: string) {
    assertKey(key);
    return { Bucket: this.bucket, Key: key };
  }

  /** Returns the bucket's answer, or null when the object does not exist. */
  private async ask<T>(request: () => Promise<T>): Promise<T | null> {
    try {
      return await request();
    } catch (error) {
      // A missing bucket is an error, not a missing object.
      const { name, $metadata } = error instanceof S3ServiceException ? error : { name: '', $metadata: {} };
      if ($metadata.httpStatusCode === 404 && name !== 'NoSuchBucket') return null;
      throw new BlobUnavailable(`the bucket ${this.bucket} refuses: ${(error as Error).message}`, { cause: error });
    }
  }

  private noBucket(): BlobUnavailable {
    return new BlobUnavailable(`there is no bucket ${this.bucket}`);
  }

  async check(): Promise<void> {
    const found = await this.ask(() => this.client.send(new HeadBucketCommand({ Bucket: this.bucket })));
    if (!found) throw this.noBucket();
    await this.writesOnce();
  }

  async put(key: string, bytes: Uint8Array, { contentType }: { contentType: string }): Promise<void> {
    const command = new PutObjectCommand({ ...this.at(key), Body: bytes, ContentType: contentType });
    if (!(await this.ask(() => this.client.send(command)))) throw this.noBucket();
  }

  async get(key: string, { maxBytes }: { maxBytes: number }): Promise<Buffer> {
    const command = new GetObjectCommand(this.at(key));
    const answer = await this.ask(() => this.client.send(command));
    if (!answer?.Body) throw new BlobMissing(key);
    if ((answer.ContentLength ?? Number.POSITIVE_INFINITY) > maxBytes) {
      const body = answer.Body as unknown as { destroy(): void };
      body.destroy();
      throw new BlobTooLarge(key, maxBytes);
    }
    const { Body } = answer;
    const bytes = await this.ask(() => Body.transformToByteArray());
    if (!bytes) throw new BlobMissing(key);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  async head(key: string) {
    const command = new HeadObjectCommand(this.at(key));
    const answer = await this.ask(() => this.client.send(command));
    // A HEAD answer has no body, so it cannot say whether the object or its bucket is missing.
    if (!answer) await this.check();
    return answer && { size: answer.ContentLength ?? 0, contentType: answer.ContentType ?? 'application/octet-stream' };
  }

  async *list(prefix: string): AsyncGenerator<string> {
    assertPrefix(prefix);
    let after: string | undefined;
    do {
      const command = new ListObjectsV2Command({ Bucket: this.bucket, Prefix: prefix, ContinuationToken: after });
      const answer = await this.ask(() => this.client.send(command));
      for (const { Key } of answer?.Contents ?? []) if (Key) yield Key;
      after = answer?.NextContinuationToken;
    } while (after);
  }

  async delete(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.at(key));
    await this.ask(() => this.client.send(command));
  }

  async presignPut(key: string, wanted: PresignPut): Promise<PresignedPut> {
    const { contentType, sizeBytes, expiresSeconds } = wanted;
    await this.writesOnce();
    return sizeBytes === undefined
      ? this.urls.put(key, wanted)
      : this.presign(key, contentType, sizeBytes, expiresSeconds);
  }

  private async presign(key: string, contentType: string, sizeBytes: number, seconds: number): Promise<PresignedPut> {
    const signingDate = new Date();
    const command = new PutObjectCommand({
      ...this.at(key),
      ContentType: contentType,
      IfNoneMatch: '*',
      ContentLength: sizeBytes,
    });
    const url = await getSignedUrl(this.client, command, {
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

  async presignGet(key: string, { expiresSeconds, contentType, filename }: PresignGet): Promise<string> {
    const command = new GetObjectCommand({
      ...this.at(key),
      ResponseCacheControl: `private, max-age=${expiresSeconds}`,
      ...(contentType ? { ResponseContentType: contentType } : {}),
      ...(filename ? { ResponseContentDisposition: attachment(filename) } : {}),
    });
    return getSignedUrl(this.client, command, { expiresIn: expiresSeconds });
  }

  async receive(grant: PutGrant, body: AsyncIterable<Buffer>): Promise<Received> {
    await this.writesOnce();
    try {
      this.incoming ??= await openIncoming(this.incomingFolder);
    } catch (error) {
      throw asUnavailable(error);
    }
    // Sends only complete bodies: the bucket does not wait for a slow sender and takes no body of unknown length.
    return this.incoming.receive(grant, body, (_made, file, size) => this.send(grant, file, size));
  }

  private async send(grant: PutGrant, file: string, size: number): Promise<'stored' | 'exists'> {
    const stream = createReadStream(file);
    const command = new PutObjectCommand({
      ...this.at(grant.key),
      Body: stream,
      ContentLength: size,
      ContentType: grant.contentType,
      IfNoneMatch: '*',
    });
    try {
      const answer = await this.ask(() =>
        this.client.send(command).catch(error => {
          if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412) return 'exists' as const;
          throw error;
        }),
      );
      if (!answer) throw this.noBucket();
      return answer === 'exists' ? 'exists' : 'stored';
    } finally {
      stream.destroy();
    }
  }
}
