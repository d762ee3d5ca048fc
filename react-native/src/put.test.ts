import { ApiError, NetworkError } from '@firsthand/sdk/capture';
import { expect, test, vi } from 'vitest';
import type { Files } from './phone.ts';
import { putFrom } from './put.ts';

const target = {
  capture_id: 'cap_1',
  image_key: 'k',
  upload_url: 'https://store.example/1',
  method: 'PUT' as const,
  headers: { 'content-type': 'image/jpeg' },
  expires_at: '',
};
const file = { path: 'a/b.photo', byteLength: 3 };
const put = (upload: Files['upload']) => putFrom({ upload } as Files);

test('putFrom rejects an answer that is not 2xx with its status, though the upload resolves', async () => {
  await put(async () => 204)(target, file);
  await expect(put(async () => 403)(target, file)).rejects.toMatchObject({ code: 'http_403', status: 403 });
  await expect(put(async () => 302)(target, file)).rejects.toBeInstanceOf(ApiError);
  await expect(put(() => Promise.reject(new Error('lost')))(target, file)).rejects.toBeInstanceOf(NetworkError);
});

test('putFrom ends an upload that never settles: when no byte moves, and when it is told to stop', async () => {
  const aborted: boolean[] = [];
  const never: Files['upload'] = (_, { signal }) => {
    signal.addEventListener('abort', () => aborted.push(true));
    return new Promise(() => {});
  };
  await expect(put(never)(target, file, { stallMs: 1 })).rejects.toBeInstanceOf(NetworkError);
  const ending = new AbortController();
  const stopped = put(never)(target, file, { signal: ending.signal });
  ending.abort();
  await expect(stopped).rejects.toBeInstanceOf(NetworkError);
  await expect(put(never)(target, file, { signal: ending.signal })).rejects.toBeInstanceOf(NetworkError);
  expect(aborted).toEqual([true, true]);
});

test('putFrom does not count the time that the app was suspended', async () => {
  vi.useFakeTimers();
  try {
    let arrive = (_status: number) => {};
    const slow: Files['upload'] = () => new Promise(resolve => (arrive = resolve));
    const sending = put(slow)(target, file);
    // A suspended app runs no timer, and its clock goes on.
    vi.setSystemTime(Date.now() + 600_000);
    await vi.advanceTimersByTimeAsync(30_000);
    arrive(200);
    await expect(sending).resolves.toBeUndefined();
    const lost = put(slow)(target, file);
    const ended = expect(lost).rejects.toBeInstanceOf(NetworkError);
    await vi.advanceTimersByTimeAsync(30_000);
    await ended;
  } finally {
    vi.useRealTimers();
  }
});
