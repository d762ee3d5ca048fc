import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rootOf, withoutRoot, withRoot } from './root.ts';

const segment = fc.stringMatching(/^[A-Za-z0-9._~-]{1,12}$/).filter(text => !/^\.{1,2}$/.test(text));
const root = fc.array(segment, { maxLength: 3 }).map(parts => parts.map(part => `/${part}`).join(''));

describe('rootOf', () => {
  it('is the path of the URL without a final slash', () => {
    fc.assert(
      fc.property(root, path => {
        expect(rootOf(`https://host${path}/`)).toBe(path);
      }),
    );
  });
});

describe('withoutRoot', () => {
  it('gives one address, whether the proxy takes the root off or not', () => {
    const address = fc.constantFrom('/v1/verifications?limit=1', '/', '/dashboard/', '/v/vfy_1', '/?a=/photos');
    fc.assert(
      fc.property(root, address, (path, url) => {
        fc.pre(path === '' || !url.startsWith(`${path}/`));
        expect(withoutRoot(path + url, [path])).toBe(url);
        expect(withoutRoot(url, [path])).toBe(url);
      }),
    );
  });

  it('knows the root without its final slash, and no longer name that begins like it', () => {
    expect(withoutRoot('/photos', ['/photos'])).toBe('/');
    expect(withoutRoot('/photos?x=1', ['/photos'])).toBe('/?x=1');
    expect(withoutRoot('/photos2/v1', ['/photos'])).toBe('/photos2/v1');
  });
});

describe('withRoot', () => {
  it('puts the root before the addresses of a page’s files and tells it the script', () => {
    const html = '<head><link href="./a.css"></head>';
    expect(withRoot(html, '/photos', '/_capture/')).toBe(
      '<head><link href="/photos/_capture/a.css"><meta name="firsthand-root" content="/photos"></head>',
    );
    expect(withRoot(html, '', '/_capture/')).toBe('<head><link href="/_capture/a.css"></head>');
  });
});
