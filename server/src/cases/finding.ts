export type DimensionName = 'cross_image_consistency' | 'physical_plausibility' | 'narrative_image_match';

/** One thing that was looked at. */
export interface Finding {
  dimension: DimensionName;
  /** 0: in order; 1: grounds to reject on this dimension alone. */
  weight: number;
  /** What was found, in one sentence; for weight 0 what supports the case. */
  text: string;
}

/** What one kind of evidence says of a case. */
export interface Assessment {
  findings: Finding[];
  /** What could not be told, in one sentence each. */
  unknowns: string[];
  /** Share 0..1 of what this kind of evidence could compare that was there to be compared; null: does not apply. */
  coverage: number | null;
}
