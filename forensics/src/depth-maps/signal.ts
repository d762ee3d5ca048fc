import type { Band } from '@firsthand/contract/verification/signals.ts';
import { round } from '../pixels/round.ts';
import { FLAT_BY_MAP, type FlatReason, flatBand } from '../signals.ts';
import { assessDepthMap } from './planarity.ts';
import { readDepthMap } from './read.ts';

/** The depth map's findings in the terms of `DepthSignal`. */
export interface DepthMapSignal {
  source: string;
  confidence: number;
  band: Band;
  evaluated: boolean;
  evidence?: Record<string, unknown>;
}

export const NO_DEPTH: DepthMapSignal = { source: 'unavailable', confidence: 0, band: 'clear', evaluated: false };

/**
 * Reads and assesses the depth map in a picture. Walls and documents are flat, so a flat map trips only with another reason: screen
 * evidence, or a subject declared three-dimensional.
 */
export async function depthSignal(bytes: Uint8Array, reason: FlatReason): Promise<DepthMapSignal> {
  const found = await readDepthMap(bytes);
  if (!found) return NO_DEPTH;
  const { planar, confidence, relief, inliers } = assessDepthMap(found.map);
  if (planar === null) return { ...NO_DEPTH, source: found.source };
  const evidence = {
    planar,
    relief: round(relief),
    inliers: round(inliers),
    width: found.map.width,
    height: found.map.height,
  };
  const band = planar ? flatBand(round(confidence), FLAT_BY_MAP, reason) : 'clear';
  return { source: found.source, confidence: round(confidence), band, evaluated: true, evidence };
}
