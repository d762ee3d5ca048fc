import { readFileSync } from 'node:fs';
import type { ImageStep, UploadStep } from '@firsthand/contract/capture/steps.ts';
import { DEPTH_POLICIES } from '@firsthand/contract/verification/presence.ts';
import {
  type CaptureSignals,
  NOT_APPLICABLE,
  SIGNAL_NAMES,
  SIGNALS,
  type SignalName,
} from '@firsthand/contract/verification/signals.ts';
import { UNANSWERED } from '@firsthand/contract/verification/unanswered.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CaptureRow } from '../verifications/row.ts';
import { supports } from './support.ts';

type Photo = Parameters<typeof supports>[1][number];
type Asked = Parameters<typeof supports>[0];
/** What each signal says: an answer, or why there is none. */
type Said = Partial<Record<SignalName, 'answer' | string>>;

const live: ImageStep = { type: 'image', key: 'a', description: '', min: 1, max: 4 };
const optional: ImageStep = { ...live, key: 'b', min: 0 };
const upload: UploadStep = {
  type: 'upload',
  key: 'u',
  description: '',
  min: 1,
  max: 4,
  accept: ['image/jpeg'],
  max_size_bytes: 1,
};

const asked = (signals_required: SignalName[], more: Partial<Asked> = {}): Asked => ({
  steps: [live],
  signals_required,
  ...more,
});

function photoOf(said: Said, more: Partial<Photo> = {}): Photo {
  const signals: Record<string, unknown> = {};
  let context: CaptureRow['context'] = null;
  for (const { name, key, uploads } of SIGNALS) {
    const answer = said[name];
    if (answer === undefined) continue;
    if (key === null) context = answer === 'answer' ? { evaluated: true } : { evaluated: false, no_answer: answer };
    else if (more.source === 'upload' && !uploads) signals[key] = NOT_APPLICABLE;
    else signals[key] = answer === 'answer' ? { evaluated: true } : { evaluated: false, reason: answer };
  }
  return {
    step_key: live.key,
    source: 'live',
    signals: signals as CaptureSignals,
    context,
    analysis_state: 'done',
    ...more,
  };
}

const cells = SIGNAL_NAMES.flatMap(signal =>
  Object.entries(UNANSWERED[signal]).flatMap(([reason, row]) =>
    DEPTH_POLICIES.map(policy => ({ signal, reason, policy, chooser: row[policy] })),
  ),
);
const other = (signal: SignalName): SignalName => (signal === 'ai' ? 'screen' : 'ai');

const anyReason = fc.constantFrom('answer', 'a reason nobody knows', ...cells.map(({ reason }) => reason));
const anyPhoto = fc
  .record({
    said: fc.record(Object.fromEntries(SIGNAL_NAMES.map(name => [name, anyReason]))),
    source: fc.constantFrom('live' as const, 'upload' as const),
  })
  .map(({ said, source }) => photoOf(said as Said, { source }));
const anyAsked = fc.record({
  signals_required: fc.uniqueArray(fc.constantFrom(...SIGNAL_NAMES), { minLength: 1 }),
  steps: fc.constantFrom([live], [optional], [upload], [live, upload], [optional, upload]),
  depth_policy: fc.constantFrom(...DEPTH_POLICIES),
}) as unknown as fc.Arbitrary<Asked>;

describe('docs/verdict.md', () => {
  it('has the table of unanswered signals', () => {
    const page = readFileSync(new URL('../../../../docs/verdict.md', import.meta.url), 'utf8');
    const shown = page.split('\n').flatMap(line => {
      const [, signal = '', why = '', lenient = '', strict = ''] = line.split('|').map(cell => cell.trim());
      if (!/^`\w+`$/.test(signal) || !lenient) return [];
      const reasons = why.split(/[:;]/)[0]!.match(/\w+/g) ?? [];
      return reasons.flatMap(reason => [
        `${signal.slice(1, -1)} ${reason} lenient ${lenient}`,
        `${signal.slice(1, -1)} ${reason} attested ${lenient}`,
        `${signal.slice(1, -1)} ${reason} strict ${strict}`,
      ]);
    });
    const expected = cells.map(({ signal, reason, policy, chooser }) => `${signal} ${reason} ${policy} ${chooser}`);
    expect(shown.toSorted()).toEqual(expected.toSorted());
  });
});

