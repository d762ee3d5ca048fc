import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64 } from './base64.ts';

const decode = (text: string, most = 1_000) => decodeBase64(Buffer.from(text), most);

describe('decodeBase64', () => {
  it('decodes padded and unpadded text, however JSON escaped it', async () => {
    const escapes = fc.constantFrom<(c: string) => string>(
      c => c,
      c => c.replace('/', '\\/'),
      c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 60 }),
        fc.boolean(),
        escapes,
        async (bytes, pad, escaped) => {
          const base64 = Buffer.from(bytes).toString('base64');
          const text = [...(pad ? base64 : base64.replace(/=+$/, ''))].map(escaped).join('');
          expect(JSON.parse(`"${text}"`).replace(/=+$/, '')).toBe(base64.replace(/=+$/, ''));
          expect(await decode(text)).toEqual(Buffer.from(bytes));
        },
      ),
    );
  });

  it('decodes texts of many slices', async () => {
    for (const size of [786_431, 786_432, 786_433, 3_000_001]) {
      const bytes = randomBytes(size);
      const decoded = await decode(bytes.toString('base64'), size);
      expect(bytes.equals(decoded as Buffer), `${size}`).toBe(true);
    }
  });

  it('passes over a data: prefix, line breaks and spaces', async () => {
    const bytes = randomBytes(200);
    const base64 = bytes.toString('base64');
    const lines = base64.replace(/.{76}/g, '$&\\r\\n');
    for (const text of [
      `${base64}\\n`,
      `data:image/jpeg;base64,${base64}`,
      `data:image/png;name=a.png;base64,${lines}`,
      lines,
      `  ${base64} `,
      `data:image\\/jpeg;base64,${base64}\\n`,
    ]) {
      expect([text, await decode(text)]).toEqual([text, bytes]);
    }
    expect(await decode('data:image/jpeg,abcd')).toBe('malformed');
  });

  it('refuses foreign characters and impossible lengths', async () => {
    for (const text of ['', '=', '==', 'A', 'AAAAA', 'AA=A', 'AA===', '-A', 'A_AA', 'AAA!', 'ÄÄÄÄ', '\\u00', 'AA\\']) {
      expect([text, await decode(text)]).toEqual([text, 'malformed']);
    }
    expect(await decode(`${'A'.repeat(1_048_576)}!AAA`, 2_000_000)).toBe('malformed');
  });

  it('refuses oversized text before decoding it', async () => {
    expect(await decode('A'.repeat(1_336), 1_000)).toBe('too_large');
    expect(await decode(Buffer.alloc(1_000).toString('base64'), 1_000)).toEqual(Buffer.alloc(1_000));
    expect(await decode('\\'.repeat(100_000), 1_000)).toBe('too_large');
  });
});
