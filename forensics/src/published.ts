import type { SignalName } from '@firsthand/contract/verification/signals.ts';

/** How a detector did on sources that it never saw; `docs/detection.md` says how each number was measured. */
export interface PublishedRates {
  /** Genuine pictures that it flagged. */
  flagged: { count: number; of: number };
  /** Upper 95% bound of that share. */
  at_most: number;
  /** The pictures it should find, those it found, and the lower 95% bound of that share over the people who took them. */
  found?: { count: number; of: number; at_least?: number };
}

/** The vision model behind `context` is the operator's choice, so it has no published rates. */
export const PUBLISHED: { readonly [Name in SignalName]?: PublishedRates } = {
  screen: { flagged: { count: 19, of: 3_091 }, at_most: 0.01, found: { count: 193, of: 250, at_least: 0.71 } },
  ai: { flagged: { count: 0, of: 2_048 }, at_most: 0.001, found: { count: 29, of: 29 } },
  reverse: { flagged: { count: 8, of: 7_381 }, at_most: 0.002, found: { count: 120, of: 122 } },
  depth: { flagged: { count: 3, of: 247 }, at_most: 0.031, found: { count: 131, of: 136 } },
};

/** Of the built-in model that looks for generated pictures without a mark. */
export const PUBLISHED_BY_MODEL: PublishedRates = {
  flagged: { count: 5, of: 860 },
  at_most: 0.012,
  found: { count: 97, of: 455 },
};
