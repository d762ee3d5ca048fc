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

  it.each([
    ['screen', 'forensics/src/screen/model.generated.json', 'name', 'bench/results/screen-still.md'],
    ['ai', 'forensics/src/ai/genuine.generated.json', 'model', 'bench/results/generated.md'],
  ])('name the model of %s that was measured', (name, file, member, table) => {
    const model = JSON.parse(readFileSync(join(root, file), 'utf8'))[member] as string;
    expect(PUBLISHED_RATES.find(rate => rate.name === name)!.model).toBe(model);
    expect(readFileSync(join(root, table), 'utf8')).toContain(model);
  });
});
