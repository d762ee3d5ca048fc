import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { type CaptureClient, createCaptureClient } from '@firsthand/sdk/capture/client.ts';
import { ApiError, errorFromResponse, isTransient, NetworkError } from '@firsthand/sdk/capture/errors.ts';
import { sendHeld } from '@firsthand/sdk/capture/outbox.ts';
import type { Put } from '@firsthand/sdk/capture/put.ts';
import { memoryStore } from '@firsthand/sdk/capture/store.ts';
import type { NewTenant } from 'firsthand/identity/tenants/create.ts';
import sharp from 'sharp';

/** What the service told a client, which may rely on it from then on. */
export interface Acknowledged {
  id: string;
  stepKey: string;
  slots: number;
  /** SHA-256 of each photo whose submission was answered with success, and when. */
  photos: Map<string, number>;
  /** Answers that broke a promise. */
  faults: string[];
}

/** An answer that tells a client to try again, or no answer. */
export interface ClientError {
  /** By `performance.now()`. */
  at: number;
  what: string;
}

export interface Load {
  kept: Acknowledged[];
  errors: ClientError[];
  /** Flows that have begun and not ended. */
  open(): number;
  begin(): void;
  /** Begins no more flows and waits for those that run. Throws when they take longer. */
  end(timeoutMs: number): Promise<void>;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** The companies' servers wait this long for an answer, as the capture page does. */
const TIMEOUT_MS = 30_000;

/**
 * Companies that create verifications and people who send photos, `perSecond` of them. Each repeats what has no answer
 * or is told to wait, as the capture page does: the photos go through the page's own client.
 *
 * Every third creation is sent to both nodes at once under one `Idempotency-Key`. Every fourth verification has one slot
 * and two people who send a photo at the same time. Every fifth names no size, so that the bytes go through an API node's
 * disk and not straight to the store.
 */
export function createLoad(o: {
  url: string;
  /** The API nodes themselves. */
  nodes: readonly string[];
  tenant: NewTenant;
  webhookUrl: string;
  perSecond: number;
}): Load {
  const kept: Acknowledged[] = [];
  const errors: ClientError[] = [];
  const open = new Map<number, string>();
  let serial = 0;
  let going = false;
  let beginning = Promise.resolve();
  let broken: unknown;

  const note = (what: string) => errors.push({ at: performance.now(), what });

  /** Adds the person's own address. Counts refusals, except by a node that was asked past the proxy. */
  const fetchAs =
    (address: string) =>
    async (input: string | URL | Request, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      if (`${input}`.startsWith(o.url)) headers.set('x-forwarded-for', address);
      if (o.nodes.some(url => `${input}`.startsWith(url))) return fetch(input, { ...init, headers });
      try {
        const answer = await fetch(input, { ...init, headers });
        if (answer.status >= 500 || answer.status === 429) {
          const { code } = await errorFromResponse(answer.clone());
          note(code.startsWith('http_') ? `${answer.status} of the proxy` : `${answer.status} ${code}`);
        }
        return answer;
      } catch (error) {
        const { code } = ((error as Error).cause ?? error) as { code?: string | number };
        const where = `${input}`.startsWith(o.url) ? '' : ' of S3';
        note(`no answer${where} (${typeof code === 'string' ? code : (error as Error).name})`);
        throw error;
      }
    };

  async function create(url: string, body: object, key: string): Promise<Verification> {
    const answer = await fetchAs('10.0.0.1')(`${url}/v1/verifications`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${o.tenant.pk_test}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(cause => {
      throw new NetworkError(cause);
    });
    if (!answer.ok) throw await errorFromResponse(answer);
    return (await answer.json()) as Verification;
  }

  async function insist<T>(act: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await act();
      } catch (error) {
        if (!isTransient(error)) throw error;
        await sleep(pauseOf(error, attempt));
      }
    }
  }

