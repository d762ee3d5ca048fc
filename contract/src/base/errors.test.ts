import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_MEANINGS, ERROR_STATUS, type ErrorCode } from './errors.ts';

it('docs/errors.md has every code once, with its status and its meaning', () => {
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter(line => /^\| `\w+` \| \d{3} \|/.test(line));
  const expected = (Object.keys(ERROR_STATUS) as ErrorCode[]).map(
    code => `| \`${code}\` | ${ERROR_STATUS[code]} | ${ERROR_MEANINGS[code]} |`,
  );
  expect(rows.toSorted()).toEqual(expected.toSorted());
});
