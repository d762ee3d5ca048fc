import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Asked, createAttester, type KeyState, type Keys, RETRY_AFTER_MS } from './attest.ts';
import { base64UrlOf, hexOf } from './codes.ts';
import type { AppAttest, PlayIntegrity } from './phone.ts';

const fault = (code: string) => Object.assign(new Error(code), { code: `ERR_APP_INTEGRITY_${code}` });
const sha256 = async (text: string) => createHash('sha256').update(text).digest();

function attesterOf(integrity: AppAttest | PlayIntegrity) {
  const waited: number[] = [];
  const wait = async (ms: number) => {
    waited.push(ms);
  };
  return { waited, attester: createAttester({ integrity: async () => integrity, sha256, wait }) };
}

function memoryKeys(): Keys {
  let kept: KeyState | undefined;
  return {
    key: async () => kept,
    putKey: async key => {
      kept = key;
    },
    changeKey: async (keyId, change) => {
      if (kept?.keyId === keyId) kept = change(kept);
    },
  };
}

const asked = (text: string, keys = memoryKeys()): Asked => ({
  text,
  keys,
  mayAssert: () => true,
  keep: async () => {},
  waitsMs: RETRY_AFTER_MS,
});

test('a request hash is the SHA-256 of the text in URL-safe base64 without padding', async () => {
  for (const length of [0, 1, 2, 3, 31, 32, 33]) {
    const bytes = createHash('shake256', { outputLength: 64 }).update(String(length)).digest().subarray(0, length);
    expect(base64UrlOf(bytes)).toBe(bytes.toString('base64url'));
    expect(hexOf(bytes)).toBe(bytes.toString('hex'));
  }
  const hashes: string[] = [];
  const { attester } = attesterOf({
    provider: 'play_integrity',
    prepare: async () => {},
    request: async hash => {
      hashes.push(hash);
      return 'token';
    },
  });
  const made = await attester.attest(asked('vfy_1.00'));
  expect(hashes).toEqual([createHash('sha256').update('vfy_1.00').digest('base64url')]);
  expect(JSON.parse(made.token)).toEqual({ provider: 'play_integrity', token: 'token' });
});

test('App Attest is asked for one thing at a time', async () => {
  let busy = 0;
  let most = 0;
  const slowly = async () => {
    busy += 1;
    most = Math.max(most, busy);
    await new Promise(resolve => setImmediate(resolve));
    busy -= 1;
    return 'AAAA';
  };
  const { attester } = attesterOf({ provider: 'app_attest', generateKey: slowly, attestKey: slowly, assert: slowly });
  const keys = memoryKeys();
  const tokens = await Promise.all(['a', 'b', 'c'].map(text => attester.attest(asked(text, keys))));
  expect(most).toBe(1);
  expect(tokens.map(({ order }) => order)).toEqual([0, 1, 2]);
});

test('only errors that may pass are tried again, after 5, 10 and 20 seconds, and with the same key', async () => {
  let made = 0;
  const failing = (code: string): AppAttest => ({
    provider: 'app_attest',
    generateKey: async () => `key ${++made}`,
    attestKey: () => Promise.reject(fault(code)),
    assert: () => Promise.reject(fault(code)),
  });
  const away = attesterOf(failing('SERVER_UNAVAILABLE'));
  const keys = memoryKeys();
  await expect(away.attester.attest(asked('a', keys))).rejects.toThrow('SERVER_UNAVAILABLE');
  expect([made, away.waited]).toEqual([1, [5_000, 10_000, 20_000]]);
  // The next photo of the same minute does not wait through them again.
  await expect(away.attester.attest(asked('b', keys))).rejects.toThrow('SERVER_UNAVAILABLE');
  expect([made, away.waited.length]).toEqual([1, 3]);

  const broken = attesterOf(failing('FEATURE_UNSUPPORTED'));
  await expect(broken.attester.attest(asked('a'))).rejects.toThrow('FEATURE_UNSUPPORTED');
  expect(broken.waited).toEqual([]);

  made = 0;
  const dead = attesterOf(failing('INVALID_KEY'));
  await expect(dead.attester.attest(asked('a'))).rejects.toThrow('INVALID_KEY');
  expect(made).toBe(2);
});

test('a stale provider is prepared once for all photos that wait', async () => {
  let prepared = 0;
  const { attester } = attesterOf({
    provider: 'play_integrity',
    prepare: async () => {
      prepared += 1;
    },
    request: async hash => {
      if (prepared < 2) throw fault('PROVIDER_INVALID');
      return hash;
    },
  });
  await Promise.all(['a', 'b', 'c'].map(text => attester.attest(asked(text))));
  expect(prepared).toBe(2);
});