  const put =
    (address: string): Put =>
    async (target, bytes) => {
      const { method, headers } = target;
      const answer = await fetchAs(address)(target.upload_url, {
        method,
        headers,
        body: bytes,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch(cause => {
        throw new NetworkError(cause);
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new ApiError(answer.status, `http_${answer.status}`, `HTTP ${answer.status}`);
    };

  async function person(entry: Acknowledged, address: string, photos: number): Promise<void> {
    const throughNode = kept.length % 5 === 0;
    const client = createCaptureClient({
      token: entry.id,
      baseUrl: o.url,
      fetch: fetchAs(address) as typeof fetch,
      timeoutMs: TIMEOUT_MS,
    });
    const noting: CaptureClient = {
      ...client,
      uploadUrl: ({ size_bytes, ...request }) =>
        client.uploadUrl({ ...request, ...(throughNode || size_bytes === undefined ? {} : { size_bytes }) }),
      async submit(capture, key) {
        const view = await client.submit(capture, key);
        entry.photos.set(capture.image_sha256, performance.timeOrigin + performance.now());
        return view;
      },
    };
    const store = memoryStore();
    for (let n = 0; n < photos; n += 1) {
      const bytes = await photo();
      await store.putCapture({
        id: randomUUID(),
        token: entry.id,
        stepKey: entry.stepKey,
        bytes: new Uint8Array(bytes).buffer,
        contentType: 'image/jpeg',
        sha256: sha256(bytes),
        surface: 'web',
        capturedAt: new Date().toISOString(),
      });
    }
    const result = await sendHeld({ client: noting, store, put: put(address), pause: ms => sleep(ms) });
    if (result.outcome !== 'done') entry.faults.push(`${entry.id}: sending ended as ${result.outcome}`);
  }

  async function flow(n: number): Promise<void> {
    const rivals = n % 4 === 0;
    const slots = rivals ? 1 : 1 + (n % 2);
    const body = { max_captures: slots, webhook_url: o.webhookUrl, metadata: { serial: `${n}` } };
    const key = randomUUID();
    open.set(n, 'create');
    const early =
      n % 3 === 0
        ? await Promise.all(o.nodes.map(url => create(url, body, key).catch(error => permanent(error) ?? null)))
        : [];
    const made = await insist(() => create(o.url, body, key));
    const stepKey = made.config.steps[0]!.key;
    const entry: Acknowledged = { id: made.id, stepKey, slots, photos: new Map(), faults: [] };
    kept.push(entry);
    for (const other of early) {
      if (other && other.id !== made.id) entry.faults.push(`one Idempotency-Key made ${made.id} and ${other.id}`);
    }
    open.set(n, made.id);
    const address = (at: number) => `10.${1 + at}.${(n >> 8) & 255}.${n & 255}`;
    await Promise.all(
      rivals ? [person(entry, address(0), 1), person(entry, address(1), 1)] : [person(entry, address(0), slots)],
    );
  }

  return {
    kept,
    errors,
    open: () => open.size,
    begin() {
      going = true;
      beginning = (async () => {
        while (going) {
          serial += 1;
          const n = serial;
          open.set(n, 'begin');
          flow(n)
            .catch(error => {
              broken ??= error;
            })
            .finally(() => open.delete(n));
          await sleep((-Math.log(1 - Math.random()) / o.perSecond) * 1_000);
        }
      })();
    },
    async end(timeoutMs) {
      going = false;
      await beginning;
      const deadline = performance.now() + timeoutMs;
      while (open.size > 0) {
        if (performance.now() > deadline) throw new Error(`clients wait for ever: ${[...open.values()].join(', ')}`);
        await sleep(50);
      }
      if (broken) throw broken;
    },
  };
}

/** The wait of the capture page: what the service asks for, else longer each time. */
function pauseOf(error: unknown, attempt: number): number {
  const backoff = Math.min(30_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2);
  return error instanceof ApiError ? (error.retryAfterMs ?? backoff) : backoff;
}

/** Throws what no repetition mends. */
function permanent(error: unknown): null {
  if (isTransient(error)) return null;
  throw error;
}

/** A photo that costs little, and no other has its bytes. */
const photo = (): Promise<Buffer> =>
  sharp({ create: { width: 320, height: 240, channels: 3, background: '#7a8' } })
    .composite([
      {
        input: Buffer.from(
          `<svg width="320" height="240"><circle cx="${Math.random() * 320}" cy="${Math.random() * 240}" r="60" fill="#${randomUUID().slice(0, 6)}"/></svg>`,
        ),
      },
    ])
    .withExif({ IFD0: { ImageDescription: randomUUID() } })
    .jpeg()
    .toBuffer();
