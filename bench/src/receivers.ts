import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { plainCapture } from '@firsthand/forensics/simulate/params.ts';
import { simulateDirect } from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import { Firsthand } from '@firsthand/sdk';
import type { NewTenant } from 'firsthand/identity/tenants/create.ts';
import sharp from 'sharp';
import { Agent, type Dispatcher, request } from 'undici';

/** Makes a photo of a drawn scene with a simulated camera. Each seed draws another scene. */
export async function photograph(width: number, height: number, seed = 7): Promise<Buffer> {
  const size = { width: 1280, height: 960 };
  const { jpeg } = await simulateDirect(drawScene(seed, size), plainCapture(seed, size));
  if (width === size.width) return Buffer.from(jpeg);
  const noise = { width, height, channels: 3 as const, noise: { type: 'gaussian' as const, mean: 128, sigma: 6 } };
  const grain = await sharp({ create: { ...noise, background: '#808080' } })
    .png()
    .toBuffer();
  return sharp(jpeg)
    .resize(width, height)
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 92 })
    .toBuffer();
}

/** Creates a client with a separate address, because the request limit is per address. */
export const phone = (localAddress: string): Dispatcher => new Agent({ localAddress });

interface Asked {
  key?: string;
  method?: 'GET' | 'POST' | 'PATCH';
  headers?: Record<string, string>;
  body?: object;
}

/**
 * Sends one request: a POST if it has a body and names no method. Resolves to its JSON and its milliseconds.
 *
 * @throws when it is not answered with success
 */
export async function ask<T>(url: string, { key, method, headers, body }: Asked, dispatcher?: Dispatcher) {
  const start = performance.now();
  const answer = await request(url, {
    method: method ?? (body ? 'POST' : 'GET'),
    ...(dispatcher && { dispatcher }),
    headers: {
      ...headers,
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  const ms = performance.now() - start;
  if (answer.statusCode >= 400) throw new Error(`${url} was answered ${answer.statusCode}: ${text}`);
  const isJson = String(answer.headers['content-type']).includes('json');
  return { ms, headers: answer.headers, body: (isJson ? JSON.parse(text) : undefined) as T };
}

export async function post<T>(
  url: string,
  path: string,
  body: object,
  dispatcher: Dispatcher,
  key?: string,
): Promise<T> {
  return (await ask<T>(`${url}${path}`, { body, ...(key && { key }) }, dispatcher)).body;
}

export const createVerification = (url: string, tenant: NewTenant, dispatcher: Dispatcher, body: object) =>
  post<Verification>(url, '/v1/verifications', body, dispatcher, tenant.pk_test);

/** Longest that a verdict and its webhook may take. */
const PATIENCE_MS = 120_000;

/** Waits for the verdict of a verification. */
export async function settled({ url, tenant }: { url: string; tenant: NewTenant }, id: string): Promise<Verification> {
  return new Firsthand(tenant.rk_secret, { baseUrl: url }).verifications.waitForVerdict(id, { waitMs: PATIENCE_MS });
}

/** Does the work of a tenant and a phone for one capture. Resolves to the verification's id when the service accepted it. */
export async function submitPicture(
  url: string,
  tenant: NewTenant,
  dispatcher: Dispatcher,
  receiver: Receiver,
  bytes: Buffer,
): Promise<string> {
  const { id } = await createVerification(url, tenant, dispatcher, { webhook_url: receiver.url });
  await uploadPicture(url, dispatcher, receiver, id, bytes);
  return id;
}

/** Ends each picture in unique bytes that decoders ignore, because a cache would make equal pictures too cheap. */
const unique = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.from(randomUUID())]);

/** Uploads a photo to its presigned address and submits its key. */
export async function uploadPicture(
  url: string,
  dispatcher: Dispatcher,
  receiver: Receiver,
  id: string,
  bytes: Buffer,
): Promise<void> {
  const path = `/v1/verifications/${id}/captures`;
  const upload = await post<UploadUrlResponse>(url, `${path}/upload-url`, { contentType: 'image/jpeg' }, dispatcher);
  const own = unique(bytes);
  const address = new URL(upload.upload_url);
  const put = await request(`${url}${address.pathname}${address.search}`, {
    method: 'PUT',
    dispatcher,
    headers: upload.headers,
    body: own,
  });
  await put.body.dump();
  if (put.statusCode !== 200) throw new Error(`the upload was answered ${put.statusCode}`);
  const sha256 = createHash('sha256').update(own).digest('hex');
  await post(url, path, { image_key: upload.image_key, image_sha256: sha256 }, dispatcher);
  receiver.sent.set(id, Date.now());
}

/** Submits a photo inside the JSON of its request. */
export async function submitInline(
  url: string,
  dispatcher: Dispatcher,
  receiver: Receiver,
  id: string,
  bytes: Buffer,
): Promise<void> {
  const body = { image_base64: unique(bytes).toString('base64') };
  await post(url, `/v1/verifications/${id}/captures`, body, dispatcher);
  receiver.sent.set(id, Date.now());
}

export interface Receiver {
  url: string;
  /** The times when each capture was accepted, its verdict was written and its webhook arrived. */
  sent: Map<string, number>;
  completed: Map<string, { verdictAt: number; arrivedAt: number }>;
  reset(): void;
  close(): Promise<void>;
}

/** Waits for the webhook of a verification's verdict. */
export async function untilTold({ completed }: Receiver, id: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!completed.has(id)) {
    if (Date.now() > deadline) throw new Error(`no webhook of ${id} came within ${PATIENCE_MS} ms`);
    await sleep(5);
  }
}

export async function startReceiver(): Promise<Receiver> {
  const sent = new Map<string, number>();
  const completed: Receiver['completed'] = new Map();
  const { url, received, close } = await receiveWebhooks((response, { event, at }) => {
    response.writeHead(204).end();
    received.length = 0;
    if (event.type !== 'verification.completed') return;
    completed.set(event.data.id, { verdictAt: Date.parse(event.data.completed_at!), arrivedAt: at });
  });
  return {
    url,
    sent,
    completed,
    reset() {
      sent.clear();
      completed.clear();
    },
    close,
  };
}
