import type { MotionAbsence } from '@firsthand/contract/verification/presence.ts';
import type { PictureMetadata } from '../files/metadata/picture-metadata.ts';
import type { Picture } from '../pixels/picture.ts';

/** A direction in which the page asks the person to move the camera. */
export type Move = 'left' | 'right' | 'up' | 'down';

/** A small frame of the trace: at most 480 pixels a side. */
export interface TraceFrame {
  /** The video's own time, ms. */
  at: number;
  picture: Picture;
}

/** A square of a frame at the video's full resolution, always from the same place on the sensor. */
export interface Crop {
  /** Index of the frame that it belongs to. */
  frame: number;
  /** Upper left corner in pixels of the full video frame. */
  x: number;
  y: number;
  picture: Picture;
}

/** Rotation rates about the device's axes, in radians per second. Device axes: x to the right, y up, z out of the display. */
export interface MotionSample {
  /** ms on the frames' clock, apart from a constant delay. */
  at: number;
  rate: readonly [number, number, number];
}

/** The record that the page keeps while the person moves the camera. */
export interface Trace {
  /** When the first frame was taken, by the page's clock: ms since 1970. */
  beganAt: number;
  frames: TraceFrame[];
  /** Width of the full video frame that the crops come from. */
  videoWidth: number;
  crops: Crop[];
  motion: MotionSample[];
  /** Why `motion` is empty, by the sender's own account. */
  motionAbsence?: MotionAbsence;
}

export interface Challenge {
  moves: readonly Move[];
  /** ms since 1970, by the server's clock. */
  issuedAt: number;
  expiresAt: number;
}

/** A camera session as the checks see it. */
export interface Session {
  challenge: Challenge;
  trace: Trace;
  still: Picture;
  /** The second frame that the page takes at the end of the trace. */
  second?: Picture;
  metadata?: PictureMetadata;
  /** The thumbnail in the still's own file, decoded and upright. */
  thumbnail?: Picture;
}

export interface CheckResult {
  /** False when the check has no answer. It then counts neither for nor against the session. */
  evaluated: boolean;
  passed?: boolean;
  /** Probability that the session is the attack that this check looks for. Ordered; calibrated only where the card says so. */
  probability?: number;
  /** One sentence for the person who reviews the capture. */
  words: string;
  /** What the check lacks although the page or the device gives it. A strict policy then counts no answer; words for the person who reviews. */
  missing?: string;
  /** The session contradicts itself, so no honest circumstance explains a failure. */
  contradiction?: boolean;
  evidence: Record<string, number | string | boolean | null>;
}

export const noAnswer = (words: string, evidence: CheckResult['evidence'] = {}): CheckResult => ({
  evaluated: false,
  words,
  evidence,
});

/** No answer either, but with a probability that the session is the attack: honest people do the same, so it accuses nobody. */
export const doubt = (words: string, probability: number, evidence: CheckResult['evidence']): CheckResult => ({
  ...noAnswer(words, evidence),
  probability,
});

export const passed = (words: string, probability: number, evidence: CheckResult['evidence']): CheckResult => ({
  evaluated: true,
  passed: true,
  probability,
  words,
  evidence,
});

export const failed = (words: string, probability: number, evidence: CheckResult['evidence']): CheckResult => ({
  ...passed(words, probability, evidence),
  passed: false,
});

/** Fails with a contradiction. */
export const contradicted = (words: string, probability: number, evidence: CheckResult['evidence']): CheckResult => ({
  ...failed(words, probability, evidence),
  contradiction: true,
});
