import { randomUUID } from 'node:crypto';
import { BlobUnavailable } from './faults.ts';
import type { PresignedPut } from './presigned.ts';

/**
 * The bucket answers, but cannot keep the promise of a store that a photo is written once. Waiting does not help: `message` says what the
 * operator has to do.
 */
export class BucketUnfit extends BlobUnavailable {
  override name = 'BucketUnfit';
}

const TIMEOUT_MS = 30_000;
/** A bucket that was found unfit is asked again after this time: its operator may have changed it. */
const ASK_AGAIN_MS = 30_000;

const WHAT_TO_DO =
  'Use a bucket of a service with conditional writes: Amazon S3, Cloudflare R2, MinIO or Ceph; ' +
  'or unset S3_BUCKET to keep photos in DATA_DIR. docs/operate.md says more.';

/** What the check needs from a bucket. */
export interface Probed {
  presign(key: string): Promise<PresignedPut>;
  delete(key: string): Promise<void>;
}

/**
 * Returns a function that resolves once the bucket has refused a second conditional PUT, sent as the capture page sends one. Throws
 * {@link BucketUnfit} where the bucket does not know the condition, or lets the second PUT replace the first. A bucket that passed is not
 * asked again.
 */
export function expectWriteOnce(bucket: string, probed: Probed): () => Promise<void> {
  let last: { answer: Promise<void>; until: number } | null = null;
  return () => {
    if (last && last.until > performance.now()) return last.answer;
    const current = { answer: probe(bucket, probed), until: Number.POSITIVE_INFINITY };
    last = current;
    current.answer.catch((error: unknown) => {
      // A bucket that could not be reached is asked again at once.
      current.until = error instanceof BucketUnfit ? performance.now() + ASK_AGAIN_MS : 0;
    });
    return current.answer;
  };
}

async function probe(bucket: string, probed: Probed): Promise<void> {
  const key = `probes/${randomUUID()}`;
  const { url, headers } = await probed.presign(key);
  try {
    const first = await send(bucket, url, headers);
    if (first.status === 501 || (first.status === 400 && /NotImplemented|If-None-Match/i.test(first.text))) {
      throw new BucketUnfit(
        `The bucket ${bucket} does not support conditional writes (If-None-Match), which keep a photo from being replaced. ${WHAT_TO_DO}`,
      );
    }
    if (first.status >= 300)
      throw new BlobUnavailable(`the bucket ${bucket} refuses a PUT: status ${first.status} ${codeIn(first.text)}`);
    const second = await send(bucket, url, headers);
    if (second.status < 300) {
      throw new BucketUnfit(
        `The bucket ${bucket} ignores the condition If-None-Match: a second upload would replace a photo. ${WHAT_TO_DO}`,
      );
    }
    if (second.status !== 412 && second.status !== 409) {
      throw new BlobUnavailable(`the bucket ${bucket} refuses a PUT: status ${second.status} ${codeIn(second.text)}`);
    }
  } finally {
    await probed.delete(key).catch(() => {});
  }
}

const codeIn = (xml: string): string => /<Code>([^<]{1,80})<\/Code>/.exec(xml)?.[1] ?? '';

async function send(bucket: string, url: string, headers: Record<string, string>) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(url, { method: 'PUT', headers, body: BODY, redirect: 'manual', signal });
    return { status: answer.status, text: (await answer.text()).slice(0, 10_000) };
  } catch (error) {
    throw new BlobUnavailable(`the bucket ${bucket} cannot be reached: ${(error as Error).message}`, { cause: error });
  }
}

const BODY = 'Firsthand checks that this object is written once, then deletes it.\n';
export const PROBE = { contentType: 'text/plain', sizeBytes: Buffer.byteLength(BODY) } as const;
