import {
  type CaptureSignals,
  decidedWithoutPictures,
  type Evaluated,
  evaluated,
} from '@firsthand/contract/verification/signals.ts';
import { bandOf, FLAT_BY_FRAMES, FLAT_BY_MAP, flatBand, type Thresholds } from './signals.ts';

/** Returns the signals of a picture as they would be under other thresholds of the screen detector. What was measured stays. */
export function rejudge(
  signals: CaptureSignals,
  thresholds: Thresholds['screen'],
  threeDimensional: boolean,
): CaptureSignals {
  const screen = evaluated<Evaluated<'screen_detection'>>(signals.screen_detection);
  if (!screen) return signals;
  const probability = screen.screen_detected ? screen.confidence : 1 - screen.confidence;
  const band = bandOf(probability, thresholds);
  const screen_detected = band !== 'clear';
  const screen_detection = {
    ...screen,
    band,
    screen_detected,
    confidence: screen_detected ? probability : 1 - probability,
  };
  const depth = evaluated<Evaluated<'depth'>>(signals.depth);
  // What a session or a missing attestation says does not rest on the screen detector.
  if (!depth || decidedWithoutPictures(depth.source)) return { ...signals, screen_detection };
  const { answer, planar } = (depth.evidence ?? {}) as { answer?: string; planar?: boolean };
  const byFrames = depth.source === 'motion_parallax';
  const isFlat = byFrames ? answer === 'flat' : planar === true;
  const reason = { screen: band, threeDimensional };
  const flat = flatBand(depth.confidence, byFrames ? FLAT_BY_FRAMES : FLAT_BY_MAP, reason);
  return { ...signals, screen_detection, depth: { ...depth, band: isFlat ? flat : 'clear' } };
}
