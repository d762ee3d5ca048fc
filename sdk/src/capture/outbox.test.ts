import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type CaptureClient, createCaptureClient } from './client.ts';
import { ApiError, NetworkError } from './errors.ts';
import { sendHeld } from './outbox.ts';
import type { Put } from './put.ts';
import type { SendProgress } from './sending.ts';
import { type HeldCapture, memoryStore } from './store.ts';
import type { CaptureView, Step } from './wire.ts';

const neverUploaded = (path: string) => ({ path, message: 'was never uploaded', code: 'not_uploaded' });
const DIGITS_ONLY = {
  path: 'answers.policy',
  message: 'must hold digits only',
  code: 'format',
  params: { format: 'numeric_id' },
};

const image = (key: string, min: number, max: number): Step => ({ type: 'image', key, description: '', min, max });

/** Fakes the part of the service that sending uses, over a network that may fail before or after each request. */
function fakeService(steps: Step[], fails: () => 'no' | 'before' | 'after' | number = () => 'no') {
  const uploaded = new Set<string>();
  const captures = new Map<string, { stepKey: string; key: string; idempotencyKey: string; traceKey?: string }>();
  /** Content types by upload. */
  const types = new Map<string, string>();
  const answers: Record<string, string> = {};
  let minted = 0;
  let status: CaptureView['status'] = 'pending';
  const view = (): CaptureView => ({
    id: 'vfy_1',
    status,
    capture_url: 'https://x/v/vfy_1',
    created_at: '2026-01-01T00:00:00Z',
    expires_at: '2026-01-01T01:00:00Z',
    captures_count: captures.size,
    config: { max_captures: 20, steps, signals_required: ['screen'] },
    requires: { location: false, motion_frame: false },
    step_states: steps.map(step => {
      const captured = [...captures.values()].filter(capture => capture.stepKey === step.key).length;
      return step.type === 'text'
        ? { key: step.key, type: 'text', answered: step.key in answers }
        : { key: step.key, type: step.type, captured, remaining: step.max - captured };
    }),
  });
  async function through<T>(action: () => T): Promise<T> {
    const fault = fails();
    if (typeof fault === 'number')
      throw new ApiError(fault, fault === 503 ? 'storage_unavailable' : `http_${fault}`, '');
    if (fault === 'before') throw new NetworkError();
    const result = action();
    if (fault === 'after') throw new NetworkError();
    return result;
  }
  const client = {
    token: 'vfy_1',
    view: () => through(view),
    uploadUrl: ({ contentType }: { contentType: string }) =>
      through(() => {
        types.set(`k/cap_${++minted}`, contentType);
        return {
          capture_id: `cap_${minted}`,
          image_key: `k/cap_${minted}`,
          upload_url: `u/cap_${minted}`,
          method: 'PUT' as const,
          headers: {},
          expires_at: '',
        };
      }),
    submit: (capture: { image_key: string; step_key?: string; trace_key?: string }, idempotencyKey: string) =>
      through(() => {
        const { trace_key } = capture;
        if (trace_key !== undefined && !uploaded.has(trace_key)) {
          throw new ApiError(400, 'invalid_request', '', [neverUploaded('trace_key')]);
        }
        const known = [...captures.values()].some(
          other => other.key === capture.image_key || other.idempotencyKey === idempotencyKey,
        );
        if (known) return view();
        if (status !== 'pending') throw new ApiError(409, 'verification_closed', '');
        if (!uploaded.has(capture.image_key)) {
          throw new ApiError(400, 'invalid_request', '', [neverUploaded('image_key')]);
        }
        const step = steps.find(candidate => candidate.key === capture.step_key)!;
        const count = [...captures.values()].filter(other => other.stepKey === step.key).length;
        if (step.type !== 'text' && count >= step.max) throw new ApiError(409, 'step_full', '');
        captures.set(capture.image_key, {
          stepKey: step.key,
          key: capture.image_key,
          idempotencyKey,
          ...(trace_key === undefined ? {} : { traceKey: trace_key }),
        });
        return view();
      }),
    answers: (given: Record<string, string>) =>
      through(() => {
        Object.assign(answers, given);
        return view();
      }),
  } as unknown as CaptureClient;
  const put: Put = (target, bytes, options) =>
    through(() => {
      if (uploaded.has(target.image_key)) throw new ApiError(412, 'http_412', '');
      options?.onProgress?.(bytes.byteLength);
      uploaded.add(target.image_key);
    });
  return {
    client,
    put,
    captures,
    types,
    answers,
    forgetUploads: () => uploaded.clear(),
    close: (next: CaptureView['status']) => {
      status = next;
    },
  };
}

