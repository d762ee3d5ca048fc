import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_MEANINGS, ERROR_STATUS, type ErrorCode, FAULT_CODES } from './errors.ts';

const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');

it('docs/errors.md has every code once, with its status and its meaning', () => {
  const rows = page.split('\n').filter(line => /^\| `\w+` \| \d{3} \|/.test(line));
  const expected = (Object.keys(ERROR_STATUS) as ErrorCode[]).map(
    code => `| \`${code}\` | ${ERROR_STATUS[code]} | ${ERROR_MEANINGS[code]} |`,
  );
  expect(rows.toSorted()).toEqual(expected.toSorted());
});

it('docs/errors.md has every code of a fault once, with its meaning and its parameters', () => {
  const table = page.split('### Faults of a request')[1]!.split('\n## ')[0]!;
  const rows = table.split('\n').filter(line => /^\| `\w+` \|/.test(line));
  const expected = Object.entries(FAULT_CODES).map(([code, { meaning, params }]) => {
    const named = Object.entries(params).map(([name, what]) => `\`${name}\`: ${what}`);
    return `| \`${code}\` | ${meaning} | ${named.join('; ') || 'none'} |`;
  });
  expect(rows.toSorted()).toEqual(expected.toSorted());
});