describe('supports', () => {
  it.each(cells)('$signal without an answer ($reason, $policy) is the choice of the $chooser', cell => {
    const { signal, reason, policy: depth_policy, chooser } = cell;
    const alone = asked([signal], { depth_policy });
    expect(supports(alone, [photoOf({ [signal]: reason })])).toBe(false);
    expect(supports(alone, [photoOf({ [signal]: 'answer' })])).toBe(true);
    const beside = asked([signal, other(signal)], { depth_policy });
    const photo = photoOf({ [signal]: reason, [other(signal)]: 'answer' });
    expect(supports(beside, [photo])).toBe(chooser === 'service');
  });

  it('takes a reason that the table does not list for the sender’s choice', () => {
    for (const signal of SIGNAL_NAMES) {
      for (const reason of ['new_reason', 'constructor', '']) {
        const photo = photoOf({ [signal]: reason, [other(signal)]: 'answer' });
        expect(supports(asked([signal, other(signal)]), [photo])).toBe(false);
      }
    }
    expect(supports(asked(['context', 'ai']), [photoOf({ ai: 'answer' })])).toBe(false);
  });

  it('needs an answer for each photo of a step, not for one of them', () => {
    const good = photoOf({ ai: 'answer', depth: 'answer' });
    const silent = photoOf({ depth: 'no_session' });
    expect(supports(asked(['depth']), [good])).toBe(true);
    expect(supports(asked(['depth']), [good, silent])).toBe(false);
    expect(supports(asked(['screen']), [photoOf({ screen: 'answer' }), photoOf({ screen: 'too_small' })])).toBe(false);
  });

  it('judges a live photo in an optional step as well', () => {
    const steps = [live, optional];
    const good = photoOf({ screen: 'answer' });
    expect(supports(asked(['screen'], { steps }), [good])).toBe(true);
    expect(supports(asked(['screen'], { steps }), [good, photoOf({ screen: 'too_small' })])).toBe(false);
    expect(supports(asked(['screen'], { steps: [optional] }), [photoOf({ screen: 'too_small' })])).toBe(false);
  });

  it('asks no depth of a step of flat things', () => {
    const flat = { context: { kind: 'claim', summary: 'x', attributes: { [`three_dimensional.${live.key}`]: false } } };
    const photo = photoOf({ screen: 'answer', depth: 'no_session' });
    expect(supports(asked(['screen', 'depth'], { ...flat, depth_policy: 'strict' }), [photo])).toBe(true);
    expect(supports(asked(['screen', 'depth'], { depth_policy: 'strict' }), [photo])).toBe(false);
    expect(supports(asked(['depth'], flat), [photo])).toBe(false);
  });

  it('counts uploads neither way beside a required live photo', () => {
    const steps = [live, upload];
    const good = photoOf({ screen: 'answer', reverse: 'answer' });
    const file = (said: Said) => photoOf({ screen: 'answer', ...said }, { source: 'upload' });
    expect(supports(asked(['screen', 'reverse'], { steps }), [good, file({ reverse: 'too_plain' })])).toBe(true);
    expect(supports(asked(['screen', 'reverse'], { steps }), [photoOf({}), file({ reverse: 'answer' })])).toBe(false);
  });

  it('judges uploads by what applies to them, if there are only uploads', () => {
    const file = (said: Said) => photoOf(said, { source: 'upload' });
    const steps = [upload];
    for (const more of [{ steps }, { mode: 'audit' as const }]) {
      expect(supports(asked(['screen', 'depth'], more), [file({ screen: 'answer', depth: 'answer' })])).toBe(false);
      expect(supports(asked(['screen', 'ai'], more), [file({ screen: 'answer', ai: 'answer' })])).toBe(true);
      expect(supports(asked(['reverse'], more), [file({ reverse: 'answer' })])).toBe(true);
      expect(supports(asked(['reverse'], more), [file({ reverse: 'nothing_to_search' })])).toBe(false);
      expect(supports(asked(['ai', 'reverse'], more), [file({ ai: 'answer', reverse: 'too_plain' })])).toBe(false);
      expect(supports(asked(['ai', 'reverse'], more), [file({ ai: 'answer', reverse: 'nothing_to_search' })])).toBe(
        true,
      );
    }
  });

  it('is not supported by a photo whose analysis failed', () => {
    const good = photoOf({ ai: 'answer' });
    expect(supports(asked(['ai']), [good, photoOf({}, { analysis_state: 'failed', signals: null })])).toBe(false);
    expect(supports(asked(['ai']), [])).toBe(false);
  });

  it('never begins to support with one more photo, in any order', () => {
    fc.assert(
      fc.property(anyAsked, fc.array(anyPhoto, { minLength: 1, maxLength: 4 }), anyPhoto, (request, photos, more) => {
        const before = supports(request, photos);
        expect(supports(request, photos.toReversed())).toBe(before);
        const counts = photos.some(({ source }) => source === 'live') || !request.steps.includes(live);
        if (!before && counts) expect(supports(request, [...photos, more])).toBe(false);
      }),
    );
  });
});
