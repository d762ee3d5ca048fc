import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEmailAddress } from './base/email-address.ts';
import { wordsOfPattern } from './base/patterns.ts';
import { webUrlOf } from './base/web-url.ts';

describe('webUrlOf', () => {
  test.each([
    'https://example.com:undefined/hooks',
    'https://example.com:99999/h',
    'https://example.com:0/h',
    'https://256.1.1.1/h',
    'https://exa%20mple.com/h',
    'https://exa mple.com/h',
    'http://:80/h',
    'https://@/h',
    'https://',
    'https:///h',
    'https:example.com',
    'https:\\\\example.com',
    'https://[::1/h',
    'https://a\nb.example/h',
    ' https://example.com/h',
    'ftp://example.com/h',
    'javascript:alert(1)',
    '/hooks',
    'example.com/hooks',
  ])('webUrlOf refuses %j', text => {
    expect(webUrlOf(text)).toBeNull();
  });

  test.each([
    ['https://example.com/hooks?a=1', 'example.com'],
    ['http://user:pass@example.com:8080', 'example.com'],
    ['HTTPS://EXAMPLE.com/ä', 'example.com'],
    ['https://bücher.example/h', 'xn--bcher-kva.example'],
    ['https://例え.テスト/h', 'xn--r8jz45g.xn--zckzah'],
    ['http://[2001:db8::1]:8080/h', '[2001:db8::1]'],
    ['http://127.1/h', '127.0.0.1'],
  ])('webUrlOf reads %j', (text, host) => {
    expect(webUrlOf(text)?.hostname).toBe(host);
  });

  test('webUrlOf accepts nothing that the parser refuses', () => {
    const text = fc.oneof(
      fc.webUrl(),
      fc.string().map(rest => `https://${rest}`),
      fc.tuple(fc.domain(), fc.string()).map(([host, port]) => `https://${host}:${port}/h`),
    );
    fc.assert(fc.property(text, url => void (webUrlOf(url) && expect(URL.canParse(url)).toBe(true))));
  });
});

describe('isEmailAddress', () => {
  test.each([
    'a@example.com',
    "o'hara+tag@sub.example.co",
    'jörg@müller.example',
    'jo\u0308rg@example.com',
    '用户@例子.广告',
    'δοκιμή@παράδειγμα.δοκιμή',
    'संपर्क@डाटामेल.भारत',
    'a@xn--mller-kva.example',
  ])('isEmailAddress accepts %s', text => {
    expect(isEmailAddress(text)).toBe(true);
  });

  test.each([
    'nobody',
    'a@b',
    'a b@example.com',
    'a@@example.com',
    'a@-b.example',
    'a@b..example',
    '.a@b.example',
    'a@exa\u2028mple.com',
    'a@\u202eb.example',
    'a@b.example\n',
    '"a b"@example.com',
    'a@b.example, c@d.example',
    '<a@b.example>',
  ])('isEmailAddress refuses %j', text => {
    expect(isEmailAddress(text)).toBe(false);
  });
});

/** Every pattern of a schema, however deep. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, pattern } = value as { type?: unknown; pattern?: unknown };
  return [
    ...(type === 'string' && typeof pattern === 'string' ? [pattern] : []),
    ...Object.values(value).flatMap(patternsIn),
  ];
}

test('wordsOfPattern has words of its own for every pattern of a request', async () => {
  const files = (await readdir(import.meta.dirname, { recursive: true })).filter(name => /^[\w/-]+\.ts$/.test(name));
  const modules = await Promise.all(files.map(name => import(`./${name}`)));
  const patterns = new Set(modules.flatMap(module => Object.values(module).flatMap(patternsIn)));
  // Only answers hold it.
  patterns.delete('^[0-9a-f]{64}$');
  expect(patterns.size).toBeGreaterThan(8);
  for (const pattern of patterns)
    expect([pattern, wordsOfPattern(pattern)]).toEqual([pattern, expect.stringMatching(/^must /)]);
});
