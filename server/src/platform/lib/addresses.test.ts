import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalAddress, forwardedAddress, isWithin } from './addresses.ts';

describe('forwardedAddress', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    [' 203.0.113.7:4711 ', '203.0.113.7'],
    ['"203.0.113.7:4711"', '203.0.113.7'],
    ['2001:DB8:0:0::7', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['"[2001:db8::7]:4711"', '2001:db8::7'],
    ['[2001:db8::7]:_port', '2001:db8::7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['[::ffff:cb00:7107]:80', '203.0.113.7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:80', 'fe80::1'],
  ])('forwardedAddress reads %j', (entry, address) => {
    expect(forwardedAddress(entry)).toBe(address);
  });

  it.each([
    '',
    'unknown',
    '_hidden',
    '"_gazonk"',
    '203.0.113',
    '0x7f.1',
    '1',
    '256.1.1.1:80',
    'example.com:80',
    '[]:80',
    '[2001:db8::7',
    '1.2.3.4:80:90',
    '::1::',
  ])('forwardedAddress finds no address in %j', entry => {
    expect(forwardedAddress(entry)).toBeNull();
  });

  it('forwardedAddress gives one address however a proxy writes it', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(address, fc.integer({ min: 1, max: 65_535 }), fc.boolean(), (text, port, quoted) => {
        const withPort = text.includes(':') ? `[${text}]:${port}` : `${text}:${port}`;
        expect(forwardedAddress(quoted ? `"${withPort}"` : withPort)).toBe(canonicalAddress(text));
        expect(canonicalAddress(canonicalAddress(text)!)).toBe(canonicalAddress(text));
      }),
    );
  });
});

describe('isWithin', () => {
  it('isWithin matches addresses and ranges of their own kind', () => {
    expect(isWithin(['10.0.0.0/8', '2001:db8::/32'], '10.9.8.7')).toBe(true);
    expect(isWithin(['10.0.0.0/8', '2001:db8::/32'], '2001:db8::1')).toBe(true);
    expect(isWithin(['127.0.0.1', '::1'], '::ffff:127.0.0.1')).toBe(true);
    expect(isWithin(['127.0.0.1', '::1'], '127.0.0.2')).toBe(false);
  });
});
