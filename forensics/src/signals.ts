import type { Band } from '@firsthand/contract/verification/signals.ts';
import type { HotTile } from './screen/heatmap.ts';

export interface ScreenSignal {
  /** False when nothing could be measured, or nothing was found at a size too small to clear. The signal then trips nothing. */
  evaluated: boolean;
  /** Why it was not evaluated. `too_dark`: no part of the picture is bright enough, or none is not overexposed. */
  reason?: 'too_small' | 'too_dark';
  screen_detected: boolean;
  /** Calibrated confidence in the value of `screen_detected`: p(screen) = detected ? confidence : 1 - confidence. */
  confidence: number;
  band: Band;
  evidence?: Record<string, unknown>;
  /** The parts of the picture that look like a display, strongest first. */
  heat_tiles?: HotTile[];
  /** PNG with alpha, to lay over the picture: clear where nothing was found, red to yellow where a display's pattern was. */
  heatmapPng?: Uint8Array;
}

export interface AiSignal {
  evaluated: boolean;
  label: 'likely_human' | 'likely_ai' | 'unknown';
  /** Calibrated probability that the label is right. */
  confidence: number;
  band: Band;
  evidence: { source: string; field: string; value: string }[];
  /** The score of a model beside genuine pictures: the operator's own, or those of the built-in model. */
  calibrated?: CalibratedScore;
  /** A model that looked at the pixels is why the label says `likely_ai`. Absent where a mark is. */
  found_by?: 'model';
}

export interface CalibratedScore {
  model: string;
  score: number;
  /** Genuine pictures of the calibration, and those of them that score at least this high. */
  genuine: number;
  as_high: number;
}

export interface DepthSignal {
  /** `camera_session`, `attestation`, `motion_parallax`, `apple_disparity`, `gdepth` ..., or `unavailable`. */
  source: string;
  confidence: number;
  band: Band;
  evaluated: boolean;
  /** Why it was not evaluated. */
  reason?: 'no_session' | 'session_inconclusive';
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

/** Other reasons for suspicion. Walls and documents are flat too, so without one a flat subject trips nothing. */
export interface FlatReason {
  screen: Band;
  /** The request declares the subject three-dimensional. */
  threeDimensional: boolean;
}

/** Returns the band of a subject that is flat with this confidence. */
export function flatBand(
  confidence: number,
  thresholds: { doubtful: number; confident: number },
  reason: FlatReason,
): Band {
  return reason.threeDimensional || reason.screen !== 'clear' ? bandOf(confidence, thresholds) : 'clear';
}

/** Confidence from which a flat subject is doubtful and confident: by two frames, and by a depth map, where any flat one is doubtful. */
export const FLAT_BY_FRAMES = { doubtful: 0.6, confident: 0.95 };
export const FLAT_BY_MAP = { doubtful: 0, confident: 0.9 };
