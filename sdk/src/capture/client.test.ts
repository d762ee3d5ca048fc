import { afterEach, expect, test, vi } from 'vitest';
import { createCaptureClient } from './client.ts';
import { NetworkError } from './errors.ts';

afterEach(() => vi.restoreAllMocks());

const never = new Promise<never>(() => {});

test('createCaptureClient gives up after its time limit, whatever the fetch of an app makes of its signal', async () => {
  // React Native has none.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    throw new TypeError('AbortSignal.timeout is not a function');
  });
  const stuck = new Response();
  vi.spyOn(stuck, 'json').mockReturnValue(never);
  for (const answer of [() => never, async () => stuck]) {
    const signals: (AbortSignal | null | undefined)[] = [];
    const client = createCaptureClient({
      token: 'vfy_1',
      timeoutMs: 5,
      fetch: (_, init) => {
        signals.push(init?.signal);
        return answer();
      },
    });
    const lost = await client.view().catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(NetworkError);
    expect((lost as NetworkError).cause).toMatchObject({ message: 'No answer within 5 ms.' });
    expect(signals.map(signal => signal?.aborted)).toEqual([true]);
  }
  const client = createCaptureClient({ token: 'vfy_1', fetch: async () => Response.json({ id: 'vfy_1' }) });
  expect(await client.view()).toEqual({ id: 'vfy_1' });
});
