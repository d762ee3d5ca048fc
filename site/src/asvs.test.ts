import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './pages.ts';

// docs/asvs.md: a row for each requirement. A file or test that was renamed fails here, so the page cannot name what is gone.

const STATES = ['held', 'partly', 'no', 'not applicable'];
/** Requirements of levels 1 and 2 in version 5.0.0. */
const REQUIREMENTS = 253;

const page = readFileSync(join(ROOT, 'docs/asvs.md'), 'utf8');
const rows = Array.from(page.matchAll(/^\| v5\.0\.0-(\d+\.\d+\.\d+) \|(.+)\|$/gm), ([, id, rest]) => {
  const [level = '', asks = '', state = '', where = '', test = ''] = rest!.split('|').map(cell => cell.trim());
  return { id: id!, level, asks, state, where, test };
});
/** A number that grows with the id. */
const placeOf = (id: string) => id.split('.').reduce((sum, part) => sum * 100 + Number(part), 0);
const isFile = (name: string) => /^[\w.][\w./-]*\/[\w./-]+$|^\.?\w+\.(ts|md|yaml)$|^\.[\w.]+$/.test(name);
const filesIn = (cell: string) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name!).filter(isFile);
const isThere = (name: string, folder: string) => existsSync(join(ROOT, name)) || existsSync(join(ROOT, folder, name));

describe('docs/asvs.md', () => {
  it('has each requirement once, in the order of the standard', () => {
    const places = rows.map(({ id }) => placeOf(id));
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    expect(rows).toHaveLength(REQUIREMENTS);
  });

  it('counts its rows by state and level', () => {
    expect(rows.filter(({ state, level }) => !STATES.includes(state) || !/^[12]$/.test(level))).toEqual([]);
    for (const state of STATES) {
      const levels = rows.filter(row => row.state === state).map(({ level }) => level);
      const counted = ['1', '2'].map(level => levels.filter(one => one === level).length);
      expect(page).toContain(`| ${state} | ${counted.join(' | ')} | ${levels.length} |\n`);
    }
  });

  it('names only files and tests that exist', () => {
    expect(rows.flatMap(({ where }) => filesIn(where)).filter(name => !isThere(name, 'server/src'))).toEqual([]);
    const tests = rows.flatMap(({ test }) => filesIn(test));
    expect(tests.length).toBeGreaterThan(100);
    expect(tests.filter(name => !name.endsWith('.test.ts') || !isThere(name, 'server/test'))).toEqual([]);
  });

  it('says of every row what it asks for and where it is held, or why not', () => {
    expect(rows.filter(({ asks, where }) => asks === '' || where === '')).toEqual([]);
  });

  it('says once what comes of each row that is not held', () => {
    const section = page.split(/^## /m).find(part => part.startsWith('What is missing')) ?? '';
    const named = Array.from(section.matchAll(/\b\d+\.\d+\.\d+\b/g), ([id]) => id);
    const missing = rows.filter(({ state }) => state === 'no' || state === 'partly').map(({ id }) => id);
    expect(named.sort()).toEqual(missing.sort());
  });
});