const held = (id: string, stepKey: string, at = 0): HeldCapture => ({
  id,
  token: 'vfy_1',
  stepKey,
  bytes: new ArrayBuffer(10),
  contentType: 'image/jpeg',
  sha256: 'x',
  surface: 'web',
  capturedAt: new Date(at).toISOString(),
});

const withSession = (capture: HeldCapture): HeldCapture => ({
  ...capture,
  session: { challengeId: 'chl_1', trace: new ArrayBuffer(30), traceSha256: 'y' },
});

async function storeWith(...captures: HeldCapture[]) {
  const store = memoryStore();
  for (const capture of captures) await store.putCapture(capture);
  return store;
}

const pause = async () => {};

describe('sendHeld', () => {
  test('delivers each capture exactly once and keeps none, whatever the network loses', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.infiniteStream(fc.constantFrom('no', 'no', 'before', 'after', 503, 403) as fc.Arbitrary<'no' | number>),
        fc.integer({ min: 1, max: 4 }),
        async (faults, count) => {
          // Sending gives up after several consecutive stale URLs, so inject these faults one at a time.
          let last: unknown;
          const service = fakeService([image('a', 1, 9)], () => {
            let next = faults.next().value ?? 'no';
            if (next === 403 && last !== 'no') next = 'no';
            last = next;
            return next;
          });
          const store = await storeWith(
            ...Array.from({ length: count }, (_, i) =>
              i % 2 ? held(`c${i}`, 'a', i) : withSession(held(`c${i}`, 'a', i)),
            ),
          );
          await store.putAnswer({ token: 'vfy_1', key: 't', value: 'yes' });
          for (let visit = 0; (await store.captures('vfy_1')).length > 0 || visit === 0; visit++) {
            const sent = sendHeld({ client: service.client, store, put: service.put, pause });
            // A bare 403 outside the PUT does not come from the service. The page reports it and the person retries.
            await sent.catch(error => expect(error).toMatchObject({ code: 'http_403' }));
            if (visit > 50) throw new Error('never arrives');
          }
          const keys = [...service.captures.values()].map(capture => capture.idempotencyKey);
          expect(keys.sort()).toEqual(Array.from({ length: count }, (_, i) => `c${i}`));
        },
      ),
      { numRuns: 200 },
    );
  });

  test('sends optional captures before the last required one, and answers last', async () => {
    const steps = [image('front', 1, 2), image('extra', 0, 2), image('back', 1, 1)];
    const service = fakeService(steps);
    const store = await storeWith(
      held('1', 'front', 1),
      held('2', 'back', 2),
      held('3', 'extra', 3),
      held('4', 'front', 4),
    );
    await store.putAnswer({ token: 'vfy_1', key: 'note', value: 'hello' });
    const result = await sendHeld({ client: service.client, store, put: service.put, pause });
    expect(result.outcome).toBe('done');
    const order = [...service.captures.values()].map(capture => capture.idempotencyKey);
    expect(order[0]).toBe('3');
    expect(order.at(-1)).toBe('4');
    expect(service.answers).toEqual({ note: 'hello' });
    expect(await store.answers('vfy_1')).toEqual({});
  });

  test('sends without a lock where the browser refuses one', async () => {
    const denied = new DOMException('The request was denied.', 'SecurityError');
    vi.stubGlobal('navigator', { locks: { request: () => Promise.reject(denied) } });
    const service = fakeService([image('a', 1, 1)]);
    const store = await storeWith(held('1', 'a'));
    const result = await sendHeld({ client: service.client, store, put: service.put, pause });
    vi.unstubAllGlobals();
    expect(result.outcome).toBe('done');
    expect(service.captures.size).toBe(1);
  });

  test('uploads bytes again that the service lost', async () => {
    const service = fakeService([image('a', 1, 1)]);
    const store = await storeWith({ ...held('1', 'a'), imageKey: 'k/cap_gone' });
    const result = await sendHeld({ client: service.client, store, put: service.put, pause });
    expect(result.outcome).toBe('done');
    expect(service.captures.size).toBe(1);
  });

  test('drops and names a picture that the service cannot read, and keeps the others', async () => {
    const service = fakeService([image('a', 1, 1), image('b', 1, 1)]);
    const refuse: Put = async (target, bytes, options) => {
      if (target.image_key === 'k/cap_2') throw new ApiError(400, 'invalid_request', 'no picture');
      return service.put(target, bytes, options);
    };
    const store = await storeWith(held('1', 'a', 1), held('2', 'b', 2));
    const result = await sendHeld({ client: service.client, store, put: refuse, pause });
    expect(result).toMatchObject({ outcome: 'refused', stepKey: 'b' });
    expect((await store.captures('vfy_1')).map(capture => capture.id)).toEqual(['1']);
  });

  test('drops surplus captures of a step that another tab filled, and sends the rest', async () => {
    const service = fakeService([image('a', 1, 1), image('b', 1, 1)]);
    const first = await storeWith(held('other', 'a'));
    await sendHeld({ client: service.client, store: first, put: service.put, pause });
    const store = await storeWith(held('1', 'a', 1), held('2', 'b', 2));
    const result = await sendHeld({ client: service.client, store, put: service.put, pause });
    expect(result).toMatchObject({ outcome: 'done', unneeded: 1 });
    expect([...service.captures.values()].map(capture => capture.idempotencyKey)).toEqual(['other', '2']);
  });

  test('ends when the link closed meanwhile, and succeeds when it completed meanwhile', async () => {
    const expired = fakeService([image('a', 1, 1)]);
    expired.close('expired');
    const kept = await storeWith(held('1', 'a'));
    expect(await sendHeld({ client: expired.client, store: kept, put: expired.put, pause })).toMatchObject({
      outcome: 'closed',
      view: { status: 'expired' },
    });
    const completed = fakeService([image('a', 1, 2)]);
    completed.close('completed');
    const store = await storeWith(held('1', 'a'));
    expect(await sendHeld({ client: completed.client, store, put: completed.put, pause })).toMatchObject({
      outcome: 'done',
      unneeded: 1,
    });
    expect(await store.captures('vfy_1')).toEqual([]);
  });

  test('returns refused answers by step key, and keeps them', async () => {
    const service = fakeService([image('a', 0, 1)]);
    const client: CaptureClient = {
      ...service.client,
      answers: async () => {
        throw new ApiError(400, 'invalid_request', '', [DIGITS_ONLY]);
      },
    };
    const store = await storeWith();
    await store.putAnswer({ token: 'vfy_1', key: 'policy', value: 'x' });
    const result = await sendHeld({ client, store, put: service.put, pause });
    expect(result).toEqual({ outcome: 'answers_refused', faults: { policy: DIGITS_ONLY } });
    expect(await store.answers('vfy_1')).toEqual({ policy: 'x' });
  });

  test('reports progress that never decreases without failures and ends with everything sent', async () => {
    const service = fakeService([image('a', 2, 3)]);
    const store = await storeWith(held('1', 'a', 1), held('2', 'a', 2));
    const seen: SendProgress[] = [];
    await sendHeld({
      client: service.client,
      store,
      put: service.put,
      pause,
      onProgress: progress => seen.push(progress),
    });
    const bytes = seen.map(progress => progress.sentBytes);
    expect(bytes).toEqual([...bytes].sort((a, b) => a - b));
    expect(seen.at(-1)).toEqual({ state: 'finishing', sentBytes: 20, totalBytes: 20, sent: 2, total: 2 });
  });

  test('waits as long as Retry-After says, and leaves a wait over ten minutes to the caller', async () => {
    const asked = ['300', '601', '2592000', 'Tue, 01 Jan 2999 00:00:00 GMT'];
    const server = createServer((_, response) => response.writeHead(503, { 'retry-after': asked.shift()! }).end());
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const store = await storeWith(held('1', 'a'));
    const waits: number[] = [];
    const wait = async (ms: number) => void waits.push(ms);
    const client = createCaptureClient({ token: 'vfy_1', baseUrl, timeoutMs: Number.POSITIVE_INFINITY });
    for (const left of [2, 1, 0]) {
      const error = (await sendHeld({ client, store, pause: wait }).catch(cause => cause)) as ApiError;
      expect([error.status, asked.length, waits]).toEqual([503, left, [300_000]]);
      expect(error.retryAfterMs).toBeGreaterThan(600_000);
    }
    expect(await store.captures('vfy_1')).toHaveLength(1);
    server.close();
  });

  test('keeps everything when stopped', async () => {
    const service = fakeService([image('a', 1, 1)], () => 'before');
    const store = await storeWith(held('1', 'a'));
    const stop = new AbortController();
    const sending = sendHeld({
      client: service.client,
      store,
      put: service.put,
      signal: stop.signal,
      pause: async () => stop.abort(),
    });
    await expect(sending).rejects.toThrow(NetworkError);
    expect(await store.captures('vfy_1')).toHaveLength(1);
  });

  test('uploads the trace as such and names it in the submission, with its bytes in the progress', async () => {
    const service = fakeService([image('a', 1, 1)]);
    const store = await storeWith(withSession(held('1', 'a')));
    const seen: SendProgress[] = [];
    const submitted: unknown[] = [];
    const client: CaptureClient = {
      ...service.client,
      submit: (capture, key) => {
        submitted.push(capture);
        return service.client.submit(capture, key);
      },
    };
    const onProgress = (progress: SendProgress) => seen.push(progress);
    expect((await sendHeld({ client, store, put: service.put, pause, onProgress })).outcome).toBe('done');
    expect([...service.types]).toEqual([
      ['k/cap_1', 'image/jpeg'],
      ['k/cap_2', 'application/vnd.firsthand.trace'],
    ]);
    expect(submitted).toMatchObject([{ challenge_id: 'chl_1', trace_key: 'k/cap_2', trace_sha256: 'y' }]);
    expect(seen.at(-1)).toMatchObject({ sentBytes: 40, totalBytes: 40 });
  });

  test('does not upload again, after an interruption, what the service has of photo and trace', async () => {
    const service = fakeService([image('a', 1, 1)]);
    const store = await storeWith(withSession(held('1', 'a')));
    const stop = new AbortController();
    const interrupted: Put = async (target, bytes, options) => {
      if (bytes.byteLength === 30) stop.abort();
      if (stop.signal.aborted) throw new NetworkError();
      return service.put(target, bytes, options);
    };
    const first = sendHeld({ client: service.client, store, put: interrupted, pause, signal: stop.signal });
    await expect(first).rejects.toThrow(NetworkError);
    expect(await store.captures('vfy_1')).toMatchObject([{ imageKey: 'k/cap_1', session: { challengeId: 'chl_1' } }]);
    expect((await sendHeld({ client: service.client, store, put: service.put, pause })).outcome).toBe('done');
    expect([...service.captures.values()]).toMatchObject([{ key: 'k/cap_1', traceKey: 'k/cap_3' }]);
  });

  test('uploads a trace again that the service lost', async () => {
    const service = fakeService([image('a', 1, 1)]);
    const held1 = withSession(held('1', 'a'));
    const store = await storeWith({ ...held1, session: { ...held1.session!, traceKey: 'k/cap_gone' } });
    expect((await sendHeld({ client: service.client, store, put: service.put, pause })).outcome).toBe('done');
    expect([...service.captures.values()]).toMatchObject([{ traceKey: 'k/cap_2' }]);
  });

  test('sends the photo without its trace to a service that takes none', async () => {
    for (const refusesUpload of [true, false]) {
      const service = fakeService([image('a', 1, 1)]);
      const client: CaptureClient = {
        ...service.client,
        uploadUrl: async request => {
          if (refusesUpload && request.contentType !== 'image/jpeg')
            throw new ApiError(400, 'invalid_request', '', [
              { path: 'contentType', message: 'must be a picture', code: 'unsupported_type' },
            ]);
          return service.client.uploadUrl(request);
        },
        submit: async (capture, key) => {
          const unknown = ['challenge_id', 'trace_key', 'trace_sha256'].filter(name => name in capture);
          const fields = unknown.map(path => ({ path, message: 'is not allowed', code: 'unknown_property' }));
          if (fields.length > 0) throw new ApiError(400, 'invalid_request', '', fields);
          return service.client.submit(capture, key);
        },
      };
      const store = await storeWith(withSession(held('1', 'a')));
      expect((await sendHeld({ client, store, put: service.put, pause })).outcome).toBe('done');
      expect(service.captures.size).toBe(1);
    }
  });
});
