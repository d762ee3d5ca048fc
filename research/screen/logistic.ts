/**
 * Fits a logistic regression by Newton's method, with both classes alike. `rows` are n lists of d values, `labels` 0 or 1. A trace of shrinkage keeps
 * it finite where the classes can be parted.
 */
export function logisticRegression(rows: number[][], labels: (0 | 1)[]): { weights: number[]; bias: number } {
  const width = rows[0]!.length + 1;
  const ones = labels.filter(label => label === 1).length;
  const share = labels.map(label => 0.5 * labels.length * (label === 1 ? 1 / ones : 1 / (labels.length - ones)));
  const at = new Array<number>(width).fill(0);
  for (let round = 0; round < 50; round++) {
    const slope = at.map(value => 1e-6 * value);
    const curve = at.map((_, i) => at.map((_, j) => (i === j ? 1e-6 : 0)));
    for (const [n, values] of rows.entries()) {
      const x = [...values, 1];
      const p = 1 / (1 + Math.exp(-x.reduce((total, value, i) => total + value * at[i]!, 0)));
      for (let i = 0; i < width; i++) {
        slope[i]! += share[n]! * (p - labels[n]!) * x[i]!;
        for (let j = 0; j < width; j++) curve[i]![j]! += share[n]! * p * (1 - p) * x[i]! * x[j]!;
      }
    }
    const step = solved(curve, slope);
    for (let i = 0; i < width; i++) at[i]! -= step[i]!;
    if (step.every(value => Math.abs(value) < 1e-9)) break;
  }
  return { weights: at.slice(0, -1), bias: at.at(-1)! };
}

/** Solves a symmetric positive system by elimination. */
function solved(matrix: number[][], given: number[]): number[] {
  const rows = matrix.map((row, i) => [...row, given[i]!]);
  for (let i = 0; i < rows.length; i++) {
    for (let j = 0; j < rows.length; j++) {
      if (i === j) continue;
      const factor = rows[j]![i]! / rows[i]![i]!;
      for (let k = i; k <= rows.length; k++) rows[j]![k]! -= factor * rows[i]![k]!;
    }
  }
  return rows.map((row, i) => row.at(-1)! / row[i]!);
}
