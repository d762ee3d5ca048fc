export type DimensionName = 'cross_image_consistency' | 'physical_plausibility' | 'narrative_image_match';

/** The result of one comparison. */
export interface Finding {
  dimension: DimensionName;
  /** 0: in order. 1: enough to reject on this dimension. */
  weight: number;
  /** The finding in one sentence; for weight 0 the sentence supports the case. */
  text: string;
}

/** The findings from one kind of evidence. */
export interface Assessment {
  findings: Finding[];
  /** Open questions, in one sentence each. */
  unknowns: string[];
  /** Share 0..1 of the possible comparisons for which the case held data; null: does not apply. */
  coverage: number | null;
}
