import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PUBLISHED_RATES } from './published-rates.ts';

const root = join(import.meta.dirname, '../../../..');

describe('PUBLISHED_RATES', () => {
  it('are those of docs/detection.md', () => {
    const rows = readFileSync(join(root, 'docs/detection.md'), 'utf8')
      .split('\n')
      .filter(line => line.startsWith('| `'))
      .map(line =>
        line
          .replaceAll('`', '')
          .split('|')
          .map(cell => cell.trim()),
      );
    for (const { name, flagged } of PUBLISHED_RATES) {
      const row = rows.find(cells => cells[1]!.startsWith(`${name},`));
      expect([name, row?.[2]]).toEqual([name, flagged]);
    }
  });

  it('name the screen model that was measured', () => {
    const { name } = JSON.parse(readFileSync(join(root, 'forensics/src/screen/model.generated.json'), 'utf8')) as {
      name: string;
    };
    expect(PUBLISHED_RATES.find(rate => rate.name === 'screen')!.model).toBe(name);
    expect(readFileSync(join(root, 'bench/results/screen-still.md'), 'utf8')).toContain(name);
  });
});
