import genuine from './genuine.generated.json' with { type: 'json' };

/**
 * Name and threshold of the built-in model, and its log odds, ascending, of genuine pictures by people whose pictures it was not fitted on: of each the highest of four forms.
 * Made by `research/ai/judge.py`.
 */
export const genuineGenerated: { model: string; threshold: number; sources: number; log_odds: number[] } = genuine;
