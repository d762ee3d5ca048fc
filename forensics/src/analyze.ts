import { readProvenance } from './ai/provenance.ts';
import { decode } from './decode.ts';
import type { ImageInfo } from './inspect.ts';
import { detectScreen } from './screen/detect.ts';
import type { AiSignal, DepthSignal, ScreenSignal, Thresholds } from './signals.ts';

export interface AnalysisRequest {
  bytes: Uint8Array;
  signals: ('screen' | 'ai' | 'depth')[];
  /** A second photograph of the same subject after a small sideways move. */
  motionFrame?: Uint8Array;
  /** Captured live through our page or SDK, with a passed attestation. */
  attested?: boolean;
  /** The subject was declared three-dimensional, so that a flat picture of it is wrong. */
  threeDimensional?: boolean;
  thresholds?: Partial<Thresholds>;
}

export interface PictureAnalysis {
  info: ImageInfo;
  /** JPEG, at most 1600 pixels a side, without metadata. */
  preview: Uint8Array;
  screen?: ScreenSignal;
  ai?: AiSignal;
  depth?: DepthSignal;
  /** Perceptual hash of the whole picture: 64 hex digits, and its quality 0..100. */
  pdq?: { hash: string; quality: number };
  metadata: {
    make?: string;
    model?: string;
    software?: string;
    taken_at?: string;
    gps?: { latitude: number; longitude: number };
    quantisation_hash?: string;
  };
}

/**
 * Everything the pixels and the metadata of one picture tell, from one decode. A signal that cannot be evaluated says so and
 * trips nothing; a detector's failure never hides another's answer.
 *
 * @throws ImageFault when the picture cannot be read at all.
 */
export async function analyzePicture(request: AnalysisRequest): Promise<PictureAnalysis> {
  const { bytes, signals } = request;
  const { info, picture, preview } = await decode(bytes);
  const provenance = readProvenance(bytes);
  const analysis: PictureAnalysis = { info, preview, metadata: provenance.metadata };
  if (signals.includes('screen')) analysis.screen = await detectScreen(picture, request.thresholds?.screen);
  if (signals.includes('ai')) analysis.ai = judgeOrigin(provenance, request.attested === true);
  if (signals.includes('depth')) {
    analysis.depth = { source: 'unavailable', confidence: 0, band: 'clear', evaluated: false };
  }
  return analysis;
}

/** Positive evidence only: marked as generated, or live with a passed attestation and no contrary sign; else unknown. */
function judgeOrigin(provenance: ReturnType<typeof readProvenance>, attested: boolean): AiSignal {
  const { evidence } = provenance;
  if (provenance.generated)
    return { evaluated: true, label: 'likely_ai', confidence: 0.99, band: 'confident', evidence };
  if (attested) {
    const live = { source: 'attestation', field: 'verdict', value: 'ok' };
    return { evaluated: true, label: 'likely_human', confidence: 0.9, band: 'clear', evidence: [...evidence, live] };
  }
  return { evaluated: true, label: 'unknown', confidence: 0.5, band: 'clear', evidence };
}
