import type { Picture } from '../pixels/picture.ts';
import type { AiResult } from './assess.ts';
import { type CalibratedModel, loadCalibrated, withModel } from './calibration.ts';
import { ModelFault } from './manifest.ts';

const loaded = new Map<string, Promise<CalibratedModel>>();

/**
 * Adds the result of the operator's model, which each thread loads once. An unusable model is reported in the evidence and leaves the
 * provenance result unchanged.
 */
export async function withOperatorModel(result: AiResult, manifestPath: string, picture: Picture): Promise<AiResult> {
  const known = loaded.get(manifestPath) ?? loadCalibrated(manifestPath);
  loaded.set(manifestPath, known);
  try {
    const calibrated = await known;
    return withModel(result, calibrated, await calibrated.model.score(picture));
  } catch (fault) {
    return withFault(result, fault instanceof ModelFault ? fault.message : 'the model failed on this picture');
  }
}

/** Names in the evidence why the model says nothing. */
export const withFault = (result: AiResult, why: string): AiResult => ({
  ...result,
  evidence: [...result.evidence, { source: 'model', field: 'fault', value: why.slice(0, 300) }],
});
