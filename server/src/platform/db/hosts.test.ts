import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { urlsOfHosts } from './hosts.ts';

describe('urlsOfHosts', () => {
  it('keeps a URL with one host, or a socket, as it is', () => {
    for (const url of [
      'postgres://localhost/db',
      'postgresql://u:p@h:6432/db?sslmode=require',
      'postgres://u@[::1]:5432/db',
      'postgresql:///db?host=/tmp/firsthand-abc',
    ]) {
      expect(urlsOfHosts(url)).toEqual([url]);
    }
  });

  it('splits several hosts, with the user, the database and the other parameters for each', () => {
    expect(
      urlsOfHosts('postgresql://u:p%40q@a,b:5433,[::1]/db?sslmode=require&target_session_attrs=read-write'),
    ).toEqual([
      'postgresql://u:p%40q@a:5432/db?sslmode=require',
      'postgresql://u:p%40q@b:5433/db?sslmode=require',
      'postgresql://u:p%40q@[::1]:5432/db?sslmode=require',
    ]);
  });

  it('takes several hosts from the query, as libpq does', () => {
    expect(urlsOfHosts('postgresql://u:p@/db?host=a,b&port=5433&sslmode=require')).toEqual([
      'postgresql://u:p@a:5433/db?sslmode=require',
      'postgresql://u:p@b:5433/db?sslmode=require',
    ]);
    expect(urlsOfHosts('postgresql://u@/db?host=a%2C::1&port=1,2')).toEqual([
      'postgresql://u@a:1/db',
      'postgresql://u@[::1]:2/db',
    ]);
    expect(urlsOfHosts('postgresql://u@/db?host=a,b&port=1,2,3')).toBeNull();
    expect(urlsOfHosts('postgresql://u@/db?host=/run/a,/run/b')).toBeNull();
  });

  it('refuses what is not a list of hosts', () => {
    for (const url of ['postgres://a,,b/db', 'postgres://a:b:c,d/db', 'postgres://a:99999,b/db', 'nonsense', '']) {
      expect(urlsOfHosts(url)).toBeNull();
    }
  });

  it('gives one URL a host, each of which a URL parser takes', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}[a-z0-9](\.[a-z]{2,5})?$/);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, fc.integer({ min: 1, max: 65_535 })), { minLength: 2, maxLength: 5 }),
        hosts => {
          const urls = urlsOfHosts(`postgres://u:p@${hosts.map(([host, port]) => `${host}:${port}`).join(',')}/db`)!;
          expect(urls.map(url => [new URL(url).hostname, Number(new URL(url).port)])).toEqual(hosts);
        },
      ),
    );
  });
});
