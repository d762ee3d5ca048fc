import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { randomId, sha256Hex, withoutSubtle } from './digest.ts';

test('sha256Hex equals the digest of Node.js, also without crypto.subtle', async () => {
  for (const length of [0, 1, 55, 56, 64, 300]) {
    const bytes = Uint8Array.from({ length }, (_, at) => at);
    const expected = createHash('sha256').update(bytes).digest('hex');
    expect(await sha256Hex(bytes.buffer)).toBe(expected);
    expect(Buffer.from(await withoutSubtle(bytes)).toString('hex')).toBe(expected);
  }
});

test('randomId gives UUIDs version 4 that do not repeat', () => {
  const ids = Array.from({ length: 1000 }, randomId);
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
