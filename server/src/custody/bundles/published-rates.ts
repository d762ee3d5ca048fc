import type { SignalKey } from '@firsthand/contract/verification/signals.ts';

interface Rate {
  /** The row of docs/detection.md. */
  name: string;
  /** The model that was measured, where the signal has one. */
  model?: string;
  flagged: string;
}

const RATES: Record<SignalKey, Rate> = {
  screen_detection: {
    name: 'screen',
    model: 'screen-still-15',
    flagged: '19 of 3,091 suspicious (at most 1.0%), none failed',
  },
  depth: { name: 'depth', flagged: '3 of 247 answered pairs called flat (at most 3.1%), none with high confidence' },
  ai_detection: {
    name: 'ai',
    model: 'generated-1',
    flagged:
      'by marks 0 of 2,048 camera files (at most 0.1%); by pixels 5 of 860 photos suspicious (at most 1.2%), none failed',
  },
  reverse_search: {
    name: 'reverse',
    flagged: '8 of 7,381 pairs of files taken for the same picture, all of one scene from one spot',
  },
};

/**
 * The share of genuine pictures that each detector flagged, as docs/detection.md publishes it, by the signal it gives. A test holds
 * the texts against the document, and the models against those that were measured.
 */
export const PUBLISHED_RATES = Object.entries(RATES).map(([signal, rate]) => ({ signal, ...rate }));
