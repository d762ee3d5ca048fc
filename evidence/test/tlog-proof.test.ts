import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { utf8 } from '../src/bytes.ts';
import { canonical, parseCanonical } from '../src/json.ts';
import { commitmentOf } from '../src/statement.ts';
import { formatProof, ProofFault, parseProof } from '../src/tlog-proof.ts';
import { testdata } from './vectors.ts';

const sha = (text: string) => new Uint8Array(createHash('sha256').update(text).digest());
const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

describe('tlog-proof', () => {
  const [h1, h2] = [sha('hash1'), sha('hash2')];
  it.each([
    [
      { index: 5n, hashes: [h1, h2], checkpoint: 'test checkpoint\n' },
      `c2sp.org/tlog-proof@v1\nindex 5\n${b64(h1)}\n${b64(h2)}\n\ntest checkpoint\n`,
    ],
    [
      { index: 10n, hashes: [h1], checkpoint: 'checkpoint data\n', extra: utf8('extra information') },
      `c2sp.org/tlog-proof@v1\nextra ${b64(utf8('extra information'))}\nindex 10\n${b64(h1)}\n\ncheckpoint data\n`,
    ],
    [{ index: 0n, hashes: [], checkpoint: 'checkpoint\n' }, 'c2sp.org/tlog-proof@v1\nindex 0\n\ncheckpoint\n'],
  ])('is written and read as transparency-dev/formats does (%#)', (proof, text) => {
    expect(formatProof(proof)).toBe(text);
    expect(parseProof(utf8(text))).toEqual(proof);
  });

  it.each([
    ['wrong-header\nindex 0\n\ncheckpoint\n', 'first line'],
    ['c2sp.org/tlog-proof@v1\nextra !!notbase64!!\nindex 0\n\ncheckpoint\n', 'extra data'],
    ['c2sp.org/tlog-proof@v1\n\n\ncheckpoint\n', 'index'],
    ['c2sp.org/tlog-proof@v1\nindex notanumber\n\ncheckpoint\n', 'index'],
    ['c2sp.org/tlog-proof@v1\nindex -5\n\ncheckpoint\n', 'index'],
    ['c2sp.org/tlog-proof@v1\nindex 007\n\ncheckpoint\n', 'index'],
    ['c2sp.org/tlog-proof@v1\nindex 0\n!!notbase64!!\n\ncheckpoint\n', 'hash'],
    [`c2sp.org/tlog-proof@v1\nindex 0\n${b64(new Uint8Array(64))}\n\ncheckpoint\n`, 'hash'],
    [`c2sp.org/tlog-proof@v1\nindex 0\n${'a'.repeat(65 * 1024)}\n`, 'empty line'],
  ])('refuses %j', (text, reason) => {
    expect(() => parseProof(utf8(text))).toThrow(ProofFault);
    expect(() => parseProof(utf8(text))).toThrow(reason);
  });
});

describe('canonical', () => {
  const vectors = testdata<Record<string, { input: string; outhex: string }>>('jcs.json');
  it.each(Object.entries(vectors))('writes %s like RFC 8785', (_, { input, outhex }) => {
    expect(Buffer.from(canonical(JSON.parse(input))).toString('hex')).toBe(outhex);
  });

  it('throws on a lone surrogate', () => expect(() => canonical({ a: '\ud800' })).toThrow());

  it.each(['{"a":1,"a":1}', '{ "a":1}', '{"b":1,"a":1}', '{"a":1.0}', '"\\u0041"', '{"a":1}\n', '\ufeff{}', 'nul'])(
    'is the only accepted spelling: not %j',
    text => expect(() => parseCanonical(utf8(text))).toThrow(),
  );
});

describe('commitmentOf', () => {
  it('equals sha256sum of context, salt and canonical statement', () => {
    const salt = new Uint8Array(32).fill(7);
    const expected = createHash('sha256')
      .update('firsthand/commit/v1\n')
      .update(salt)
      .update('{"a":1,"b":2}')
      .digest('hex');
    expect(Buffer.from(commitmentOf(salt, { b: 2, a: 1 })).toString('hex')).toBe(expected);
  });
});
