import { type Band, type CaptureSignals, REASON_CODES } from '@firsthand/contract/verification/signals.ts';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Findings, decide as judge, worstSignals } from './decide.ts';

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const band = fc.constantFrom<Band>('clear', 'doubtful', 'confident');
const notApplicable = fc.constant({ status: 'not_applicable' as const, reason: 'uploaded_content' as const });
const screen = fc.oneof(
  notApplicable,
  fc.record({ screen_detected: fc.boolean(), confidence: unit, band }),
  fc.constant({ screen_detected: false, confidence: 0, evaluated: false, band: 'confident' as Band }),
);
const ai = fc.record({ label: fc.constantFrom('likely_ai', 'likely_human', 'unknown'), confidence: unit, band });
const reverse = fc.record({ found_online: fc.boolean(), match_count: fc.nat(3), confidence: unit, band });
const depth = fc.record({ source: fc.constant('motion_parallax'), confidence: unit, band });
const signals = fc.record({
  screen_detection: screen,
  ai_detection: ai,
  reverse_search: reverse,
  depth,
}) as fc.Arbitrary<CaptureSignals>;
const REQUIRED = ['screen', 'ai', 'reverse', 'depth', 'context'] as const;

const decide = (
  required: Findings['required'],
  captures: Findings['captures'],
  context: Findings['context'] = null,
  supported = true,
) => judge({ required, captures, context, supported });

