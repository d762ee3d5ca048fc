/** Numbers of the benchmark of the screen detector, and which of them fell. */
export interface Row {
  name: string;
  positives: number;
  negatives: number;
  auc?: number;
  found_at_1?: number;
  found_at_5?: number;
  calibration_error?: number;
  /** Share of pictures with an answer. */
  coverage: number;
  /** Share of displays missed and of genuine pictures refused at each band (ISO/IEC 30107-3), and the latter's 95% upper bound. */
  apcer: { doubtful?: number; confident?: number };
  bpcer: { doubtful?: number; confident?: number };
  bpcer_upper: { doubtful?: number; confident?: number };
}

/** The numbers of the published model, as `--json` writes them. */
export interface Baseline {
  model: string;
  thresholds: { doubtful: number; confident: number };
  /** Forms of each picture; the first is the picture as it is. */
  forms: string[];
  rows: Row[];
}

/** Writes a share with this many digits, and nothing for one that is unknown. */
export const share = (value: number | undefined, digits = 2): string =>
  value === undefined ? '' : value.toFixed(digits);

/** Tells whether a number is below another by more than a tolerance, the rounding of a sum aside. */
const isBelow = (now: number, before: number, tolerance: number): boolean => now < before - tolerance - 1e-9;

/**
 * Lists the numbers that fell below the baseline by more than noise: three hundredths of AUC, a tenth of the displays
 * found, three hundredths of pooled calibration error, or more than two further genuine pictures refused. In small sets
 * one pair of a display and a genuine picture that changed places, or one display, is noise too, however much of the
 * number it makes up: three displays and four genuine pictures are twelve pairs.
 */
export function regressions(rows: Row[], baseline: Row[]): string[] {
  const faults: string[] = [];
  for (const before of baseline) {
    const now = rows.find(row => row.name === before.name);
    if (!now || now.positives !== before.positives || now.negatives !== before.negatives) {
      faults.push(`${before.name}: the set of pictures differs from the baseline's`);
      continue;
    }
    const pair = 1 / (now.positives * now.negatives);
    if (isBelow(now.auc ?? 1, before.auc ?? 0, Math.max(0.03, pair))) {
      faults.push(`${before.name}: AUC ${share(before.auc, 3)} → ${share(now.auc, 3)}`);
    }
    if (before.name.startsWith('pooled') && (now.calibration_error ?? 1) > (before.calibration_error ?? 0) + 0.03) {
      faults.push(`${before.name}: ECE ${share(before.calibration_error, 3)} → ${share(now.calibration_error, 3)}`);
    }
    for (const band of ['doubtful', 'confident'] as const) {
      const refused = ((now.bpcer[band] ?? 0) - (before.bpcer[band] ?? 0)) * now.negatives;
      if (refused > 2.5) faults.push(`${before.name}: ${Math.round(refused)} more genuine pictures ${band}`);
      if (isBelow(before.apcer[band] ?? 1, now.apcer[band] ?? 0, Math.max(0.1, 1 / now.positives))) {
        faults.push(`${before.name}: APCER ${band} ${share(before.apcer[band])} → ${share(now.apcer[band])}`);
      }
    }
  }
  return faults;
}
