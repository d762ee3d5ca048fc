import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Baseline, type Row, regressions } from './regressions.ts';

const baseline: Baseline = JSON.parse(readFileSync(new URL('./baseline.json', import.meta.url), 'utf8'));

/** Returns a row of so many displays and genuine pictures. */
const row = (positives: number, negatives: number, changed: Partial<Row> = {}): Row => ({
  name: 'pooled',
  positives,
  negatives,
  coverage: 1,
  auc: 0.9,
  calibration_error: 0.05,
  apcer: { doubtful: 0.2, confident: 0.5 },
  bpcer: { doubtful: 0.02, confident: 0 },
  bpcer_upper: { doubtful: 0.1, confident: 0.05 },
  ...changed,
});

describe('regressions of the detection benchmark', () => {
  it('finds none between the baseline and itself', () => {
    expect(regressions(baseline.rows, baseline.rows)).toEqual([]);
  });

  it('lets one pair of a small set change places, and reports two', () => {
    const before = [row(3, 4, { auc: 10 / 12 })];
    expect(regressions([row(3, 4, { auc: 9 / 12 })], before)).toEqual([]);
    expect(regressions([row(3, 4, { auc: 8 / 12 })], before)).toEqual(['pooled: AUC 0.833 → 0.667']);
  });

  it('lets one display of a small set be missed, and reports two', () => {
    const missed = (count: number): Row[] => [row(3, 4, { apcer: { doubtful: count / 3, confident: 1 } })];
    expect(regressions(missed(1), missed(0))).toEqual([]);
    expect(regressions(missed(2), missed(0))).toEqual(['pooled: APCER doubtful 0.00 → 0.67']);
  });

  it('reports what a large set loses: AUC, displays found, calibration, genuine pictures refused', () => {
    const before = [row(44, 101)];
    const after = row(44, 101, {
      auc: 0.86,
      calibration_error: 0.09,
      apcer: { doubtful: 0.31, confident: 0.5 },
      bpcer: { doubtful: 0.02, confident: 3 / 101 },
    });
    expect(regressions([after], before)).toEqual([
      'pooled: AUC 0.900 → 0.860',
      'pooled: ECE 0.050 → 0.090',
      'pooled: APCER doubtful 0.20 → 0.31',
      'pooled: 3 more genuine pictures confident',
    ]);
  });

  it('reports a set of pictures other than that of the baseline', () => {
    const fault = ["pooled: the set of pictures differs from the baseline's"];
    expect(regressions([row(44, 100)], [row(44, 101)])).toEqual(fault);
    expect(regressions([], [row(44, 101)])).toEqual(fault);
  });
});
