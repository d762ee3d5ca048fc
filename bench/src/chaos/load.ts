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
  begin(): void;
  /** Begins no more flows and waits for those that run. Throws when they take longer. */
  end(timeoutMs: number): Promise<void>;
}

interface LoadOptions {
  url: string;
  /** The API nodes themselves. */
  nodes: readonly string[];
  tenant: NewTenant;
  webhookUrl: string;
  perSecond: number;
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
export function createLoad(o: LoadOptions): Load {
  const clients = new Clients(o);
  /** Flows that have begun and not ended, and where they are. */
  const open = new Map<number, string>();
  let serial = 0;
  let going = false;
  let beginning = Promise.resolve();
  let broken: unknown;
  const beginAll = async () => {
    while (going) {
      serial += 1;
      const n = serial;
      open.set(n, 'begin');
      clients
        .flow(n, step => open.set(n, step))
        .catch(error => {
          broken ??= error;
        })
        .finally(() => open.delete(n));
      await sleep((-Math.log(1 - Math.random()) / o.perSecond) * 1_000);
    }
  };
  return {
    kept: clients.kept,
    errors: clients.errors,
    begin() {
      going = true;
      beginning = beginAll();
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

class Clients {
  readonly kept: Acknowledged[] = [];
  readonly errors: ClientError[] = [];
  readonly #o: LoadOptions;

  constructor(o: LoadOptions) {
    this.#o = o;
  }

  /** The nth company creates a verification, and one person or two send its photos. */
  async flow(n: number, at: (step: string) => void): Promise<void> {
    const rivals = n % 4 === 0;
    const slots = rivals ? 1 : 1 + (n % 2);
    const { url, nodes, webhookUrl } = this.#o;
    const body = { max_captures: slots, webhook_url: webhookUrl, metadata: { serial: `${n}` } };
    const key = randomUUID();
    at('create');
    const early =
      n % 3 === 0
        ? await Promise.all(nodes.map(node => this.#create(node, body, key).catch(error => permanent(error) ?? null)))
        : [];
    const made = await insist(() => this.#create(url, body, key));
    const stepKey = made.config.steps[0]!.key;
    const entry: Acknowledged = { id: made.id, stepKey, slots, photos: new Map(), faults: [] };
    this.kept.push(entry);
    for (const other of early)
      if (other && other.id !== made.id) entry.faults.push(`one Idempotency-Key made ${made.id} and ${other.id}`);
    at(made.id);
    await Promise.all(
      Array.from({ length: rivals ? 2 : 1 }, (_, person) =>
        this.#person(entry, `10.${1 + person}.${(n >> 8) & 255}.${n & 255}`, slots),
      ),
    );
  }

  /** Takes photos and sends them as the capture page does. */
  async #person(entry: Acknowledged, address: string, photos: number): Promise<void> {
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
    const client = this.#captureClient(entry, address);
    const result = await sendHeld({ client, store, put: this.#put(address), pause: ms => sleep(ms) });
    if (result.outcome !== 'done') entry.faults.push(`${entry.id}: sending ended as ${result.outcome}`);
  }

  /** The page's own client, which also notes what was acknowledged. */
  #captureClient(entry: Acknowledged, address: string): CaptureClient {
    const throughNode = this.kept.length % 5 === 0;
    const client = createCaptureClient({
      token: entry.id,
      baseUrl: this.#o.url,
      fetch: this.#fetchAs(address) as typeof fetch,
      timeoutMs: TIMEOUT_MS,
    });
    return {
      ...client,
      uploadUrl: ({ size_bytes, ...request }) =>
        client.uploadUrl({ ...request, ...(throughNode || size_bytes === undefined ? {} : { size_bytes }) }),
      async submit(capture, key) {
        const view = await client.submit(capture, key);
        entry.photos.set(capture.image_sha256, performance.timeOrigin + performance.now());
        return view;
      },
    };
  }

  #put(address: string): Put {
    return async ({ upload_url, method, headers }, bytes) => {
      const answer = await this.#request(address, upload_url, { method, headers, body: bytes });
      await answer.body?.cancel();
      if (!answer.ok) throw new ApiError(answer.status, `http_${answer.status}`, `HTTP ${answer.status}`);
    };
  }

  async #create(url: string, body: object, key: string): Promise<Verification> {
    const answer = await this.#request('10.0.0.1', `${url}/v1/verifications`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#o.tenant.pk_test}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw await errorFromResponse(answer);
    return (await answer.json()) as Verification;
  }

  #request(address: string, url: string, init: RequestInit): Promise<Response> {
    return this.#fetchAs(address)(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(cause => {
      throw new NetworkError(cause);
    });
  }

  /** Adds the person's own address. Counts refusals, except by a node that was asked past the proxy. */
  #fetchAs(address: string) {
    const { url, nodes } = this.#o;
    const note = (what: string) => this.errors.push({ at: performance.now(), what });
    return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const headers = new Headers(init.headers);
      if (`${input}`.startsWith(url)) headers.set('x-forwarded-for', address);
      if (nodes.some(node => `${input}`.startsWith(node))) return fetch(input, { ...init, headers });
      try {
        const answer = await fetch(input, { ...init, headers });
        if (answer.status >= 500 || answer.status === 429) {
          const { code } = await errorFromResponse(answer.clone());
          note(code.startsWith('http_') ? `${answer.status} of the proxy` : `${answer.status} ${code}`);
        }
        return answer;
      } catch (error) {
        const { code } = ((error as Error).cause ?? error) as { code?: string | number };
        const where = `${input}`.startsWith(url) ? '' : ' of S3';
        note(`no answer${where} (${typeof code === 'string' ? code : (error as Error).name})`);
        throw error;
      }
    };
  }
}

async function insist<T>(action: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await sleep(pauseOf(error, attempt));
    }
  }
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
