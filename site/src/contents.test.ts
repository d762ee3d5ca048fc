import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contentsOf } from './contents.ts';
import { addressOf, ROOT } from './pages.ts';

it('docs/README.md lists every guide once, with what it is about', () => {
  const listed = contentsOf(readFileSync(join(ROOT, 'docs/README.md'), 'utf8')).flatMap(({ links }) => links);
  expect(new Set(listed.map(({ address }) => address)).size).toBe(listed.length);
  const guides = globSync('docs/**/*.md', { cwd: ROOT }).map(addressOf);
  expect(guides.filter(guide => guide !== 'index' && !listed.some(({ address }) => address === guide))).toEqual([]);
});
