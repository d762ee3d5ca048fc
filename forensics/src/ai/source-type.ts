/**
 * The four meanings of IPTC's digital source type (NewsCodes scheme `digitalsourcetype`) that matter here. Ambiguous terms
 * (`compositeSynthetic`, `algorithmicMedia`, `humanEdits`, `screenCapture` …) are `other`.
 */
export type SourceKind = 'generated' | 'composite' | 'captured' | 'other';

const KINDS: Record<string, SourceKind> = {
  trainedalgorithmicmedia: 'generated',
  compositewithtrainedalgorithmicmedia: 'composite',
  digitalcapture: 'captured',
  computationalcapture: 'captured',
};

/** Accepts the full address, the `digsrctype:` form or the bare term; undefined for anything else. */
export function sourceKind(value: string): { term: string; kind: SourceKind } | undefined {
  const term = value.trim().match(/(?:^|[/:#])([A-Za-z]{4,64})$/)?.[1];
  if (!term) return undefined;
  return { term, kind: KINDS[term.toLowerCase()] ?? 'other' };
}
