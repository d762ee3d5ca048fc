import { fromHex, hamming } from '@firsthand/forensics/phash/hash.ts';
import type { CaptureFacts, CaseFacts } from './facts.ts';
import { capitalised, pictures } from './facts.ts';
import type { Assessment, Finding } from './finding.ts';

/** Two PDQ hashes of one picture may differ in this many of their 256 bits (facebook/ThreatExchange). */
const PDQ_MATCH_BITS = 31;

/** True when two hashes belong to one picture, also after recompressing, resizing or brightening it. */
export const resembles = (a: Uint8Array, b: Uint8Array): boolean => hamming(a, b) <= PDQ_MATCH_BITS;

/** Finds a file or picture that appears twice in the case, or already in an earlier case of the tenant. */
export function assessRepeats({ captures, repeats }: Pick<CaseFacts, 'captures' | 'repeats'>): Assessment {
  const findings: Finding[] = [...within(captures), ...before(captures, repeats)];
  if (findings.length === 0) {
    findings.push({
      dimension: 'cross_image_consistency',
      weight: 0,
      text: 'No picture repeats another, here or in an earlier case.',
    });
  }
  const hashed = captures.filter(capture => capture.pdq !== null).length;
  const unknowns =
    hashed < captures.length
      ? ['Not every picture could be compared by its appearance; equal files are always found.']
      : [];
  return { findings, unknowns, coverage: 0.5 + hashed / Math.max(1, captures.length) / 2 };
}

function within(captures: readonly CaptureFacts[]): Finding[] {
  const findings: Finding[] = [];
  for (const [index, a] of captures.entries()) {
    for (const b of captures.slice(index + 1)) {
      const numbers = pictures([a.number, b.number]);
      const dimension = 'cross_image_consistency';
      if (a.sha256 === b.sha256) {
        findings.push({ dimension, weight: 0.5, text: `${capitalised(numbers)} are the same file.` });
      } else if (a.pdq && b.pdq && resembles(fromHex(a.pdq), fromHex(b.pdq))) {
        // Two views of one thing from one spot are nearly alike too. A match is strange only across steps.
        const weight = a.stepKey === b.stepKey ? 0.15 : 0.35;
        findings.push({ dimension, weight, text: `${capitalised(numbers)} show the same view.` });
      }
    }
  }
  return findings;
}

function before(captures: readonly CaptureFacts[], repeats: CaseFacts['repeats']): Finding[] {
  return captures.flatMap((capture): Finding[] => {
    const own = repeats.filter(repeat => repeat.captureId === capture.id);
    if (own.length === 0) return [];
    const file = own.some(repeat => repeat.kind === 'same_file');
    const elsewhere = own.find(repeat => !repeat.sameSubject) ?? own[0]!;
    const weight = elsewhere.sameSubject ? 0.25 : file ? 0.8 : 0.65;
    const cases = new Set(own.map(repeat => repeat.otherVerificationId)).size;
    return [
      {
        dimension: 'cross_image_consistency',
        weight,
        text:
          `${capitalised(pictures([capture.number]))} was sent before ${file ? 'as the same file' : 'in another form'} in ` +
          `${cases === 1 ? '' : `${cases} earlier cases, among them `}${elsewhere.otherVerificationId}` +
          `${elsewhere.sameSubject ? ', which is about the same subject' : ''}.`,
      },
    ];
  });
}
