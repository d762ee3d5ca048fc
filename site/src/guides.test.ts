import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGES = [
  '*.md',
  'docs/**/*.md',
  'bench/results/*.md',
  '{cli,python,sdk}/*.md',
  'deploy/helm/**/*.md',
  'examples/**/*.md',
];

describe('the guides', () => {
  it('name the last column of every table', () => {
    const files = globSync(PAGES, { cwd: ROOT, exclude: name => name === 'node_modules' });
    expect(files).toContain('docs/operate.md');
    const nameless = files.flatMap(file => {
      const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
      return lines.flatMap((line, at) =>
        /^\|[\s:|-]*---[\s:|-]*\|$/.test(lines[at + 1] ?? '') && /\|\s*\|$/.test(line) ? [`${file}:${at + 1}`] : [],
      );
    });
    expect(nameless).toEqual([]);
  });

  it('number the decisions without gaps, in file name and heading', () => {
    const folder = join(ROOT, 'docs', 'decisions');
    const files = readdirSync(folder).sort();
    expect(files.length).toBeGreaterThan(0);
    expect(files.map(file => file.slice(0, 5))).toEqual(files.map((_, at) => `${String(at + 1).padStart(4, '0')}-`));
    const headings = files.map(file => readFileSync(join(folder, file), 'utf8').split(' ', 2).join(' '));
    expect(headings).toEqual(files.map((_, at) => `# ${at + 1}.`));
  });
});
