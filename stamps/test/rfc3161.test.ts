import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { StampFault, stampRequest, verifyStamp } from '../src/rfc3161.ts';
import { openAuthority } from './authority.ts';

const authority = openAuthority();
const other = openAuthority();
afterAll(() => {
  authority.close();
  other.close();
});

const utf8 = (text: string) => new TextEncoder().encode(text);
const message = utf8('evidence.example/log\n3\nroot\n\n\u2014 evidence.example/log AAAA\n');
const nonce = Uint8Array.from({ length: 16 }, (_, at) => 0x41 + at);
const imprint = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());
const response = authority.reply(stampRequest(imprint(message), nonce));

describe('verifyStamp', () => {
  it('accepts a stamp of openssl ts and names its authority', async () => {
    const stamp = await verifyStamp({ response, message, nonce, roots: authority.root });
    expect(stamp).toMatchObject({
      authority: 'Test stamps, Test authority',
      policy: '1.2.3.4.1',
      rootChecked: true,
      claimsQualified: false,
    });
    expect(Math.abs(Date.parse(stamp.at) - Date.now())).toBeLessThan(60_000);
    expect(await verifyStamp({ response, message })).toMatchObject({ rootChecked: false });
    // A Buffer shares its memory with others.
    expect(await verifyStamp({ response, message: Buffer.from(message) })).toMatchObject({ rootChecked: false });
  });

  it.each([
    ['over other bytes', { message: utf8('other') }, 'other bytes'],
    ['to another request', { nonce: new Uint8Array(16).fill(0x55) }, 'nonce'],
    ['under another root', { roots: other.root }, 'trusted root'],
    ['without a root', { roots: '' }, 'no root'],
    ['with bytes behind it', { response: Uint8Array.of(...response, 0) }, 'one DER structure'],
    ['that is cut', { response: response.slice(0, 200) }, ''],
    ['that is none', { response: new Uint8Array(0) }, ''],
  ])('refuses one %s', async (_, change, reason) => {
    const checked = verifyStamp({ response, message, nonce, ...change });
    await expect(checked).rejects.toThrow(StampFault);
    await checked.catch((error: Error) => expect(error.message).toContain(reason));
  });

  it('refuses a certificate with other uses than time stamping', async () => {
    const loose = openAuthority({ usage: 'critical,timeStamping,codeSigning' });
    try {
      // openssl itself may refuse such a certificate; then there is nothing to check.
      const reply = loose.reply(stampRequest(imprint(message), nonce));
      await expect(verifyStamp({ response: reply, message })).rejects.toThrow('only time stamping');
    } catch (error) {
      expect((error as { status?: number }).status ?? 1).toBeGreaterThan(0);
    } finally {
      loose.close();
    }
  });

  it('gives the same time and serial, or a fault, for every changed byte', async () => {
    const true_ = await verifyStamp({ response, message, roots: authority.root });
    let refused = 0;
    for (let at = 0; at < response.length; at += 7) {
      const changed = response.slice();
      changed[at]! ^= 0x04;
      try {
        const stamp = await verifyStamp({ response: changed, message, roots: authority.root });
        expect([at, stamp.at, stamp.serial]).toEqual([at, true_.at, true_.serial]);
      } catch (error) {
        expect([at, (error as Error).name]).toEqual([at, 'StampFault']);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(100);
  });
});
