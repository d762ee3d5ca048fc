import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { weighPages } from '../built.ts';

describe('the built dashboard', () => {
  const { first, later } = weighPages();
  const above = (pages: typeof first, most: number) => pages.filter(({ kilobytes }) => kilobytes > most);

  test('first routes, sign-in and home, are at most 180 kB of compressed JavaScript in every language', () => {
    expect(first.every(({ kilobytes }) => kilobytes > 100)).toBe(true);
    expect(above(first, 180)).toEqual([]);
  });

  test('each further page is at most 40 kB of compressed JavaScript in every language', () => {
    expect(later.length).toBeGreaterThanOrEqual(20);
    expect(above(later, 40)).toEqual([]);
  });

  test('HTML has nothing inline that a strict content security policy would refuse', () => {
    const html = readFileSync(join(import.meta.dirname, '..', 'dist', 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=/);
    expect(html).toContain('nonce="NONCE"');
    expect(html).not.toMatch(/https?:\/\//);
  });
});
