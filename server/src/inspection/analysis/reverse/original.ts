import type { AiEvidence, AiResult } from '@firsthand/forensics/ai/assess.ts';
import { many, type Queryable } from '../../../platform/db/sql.ts';
import type { ReverseSignal } from './search.ts';

/** What an earlier capture's C2PA manifest says, as `ai_detection` read it. */
interface Original {
  captureId: string;
  label: AiResult['label'];
  evidence: AiEvidence[];
}

/** Members of `evidence` that say who made the original and how. */
const TOLD = new Set(['validation', 'signer', 'device']);
/** A copy is found by its likeness, not by its bytes. So what the original says of itself is a doubt about the copy, never more. */
const COPY = { label: 'likely_ai', band: 'doubtful', confidence: 0.9 } as const;

/**
 * Adds to `ai_detection` what the manifest of the original says, where a picture has lost its own: messengers and screenshots strip manifests. The
 * original is the closest match of reverse search among the tenant's earlier captures that came with a valid manifest. A generated original
 * makes the copy `likely_ai`; a camera's original says nothing about the copy.
 */
export async function withOriginal(db: Queryable, ai: AiResult, reverse: ReverseSignal): Promise<AiResult> {
  if (ai.evidence.some(({ source }) => source === 'c2pa')) return ai;
  const ids = reverse.matches.flatMap(match =>
    'capture_id' in match && match.capture_id && !match.later ? [match.capture_id] : [],
  );
  const original = ids.length > 0 ? await originalOf(db, ids) : undefined;
  if (!original) return ai;
  const evidence = original.evidence
    .filter(({ field }) => TOLD.has(field))
    .map(({ field, value }) => ({ source: 'reverse', field: `${field} of the original`, value }));
  const told = {
    ...ai,
    evidence: [...ai.evidence, { source: 'reverse', field: 'original', value: original.captureId }, ...evidence],
  };
  return original.label === 'likely_ai' && ai.label !== 'likely_ai' ? { ...told, ...COPY } : told;
}

async function originalOf(db: Queryable, ids: string[]): Promise<Original | undefined> {
  const rows = await many<{ id: string; ai: AiResult }>(
    db,
    `select id, signals->'ai_detection' as ai from captures
     where id = any($1) and signals->'ai_detection'->'evidence' @> '[{"source": "c2pa", "field": "validation"}]'
     order by array_position($1, id)`,
    [ids],
  );
  const [found] = rows
    .map(({ id, ai }) => ({
      captureId: id,
      label: ai.label,
      evidence: ai.evidence.filter(one => one.source === 'c2pa'),
    }))
    .filter(
      ({ evidence }) => !evidence.some(({ field, value }) => field === 'validation' && value.startsWith('invalid')),
    );
  return found;
}
