import type { GenuineScores } from '../odds.ts';
import genuine from './genuine.generated.json' with { type: 'json' };

/**
 * The scores of the published model on genuine pictures, beside which a picture's own score is read. Each source is scored by a model that
 * never saw it. Made by `research/screen/calibrate.ts`.
 */
export const genuineScreen: GenuineScores = genuine;
