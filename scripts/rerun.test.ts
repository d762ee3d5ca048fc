import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rerunCommand } from './rerun.ts';

describe('rerunCommand', () => {
  it('names the project of the file', () => {
    expect(rerunCommand('forensics/src/running/pool.test.ts')).toBe(
      'npm test -- --project unit forensics/src/running/pool.test.ts',
    );
    expect(rerunCommand('server/test/service/crash.test.ts')).toBe(
      'npm test -- --project server server/test/service/crash.test.ts',
    );
    expect(rerunCommand('server/test/browser/camera.test.ts')).toBe(
      'npm test -- --project server server/test/browser/camera.test.ts',
    );
  });

  it('passes any name through the shell as a pattern that matches only that name', () => {
    const name = fc.string({ minLength: 1, maxLength: 40 }).filter(text => !text.includes('\0') && text.isWellFormed());
    fc.assert(
      fc.property(fc.array(name, { minLength: 20, maxLength: 20 }), names => {
        // One shell for all of them: `npm` stands for a function that prints its last argument.
        const script = names.map(one => rerunCommand('server/test/a.test.ts', one)).join('\n');
        const printed = execFileSync('sh', ['-c', `npm() { shift 6; printf '%s\\0' "$1"; }\n${script}`], {
          encoding: 'utf8',
        });
        const patterns = printed.split('\0').slice(0, -1);
        expect(patterns).toHaveLength(names.length);
        names.forEach((one, index) => {
          const pattern = new RegExp(patterns[index]!);
          expect(pattern.test(one)).toBe(true);
          expect(pattern.test(`${one}x`) || pattern.test(`x${one}`)).toBe(false);
        });
      }),
      { numRuns: 30 },
    );
  });
});
