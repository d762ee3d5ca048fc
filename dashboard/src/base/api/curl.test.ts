import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { curlOf } from './curl.ts';

/** The arguments that a shell hands to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { for a in "$@"; do printf '%s\\0' "$a"; done; }\n${command}`;
  return execFileSync('sh', ['-c', script], {
    encoding: 'utf8',
    env: { FIRSTHAND_KEY: 'rk_secret_x', FIRSTHAND_COOKIE: 'name=value' },
  })
    .split('\0')
    .slice(0, -1);
}

test('curlOf gives a command whose body reaches curl unchanged, whatever it holds', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter(value => !value.includes('\0'));
  fc.assert(
    fc.property(text, narrative => {
      const all = argumentsOf(curlOf({ to: "POST /v1/x?q='$(id)`", body: { narrative } }, 'https://a.example'));
      expect(all.slice(0, 3)).toEqual(['-X', 'POST', "https://a.example/v1/x?q='$(id)`"]);
      expect(all).toContain('Authorization: Bearer rk_secret_x');
      expect(JSON.parse(all.at(-1)!)).toEqual({ narrative });
    }),
    { numRuns: 40 },
  );
});

test('curlOf names no method and no body where there is none', () => {
  expect(argumentsOf(curlOf({ to: 'GET /v1/me' }, 'https://a.example'))).toEqual([
    'https://a.example/v1/me',
    '-H',
    'Authorization: Bearer rk_secret_x',
  ]);
});
