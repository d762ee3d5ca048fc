import type { Band } from '@firsthand/contract/signals.ts';

export interface ScreenSignal {
  /** False when nothing could be measured (the picture is too small or too dark). The signal then trips nothing. */
  evaluated: boolean;
  screen_detected: boolean;
  /** Calibrated confidence in the value of `screen_detected`: p(screen) = detected ? confidence : 1 - confidence. */
  confidence: number;
  band: Band;
  evidence?: Record<string, unknown>;
  /** PNG: the picture darkened, and red where moire was found. */
  heatmapPng?: Uint8Array;
}

export interface AiSignal {
  evaluated: boolean;
  label: 'likely_human' | 'likely_ai' | 'unknown';
  /** Calibrated probability that the label is right. */
  confidence: number;
  band: Band;
  evidence: { source: string; field: string; value: string }[];
}

export interface DepthSignal {
  /** `motion_parallax`, `apple_disparity`, `gdepth` ..., or `unavailable`. */
  source: string;
  confidence: number;
  band: Band;
  evaluated: boolean;
  evidence?: Record<string, unknown>;
}

/** Probabilities from which a signal is doubtful and confident. A deployment may set its own. */
export interface Thresholds {
  screen: { doubtful: number; confident: number };
}

/** Returns the band of a calibrated probability that something is wrong. */
export function bandOf(probability: number, thresholds: { doubtful: number; confident: number }): Band {
  if (probability >= thresholds.confident) return 'confident';
  return probability >= thresholds.doubtful ? 'doubtful' : 'clear';
}
