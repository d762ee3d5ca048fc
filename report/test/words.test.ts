import { CHECKS } from '@firsthand/evidence/report.ts';
import { verifyBundle } from '@firsthand/evidence/verify.ts';
import { describe, expect, it } from 'vitest';
import { chunked, makeBundle, zip } from '../../evidence/test/build.ts';
import { headlineOf, NOT_PROVEN, reportLines } from '../src/words.ts';

const made = makeBundle();
const linesFor = async (files = made.files, trusted = [made.log, made.bundle]) => {
  const report = await verifyBundle(chunked(zip(files)), { trusted });
  return { report, lines: reportLines(report) };
};

describe('reportLines', () => {
  it('says for a valid bundle that each check holds, and ends with the limits of every check', async () => {
    const { report, lines } = await linesFor();
    expect(lines[0]).toBe(headlineOf(report));
    expect(lines).not.toContain('What does not hold:');
    const checked = lines.slice(lines.indexOf('What was checked:') + 1, lines.indexOf('Photos:') - 1);
    expect(checked).toHaveLength(CHECKS.length);
    expect(checked.filter(line => !line.startsWith('  [ok] '))).toEqual([
      '  [--] The bundle carries no time stamp.',
      '  [--] No witness was asked for.',
    ]);
    expect(lines.slice(-NOT_PROVEN.length)).toEqual(NOT_PROVEN.map(text => `  ${text}`));
  });

  it('names each fault by file, place and reason before everything else', async () => {
    const files = new Map(made.files);
    const [name] = [...files.keys()].filter(path => path.startsWith('originals/'));
    files.set(name!, new Uint8Array(8));
    const { report, lines } = await linesFor(files);
    expect(lines.indexOf('What does not hold:')).toBe(4);
    const { entry, bytes, reason } = report.faults[0]!;
    expect(lines[5]).toBe(`  ${entry} (bytes ${bytes![0]}\u2013${bytes![1]}): ${reason}`);
    expect(lines).toContainEqual(expect.stringMatching(`^  \\[NO\\] ${name}, `));
  });

  it('prints the keys that nobody vouched for, and how to compare them', async () => {
    for (const trusted of [[], [made.log], [made.bundle]]) {
      const { report, lines } = await linesFor(made.files, trusted);
      const text = lines.join('\n');
      expect(text).toContain(report.keys.find(key => !key.trusted)!.vkey);
      expect(text).toContain('/v1/evidence-keys');
    }
  });

  it('leaves out every section that has no line', async () => {
    const lines = reportLines(await verifyBundle(chunked(new Uint8Array(0))));
    expect(lines.filter(line => line.endsWith(':'))).toEqual([
      'What does not hold:',
      'Notes:',
      'What this does not prove:',
    ]);
  });
});
