import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMasked, maskUrl } from './mask-url.ts';

const word = fc.stringMatching(/^[a-z0-9]{6,16}$/);

describe('maskUrl', () => {
  it.each([
    ['https://example.org/in', 'https://example.org/in'],
    ['https://example.org/in?claim=77&page=2#top', 'https://example.org/in?claim=77&page=2#top'],
    ['https://user:hookpassword@example.org/in', 'https://***@example.org/in'],
    ['HTTPS://token@example.org', 'HTTPS://***@example.org'],
    ['https://a:b@c:d@example.org/x@y', 'https://***@example.org/x@y'],
    ['https://example.org/in?token=abc&claim=77', 'https://example.org/in?token=***&claim=77'],
    ['https://example.org/in?claim=77&api_key=abc', 'https://example.org/in?claim=77&api_key=***'],
    ['https://example.org/in?accessToken=a%26b', 'https://example.org/in?accessToken=***'],
    ['https://example.org/in?X-Auth-Key=1', 'https://example.org/in?X-Auth-Key=***'],
    ['https://example.org/in?client%5Fsecret=1', 'https://example.org/in?client%5Fsecret=***'],
    ['https://example.org/api?code=f00==', 'https://example.org/api?code=***'],
    ['https://example.org/in?t=whsec_abc', 'https://example.org/in?t=***'],
    ['https://example.org/in?a=eyJhbGciOi.e30.x', 'https://example.org/in?a=***'],
    ['https://example.org/in#access_token=abc', 'https://example.org/in#access_token=***'],
    ['https://example.org/in?monkey=1&tokens_left=no', 'https://example.org/in?monkey=1&tokens_left=no'],
    ['https://example.org/in?token=', 'https://example.org/in?token='],
  ])('%s is shown as %s', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
  });

  it('hides what a URL parser finds as user, password or secret parameter, and keeps the rest', () => {
    fc.assert(
      fc.property(
        word,
        word,
        word,
        fc.constantFrom('token', 'password', 'apiKey', 'sig', 'x_secret'),
        (u, p, s, name) => {
          const url = `https://U${u}:P${p}@example.org/p/${u}?claim=7&${name}=S${s}`;
          const shown = new URL(maskUrl(url));
          expect([shown.username, shown.password, shown.searchParams.get(name)]).toEqual(['***', '', '***']);
          expect([shown.host, shown.pathname, shown.searchParams.get('claim')]).toEqual([
            'example.org',
            `/p/${u}`,
            '7',
          ]);
          expect(maskUrl(maskUrl(url))).toBe(maskUrl(url));
          expect([isMasked(url), isMasked(maskUrl(url))]).toEqual([false, true]);
        },
      ),
    );
  });

  it('does not change a URL that has neither', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word), { maxLength: 3 }), fc.array(word), (pairs, path) => {
        const query = pairs.map(([name, value]) => `field_${name}=${value}`).join('&');
        const url = `https://example.org/${path.join('/')}?${query}#${path[0] ?? ''}`;
        expect(maskUrl(url)).toBe(url);
        expect(isMasked(url)).toBe(false);
      }),
    );
  });
});
