import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createCaptureClient } from './client.ts';
import { sha256Hex } from './digest.ts';
import { ApiError, NetworkError } from './errors.ts';
import { submissionOrder } from './order.ts';
import { type SendResult, sendHeld } from './outbox.ts';
import type { Put } from './put.ts';
import { type CaptureStore, memoryStore } from './store.ts';
import { type TraceParts, traceBlob } from './trace.ts';
import type { CaptureView, DeviceLocation, TraceHeader } from './wire.ts';

// The vectors of docs/capture-protocol.md: whatever port passes them sends as this package does.
const vectorsOf = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../../docs/vectors/${name}.json`, import.meta.url), 'utf8')) as T;

interface Request {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
  body_sha256?: string;
}
type Answer = { status: number; headers?: Record<string, string>; body?: unknown } | null;
type Exchange = { request: Request; answer: Answer } | { wait_ms: { at_least: number; at_most: number } };

interface HeldPhoto {
  id: string;
  step_key: string;
  content_type: string;
  bytes_base64: string;
  sha256: string;
  surface: string;
  captured_at: string;
  location?: DeviceLocation;
  image_key?: string;
  session?: { challenge_id: string; trace_base64: string; trace_sha256: string; trace_key?: string };
}

interface Sending {
  token: string;
  base_url: string;
  vectors: {
    name: string;
    device: { captures: HeldPhoto[]; answers: Record<string, string> };
    exchanges: Exchange[];
    end: unknown;
    left: { captures: string[]; answers: Record<string, string> };
  }[];
}

const bytesOf = (base64: string): ArrayBuffer => Uint8Array.from(Buffer.from(base64, 'base64')).buffer;
const sha256 = (bytes: ArrayBuffer): string => createHash('sha256').update(new Uint8Array(bytes)).digest('hex');

async function storeOf(token: string, { captures, answers }: Sending['vectors'][number]['device']) {
  const store = memoryStore();
  for (const { session, ...photo } of captures) {
    await store.putCapture({
      id: photo.id,
      token,
      stepKey: photo.step_key,
      bytes: bytesOf(photo.bytes_base64),
      contentType: photo.content_type,
      sha256: photo.sha256,
      surface: photo.surface,
      capturedAt: photo.captured_at,
      ...(photo.location ? { location: photo.location } : {}),
      ...(photo.image_key ? { imageKey: photo.image_key } : {}),
      ...(session
        ? {
            session: {
              challengeId: session.challenge_id,
              trace: bytesOf(session.trace_base64),
              traceSha256: session.trace_sha256,
              ...(session.trace_key ? { traceKey: session.trace_key } : {}),
            },
          }
        : {}),
    });
  }
  for (const [key, value] of Object.entries(answers)) await store.putAnswer({ token, key, value });
  return store;
}

/** Plays the service of a vector: each request and each wait must be the next one that the vector lists. */
function playing(exchanges: readonly Exchange[]) {
  const left = [...exchanges];
  const answer = (request: Request) => {
    const next = left.shift();
    expect(request).toEqual(next && 'request' in next ? next.request : next);
    return (next as { answer: Answer }).answer;
  };
  const doFetch: typeof fetch = async (url, init = {}) => {
    const found = answer({
      method: init.method ?? 'GET',
      url: String(url),
      ...(init.headers ? { headers: init.headers as Record<string, string> } : {}),
      ...(init.body ? { body: JSON.parse(String(init.body)) as unknown } : {}),
    });
    if (!found) throw new TypeError('offline');
    return new Response(JSON.stringify(found.body), { status: found.status, headers: found.headers ?? {} });
  };
  const put: Put = async ({ method, upload_url: url, headers }, bytes) => {
    const found = answer({ method, url, headers, body_sha256: sha256(bytes) });
    if (!found) throw new NetworkError();
    if (found.status >= 300) throw new ApiError(found.status, `http_${found.status}`, '');
  };
  const pause = async (ms: number) => {
    const next = left.shift() as { wait_ms?: { at_least: number; at_most: number } } | undefined;
    expect(next?.wait_ms, `no wait of ${ms} ms here`).toBeDefined();
    expect(ms).toBeGreaterThanOrEqual(next!.wait_ms!.at_least);
    expect(ms).toBeLessThanOrEqual(next!.wait_ms!.at_most);
  };
  return { fetch: doFetch, put, pause, left };
}

/** How sending ended, in the words of the vectors. */
function endOf(result: SendResult): object {
  const { outcome } = result;
  if (result.outcome === 'done') return { outcome, unneeded: result.unneeded };
  if (result.outcome === 'closed') return { outcome, status: result.view.status };
  if (result.outcome === 'refused') return { outcome, step_key: result.stepKey, code: result.code };
  const faults = Object.entries(result.faults).map(([key, { code }]) => [key, code]);
  return { outcome, faults: Object.fromEntries(faults) };
}

const leftIn = async (store: CaptureStore, token: string) => ({
  captures: (await store.captures(token)).map(({ id }) => id),
  answers: await store.answers(token),
});

describe('sendHeld passes docs/vectors/sending.json', () => {
  const { token, base_url: baseUrl, vectors } = vectorsOf<Sending>('sending');
  test.each(vectors)('$name', async ({ device, exchanges, end, left }) => {
    const store = await storeOf(token, device);
    const service = playing(exchanges);
    const client = createCaptureClient({ token, baseUrl, fetch: service.fetch });
    const ended = await sendHeld({ client, store, put: service.put, pause: service.pause }).then(endOf, error => ({
      outcome: 'error',
      code: (error as ApiError).code ?? String(error),
    }));
    expect(ended).toEqual(end);
    expect(service.left).toEqual([]);
    expect(await leftIn(store, token)).toEqual(left);
  });
});

test('submissionOrder passes docs/vectors/order.json', () => {
  const { vectors } = vectorsOf<{
    vectors: {
      name: string;
      steps: CaptureView['config']['steps'];
      step_states: CaptureView['step_states'];
      held: { id: string; step_key: string }[];
      submit: string[];
    }[];
  }>('order');
  for (const { name, steps, step_states, held, submit } of vectors) {
    const view = { config: { steps }, step_states } as CaptureView;
    const photos = held.map(({ id, step_key: stepKey }) => ({ id, stepKey }));
    expect(
      submissionOrder(view, photos).map(({ id }) => id),
      name,
    ).toEqual(submit);
  }
});

test('digests pass docs/vectors/digests.json', async () => {
  const { sha256: digests, attestation } = vectorsOf<{
    sha256: { bytes_base64: string; hex: string }[];
    attestation: {
      token: string;
      image_sha256: string;
      signed_text: string;
      client_data_hash_hex: string;
      request_hash: string;
    }[];
  }>('digests');
  for (const { bytes_base64, hex } of digests) expect(await sha256Hex(bytesOf(bytes_base64))).toBe(hex);
  for (const { token, image_sha256, signed_text, client_data_hash_hex, request_hash } of attestation) {
    expect(signed_text).toBe(`${token}.${image_sha256}`);
    expect(await sha256Hex(new TextEncoder().encode(signed_text).buffer)).toBe(client_data_hash_hex);
    expect(Buffer.from(client_data_hash_hex, 'hex').toString('base64url')).toBe(request_hash);
  }
});

test('traceBlob passes docs/vectors/trace.json', () => {
  type Coded = { jpeg_base64: string };
  const { began_at, vectors } = vectorsOf<{
    began_at: { issued_at: string; received_at_ms: number; first_frame_at_ms: number; began_at: number }[];
    vectors: {
      parts: Omit<TraceParts, 'frames' | 'crops'> & {
        frames: (Coded & { at: number })[];
        crops: (Coded & { frame: number; x: number; y: number })[];
      };
      file_base64: string;
      file_bytes: number;
      header_bytes: number;
    }[];
  }>('trace');
  for (const { issued_at, received_at_ms, first_frame_at_ms, began_at: began } of began_at) {
    expect(Date.parse(issued_at) + first_frame_at_ms - received_at_ms).toBe(began);
  }
  const decoded = (file: Buffer) => {
    const length = file.readUInt32BE(0);
    const header = JSON.parse(file.subarray(4, 4 + length).toString('utf8')) as TraceHeader;
    return { length, header, pictures: file.subarray(4 + length) };
  };
  for (const { parts, file_base64, file_bytes, header_bytes } of vectors) {
    const uncoded = <T extends Coded>({ jpeg_base64, ...rest }: T) => ({ ...rest, jpeg: bytesOf(jpeg_base64) });
    const made = traceBlob({ ...parts, frames: parts.frames.map(uncoded), crops: parts.crops.map(uncoded) });
    const file = Buffer.from(file_base64, 'base64');
    expect([file.length, decoded(file).length]).toEqual([file_bytes, header_bytes]);
    expect(decoded(Buffer.from(made))).toEqual(decoded(file));
  }
});