describe('decide', () => {
  it('is verified exactly without a reason and with support, and scores within 0..1', () => {
    fc.assert(
      fc.property(fc.array(signals, { minLength: 1, maxLength: 4 }), fc.boolean(), (captures, supported) => {
        const verdict = decide(REQUIRED, captures, null, supported);
        expect(verdict.label === 'verified').toBe(verdict.reason_code === undefined && supported);
        expect(verdict.score).toBeGreaterThanOrEqual(0);
        expect(verdict.score).toBeLessThanOrEqual(1);
        expect(Object.keys(verdict.signals).sort()).toEqual([
          'ai_detection',
          'depth',
          'reverse_search',
          'screen_detection',
        ]);
      }),
    );
  });

  it('never scores a verified verdict below 0.5', () => {
    fc.assert(
      fc.property(fc.array(signals, { minLength: 1, maxLength: 4 }), captures => {
        const { label, score } = decide(REQUIRED, captures);
        if (label === 'verified') expect(score).toBeGreaterThanOrEqual(0.5);
      }),
    );
    const leaning = { screen_detected: false, confidence: 0.18, band: 'clear' as Band };
    expect(decide(['screen'], [{ screen_detection: leaning }])).toEqual({
      label: 'verified',
      score: 0.5,
      signals: { screen_detection: { screen_detected: false, confidence: 0.18 } },
    });
  });

  it('is suspicious without a reason where nothing tripped and the support is missing', () => {
    fc.assert(
      fc.property(fc.array(signals, { minLength: 1, maxLength: 4 }), captures => {
        const supported = decide(REQUIRED, captures);
        const unsupported = decide(REQUIRED, captures, null, false);
        expect(unsupported).toEqual(
          supported.label === 'verified' ? { label: 'suspicious', score: 0.5, signals: supported.signals } : supported,
        );
      }),
    );
  });

  it('shows exactly the contract’s members of each signal', () => {
    const members = {
      screen_detection: ['confidence', 'screen_detected'],
      ai_detection: ['confidence', 'label'],
      reverse_search: ['found_online', 'match_count'],
      depth: ['confidence', 'source'],
    };
    fc.assert(
      fc.property(fc.array(signals, { minLength: 1, maxLength: 4 }), captures => {
        for (const [key, signal] of Object.entries(decide(REQUIRED, captures).signals)) {
          if ('status' in signal) continue;
          const { evaluated, ...shown } = signal as { evaluated?: boolean };
          expect([undefined, false]).toContain(evaluated);
          expect(Object.keys(shown).toSorted()).toEqual(members[key as keyof typeof members]);
        }
      }),
    );
  });

  it('does not depend on the order of captures, and never improves with one more capture', () => {
    const rank = { verified: 0, suspicious: 1, failed: 2 };
    fc.assert(
      fc.property(fc.array(signals, { minLength: 1, maxLength: 4 }), signals, (captures, extra) => {
        const label = decide(REQUIRED, captures).label;
        expect(decide(REQUIRED, captures.toReversed()).label).toBe(label);
        expect(rank[decide(REQUIRED, [...captures, extra]).label]).toBeGreaterThanOrEqual(rank[label]);
      }),
    );
  });

  it('gives the reason by the contract’s priority', () => {
    const all = {
      screen_detection: { screen_detected: true, confidence: 0.99, band: 'confident' },
      ai_detection: { label: 'likely_ai', confidence: 0.99, band: 'confident' },
      reverse_search: { found_online: true, match_count: 1, confidence: 0.99, band: 'confident' },
      depth: { source: 'x', confidence: 0.99, band: 'confident' },
    };
    const context = { band: 'confident' as Band, probability: 0.9 };
    const reasons = [];
    const left: Record<string, unknown> = { ...all };
    for (const key of ['screen_detection', 'ai_detection', null, 'reverse_search', 'depth']) {
      const spent = key !== 'screen_detection' && key !== 'ai_detection' && key !== null;
      reasons.push(decide(REQUIRED, [left as CaptureSignals], spent ? null : context).reason_code);
      if (key) delete left[key];
    }
    expect(reasons).toEqual(REASON_CODES);
  });

  it('is not affected by unknown or unevaluated signals, or by uploaded content', () => {
    const quiet = {
      screen_detection: { screen_detected: false, confidence: 0, evaluated: false },
      ai_detection: { label: 'unknown', confidence: 0.5, band: 'confident' },
      reverse_search: { found_online: false, match_count: 0, evaluated: false },
      depth: { source: 'unavailable', confidence: 0, evaluated: false },
    } as CaptureSignals;
    expect(decide(REQUIRED, [quiet])).toMatchObject({ label: 'verified' });
    const clean = {
      ...quiet,
      screen_detection: { screen_detected: false, confidence: 0.9, band: 'clear' },
    } as CaptureSignals;
    expect(decide(REQUIRED, [clean])).toMatchObject({ label: 'verified', score: 0.9 });
  });

  it('scores 0.5 when no signal gives a probability', () => {
    const uploaded = { status: 'not_applicable', reason: 'uploaded_content' };
    const open: [Findings['required'], object][] = [
      [['ai', 'depth'], { ai_detection: { label: 'unknown', confidence: 0 }, depth: uploaded }],
      [['reverse'], { reverse_search: { found_online: false, match_count: 0, evaluated: true, band: 'clear' } }],
      [['depth'], { depth: { source: 'motion_parallax', confidence: 0.9, evaluated: true, band: 'clear' } }],
    ];
    for (const [required, signals] of open) {
      expect(decide(required, [signals as CaptureSignals])).toMatchObject({ label: 'verified', score: 0.5 });
    }
    const fits = { band: 'clear' as Band, probability: null };
    expect(decide(['context'], [{}], fits)).toMatchObject({ label: 'verified', score: 0.5 });
  });

  it('shows the worst evaluated capture of each signal, and not_applicable only without another', () => {
    const clean = {
      screen_detection: { screen_detected: false, confidence: 0.9, band: 'clear' },
    } as unknown as CaptureSignals;
    const bad = {
      screen_detection: { screen_detected: true, confidence: 0.8, band: 'doubtful' },
    } as unknown as CaptureSignals;
    const uploaded = { screen_detection: { status: 'not_applicable', reason: 'uploaded_content' } } as CaptureSignals;
    expect(worstSignals(['screen'], [uploaded, clean, bad]).screen_detection).toBe(bad.screen_detection);
    expect(worstSignals(['screen'], [uploaded, clean]).screen_detection).toBe(clean.screen_detection);
    expect(worstSignals(['screen'], [uploaded]).screen_detection).toBe(uploaded.screen_detection);
    expect(decide(['screen'], [bad])).toMatchObject({
      label: 'suspicious',
      score: 0.8,
      reason_code: 'screen_detected',
    });
  });
});
