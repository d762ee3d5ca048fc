import type { Config } from '@firsthand/contract/verification/verification.ts';
import type { CaptureRow } from '../verifications/row.ts';
import { answeredBy, signalsAsked } from '../verifications/steps.ts';

type Photo = Pick<CaptureRow, 'step_key' | 'source' | 'signals' | 'context' | 'analysis_state'>;
type Asked = Pick<Config, 'steps' | 'signals_required' | 'mode' | 'depth_policy' | 'context'>;

/** True when a signal that is asked of the photo answered, and none is missing by its sender's choice. */
function isSupported(photo: Photo, asked: Asked): boolean {
  if (photo.analysis_state !== 'done') return false;
  const answers = signalsAsked(asked, photo.step_key).map(name => answeredBy(name, photo, asked.depth_policy));
  return (
    answers.some(({ answered }) => answered === true) &&
    answers.every(answer => answer.answered !== false || answer.chosenBy === 'service')
  );
}

/**
 * True when a verdict may say `verified`: every live photo is supported. Uploads count neither way beside a required live
 * photo; where none is required, they need support themselves. docs/verdict.md has the table.
 */
export function supports(asked: Asked, photos: readonly Photo[]): boolean {
  const needsLive = asked.mode !== 'audit' && asked.steps.some(step => step.type === 'image' && step.min > 0);
  const judged = photos.filter(({ source }) => source === 'live' || !needsLive);
  return judged.length > 0 && judged.every(photo => isSupported(photo, asked));
}
