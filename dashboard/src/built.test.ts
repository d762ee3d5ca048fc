import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const dist = join(import.meta.dirname, '..', 'dist');
interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
}
const manifest = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8')) as Record<string, Chunk>;
const kilobytesOf = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + readFileSync(join(dist, `${manifest[name]!.file}.gz`)).length, 0) / 1_000;

/** A chunk and everything that it cannot run without. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const imported of manifest[name]?.imports ?? []) withImports(imported, found);
  return found;
}

describe('the built dashboard', () => {
  const entry = Object.keys(manifest).find(name => manifest[name]!.isEntry)!;
  const frame = 'src/shell/frame.tsx';
  const pages = Object.keys(manifest).filter(name => name.endsWith('-page.tsx'));

  test('sign-in page, the first route, is at most 180 kB of compressed JavaScript', () => {
    expect(kilobytesOf(withImports(entry))).toBeLessThanOrEqual(180);
  });

  test('home page in its frame is at most 180 kB of compressed JavaScript', () => {
    const first = withImports(frame, withImports('src/home/home-page.tsx', withImports(entry)));
    expect(first.size).toBeGreaterThan(2);
    expect(kilobytesOf(first)).toBeLessThanOrEqual(180);
  });

  test('each further page is at most 40 kB of compressed JavaScript', () => {
    expect(pages.length).toBeGreaterThanOrEqual(3);
    const there = withImports(frame, withImports(entry));
    for (const page of pages) {
      const more = [...withImports(page)].filter(name => !there.has(name));
      expect([page, kilobytesOf(more) <= 40]).toEqual([page, true]);
    }
  });

  test('HTML has nothing inline that a strict content security policy would refuse', () => {
    const html = readFileSync(join(dist, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=/);
    expect(html).toContain('nonce="NONCE"');
    expect(html).not.toMatch(/https?:\/\//);
  });
});
