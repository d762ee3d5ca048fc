import { type AiEvidence, type AiResult, UNVERIFIED } from '@firsthand/forensics/ai/assess.ts';
import { sourceKind } from '@firsthand/forensics/ai/source-type.ts';
import { many, type Queryable } from '../../../platform/db/sql.ts';
import { isWhole } from './match.ts';
import type { ReverseSignal } from './search.ts';

/** What an earlier capture's C2PA manifest says, as `ai_detection` read it. */
interface Original {
  captureId: string;
  evidence: AiEvidence[];
  vouched: AiResult['vouched'];
}

/** Members of `evidence` that say who made the original and how. */
const TOLD = new Set(['validation', 'signer', 'device']);
/** A copy is found by its likeness, not by its bytes. So what the original says of itself is a doubt about the copy, never more. */
const COPY = { label: 'likely_ai', band: 'doubtful', confidence: 0.9 } as const;

/**
 * Adds to `ai_detection` what the manifest of the original says, where a picture has lost its own: messengers and screenshots strip manifests.
 * The original is the closest match of reverse search among the tenant's earlier captures that came with a manifest.
 *
 * Anybody can sign a part of somebody else's scene under any name and send it first. So the manifest counts only if a signer whom the service
 * trusts answers for what it says, and the two pictures are the same as a whole. Then a generated original makes the copy `likely_ai`; a
 * camera's original says nothing about the copy. Otherwise the claims are shown as unverified, without names, and decide nothing.
 */
export async function withOriginal(db: Queryable, ai: AiResult, reverse: ReverseSignal): Promise<AiResult> {
  if (ai.evidence.some(({ source }) => source === 'c2pa')) return ai;
  const matches = reverse.matches.flatMap(match =>
    'capture_id' in match && match.capture_id && !match.later ? [{ ...match, captureId: match.capture_id }] : [],
  );
  const originals =
    matches.length > 0
      ? await originalsOf(
          db,
          matches.map(({ captureId }) => captureId),
        )
      : [];
  const whole = new Set(matches.filter(isWhole).map(({ captureId }) => captureId));
  const vouched = originals.find(original => original.vouched && whole.has(original.captureId));
  const original = vouched ?? originals.find(one => claimsOf(one).length > 0);
  if (!original) return ai;
  const evidence = [
    ...ai.evidence,
    { source: 'reverse', field: 'original', value: original.captureId },
    ...(vouched ? wordsOf(vouched) : claimsOf(original)),
  ];
  const isDoubt = vouched?.vouched === 'generated' && ai.label !== 'likely_ai';
  return { ...ai, evidence, ...(isDoubt ? COPY : {}) };
}

const wordsOf = ({ evidence }: Original): AiEvidence[] =>
  evidence
    .filter(({ field }) => TOLD.has(field))
    .map(({ field, value }) => ({ source: 'reverse', field: `${field} of the original`, value }));

/** The terms of IPTC among the claims. All other words of a manifest are the signer's own. */
function claimsOf({ evidence }: Original): AiEvidence[] {
  const terms = evidence.flatMap(({ field, value }) => {
    const source = field.includes('/') ? sourceKind(value.split(' ')[0]!) : undefined;
    return source && source.kind !== 'other' ? [source.term] : [];
  });
  return [...new Set(terms)].map(value => ({ source: 'reverse', field: `claims${UNVERIFIED}`, value }));
}

/** The originals with a manifest that is not invalid, in the order of `ids`. One whose manifest nobody answers for has no `vouched`. */
async function originalsOf(db: Queryable, ids: string[]): Promise<Original[]> {
  const rows = await many<{ id: string; ai: AiResult }>(
    db,
    `select id, signals->'ai_detection' as ai from captures
     where id = any($1) and signals->'ai_detection'->'evidence' @> '[{"source": "c2pa", "field": "validation"}]'
     order by array_position($1, id)`,
    [ids],
  );
  return rows
    .map(({ id, ai }) => ({
      captureId: id,
      vouched: ai.vouched,
      evidence: ai.evidence.filter(one => one.source === 'c2pa'),
    }))
    .filter(
      ({ evidence }) => !evidence.some(({ field, value }) => field === 'validation' && value.startsWith('invalid')),
    );
}
