import type { GenuineScores } from '../odds.ts';
import genuine from './genuine.generated.json' with { type: 'json' };

/**
 * The scores of the published model on genuine pictures, beside which a picture's own score is read. No regression, tree or network was fitted on them;
 * weights and thresholds were set on them. Made by `research/screen/calibrate.ts`.
 */
export const genuineScreen: GenuineScores = genuine;
