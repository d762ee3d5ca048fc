import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const page = readFileSync(join(import.meta.dirname, 'CONTRACT.md'), 'utf8');

/** Cells of the rows of every table of the page whose head is `head`. */
function rowsUnder(head: string): string[][] {
  const rows: string[][] = [];
  let inside = false;
  for (const line of page.split('\n')) {
    if (line === head) inside = true;
    else if (!line.startsWith('|')) inside = false;
    else if (inside && !/^\|[-| ]+\|$/.test(line)) {
      rows.push(
        line
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map(cell => cell.trim().replaceAll('\\|', '|')),
      );
    }
  }
  return rows;
}

const files = new Map(rowsUnder('| name | file |').map(([name, file]) => [name, file!.replaceAll('`', '')]));
const statements = rowsUnder('| statement | held by |');
const titles = new Map<string, Set<string>>();

/** What the `describe`, `it` and `test` calls of a file are given, as it stands in the source. */
function titlesIn(file: string): Set<string> {
  const known = titles.get(file);
  if (known) return known;
  const source = readFileSync(join(ROOT, file), 'utf8');
  const call = /\(\s*(['"`])((?:\\.|(?!\1).)*)\1,\s*(?:async\b|\(|\{|function|\w+ =>)/g;
  const found = new Set([...source.matchAll(call)].map(match => match[2]!.replaceAll("\\'", "'")));
  titles.set(file, found);
  return found;
}

describe('CONTRACT.md', () => {
  it('names files that exist', () => {
    expect(files.size).toBeGreaterThan(20);
    for (const file of files.values()) expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
  });

  it('names a test, or a reason for none, for every statement', () => {
    expect(statements.length).toBeGreaterThan(150);
    for (const [statement, heldBy] of statements) {
      expect(statement).not.toBe('');
      expect([statement, heldBy]).toEqual([statement, expect.stringMatching(/ › |^not yet \(.+\)$/)]);
    }
  });

  it('names tests that exist', () => {
    const missing = statements.flatMap(([statement, heldBy]) =>
      heldBy!.startsWith('not yet (')
        ? []
        : heldBy!.split('<br>').flatMap(reference => {
            const [name, ...title] = reference.split(' › ');
            const file = files.get(name);
            return file && titlesIn(file).has(title.join(' › ')) ? [] : [`${statement}: ${reference}`];
          }),
    );
    expect(missing).toEqual([]);
  });
});
