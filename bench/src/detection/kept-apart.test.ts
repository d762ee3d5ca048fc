import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readKeptApart, refuseKeptApart, repositoriesKeptApart, type Snapshot } from './kept-apart.ts';

const folder = mkdtempSync(join(tmpdir(), 'kept-apart-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sum = (content: string): string => createHash('sha256').update(content).digest('hex');

function clone(repository: string, files: Record<string, string>): Snapshot {
  const path = join(folder, repository);
  mkdirSync(path, { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', path, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args])
      .toString()
      .trim();
  git('init', '-q');
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  git('add', '.');
  git('commit', '-q', '-m', 'pictures');
  return { repository, commit: git('rev-parse', 'HEAD') };
}

function list(...sums: string[]): string {
  const path = join(folder, `${sums.length}-${sums[0]?.slice(0, 8) ?? 'none'}.sha256`);
  writeFileSync(path, `# pictures kept apart\n${sums.join('\n')}\n`);
  return path;
}

describe('refuseKeptApart', () => {
  const one = clone('one/photos', { 'a.jpg': 'first', 'two words.JPG': 'second', 'notes.txt': 'third' });
  const other = clone('other/photos', { 'b.jpg': 'fourth' });

  test('names a repository with a kept picture, also when another of its pictures is read', () => {
    expect(() => refuseKeptApart(list(sum('second')), [], folder, [one, other])).toThrow('one/photos');
    expect(repositoriesKeptApart(folder, [one, other], new Set([sum('second')]))).toEqual(['one/photos']);
  });

  test('lets repositories pass that hold none', () => {
    expect(() => refuseKeptApart(list(sum('third'), sum('fifth')), [], folder, [one, other])).not.toThrow();
  });

  test('names a single picture that stands in the list', () => {
    const pictures = [
      { name: 'kept.jpg', read: () => Buffer.from('fifth') },
      { name: 'free.jpg', read: () => Buffer.from('sixth') },
    ];
    expect(() => refuseKeptApart(list(sum('fifth')), pictures)).toThrow(/: kept\.jpg$/);
  });

  test('refuses a list that is not one of SHA-256 sums', () => {
    const path = join(folder, 'wrong.sha256');
    writeFileSync(path, 'abc\n');
    expect(() => readKeptApart(path)).toThrow('abc');
  });
});
