import { CaseAnalysis, type Verdict } from '@firsthand/contract/verification/verification.ts';
import fc from 'fast-check';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { bounded, boundedList } from '../../platform/lib/text.ts';
import { type CaptureFacts, type CaseFacts, gapMs, statedInstant } from './facts.ts';
import { literalPlaces, namedDates, placeNames } from './narrative.ts';
import { combine, judgeEvidence, overallRisk, present, priorityOf, RUBRIC_NAME } from './rubric.ts';

const NOW = Date.parse('2026-05-20T12:00:00Z');
const DAY = 86_400_000;

const capture = (over: Partial<CaptureFacts> = {}): CaptureFacts => ({
  id: `cap_${'0'.repeat(26)}`,
  number: 1,
  stepKey: 'photo',
  source: 'live',
  sha256: 'a'.repeat(64),
  width: 4000,
  height: 3000,
  serverAt: NOW,
  clientAt: null,
  exifAt: null,
  gpsAt: null,
  device: null,
  exifPlace: null,
  make: null,
  model: null,
  software: null,
  quantizationHash: null,
  pdq: null,
  locationSource: null,
  location: null,
  signals: {},
  analysisFailed: false,
  ...over,
});
const caseOf = (captures: CaptureFacts[], over: Partial<CaseFacts> = {}): CaseFacts => ({
  captures: captures.map((one, index) => ({ ...one, number: index + 1 })),
  repeats: [],
  narrative: '',
  finalizedAt: NOW,
  verdict: null,
  namedPlaces: [],
  ...over,
});
const analyse = (facts: CaseFacts) => present(facts, judgeEvidence(facts), { model: RUBRIC_NAME });

const text = fc.string({ unit: 'binary', maxLength: 400 });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const position = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});
const instant = fc.integer({ min: -1e12, max: 4e12 });
const anyCapture: fc.Arbitrary<CaptureFacts> = fc.record({
  id: fc.constant(`cap_${'0'.repeat(26)}`),
  number: fc.constant(1),
  stepKey: fc.constantFrom('a', 'b'),
  source: fc.constantFrom('live' as const, 'upload' as const),
  sha256: fc.constantFrom('a'.repeat(64), 'b'.repeat(64), 'c'.repeat(64)),
  width: fc.integer({ min: 1, max: 10_000 }),
  height: fc.integer({ min: 1, max: 10_000 }),
  serverAt: instant,
  clientAt: orNull(instant),
  exifAt: orNull(fc.record({ at: instant, slackMs: fc.constantFrom(0, 14 * 3_600_000) })),
  gpsAt: orNull(instant),
  device: orNull(position),
  exifPlace: orNull(position),
  make: orNull(text),
  model: orNull(text),
  software: orNull(fc.oneof(text, fc.constant('GIMP 2.10'))),
  quantizationHash: orNull(fc.constantFrom('q1', 'q2')),
  pdq: orNull(fc.constantFrom('0'.repeat(64), 'f'.repeat(64))),
  location: orNull(fc.record({ result: fc.constantFrom('rejected', 'no_match', 'ungeocoded', 'verified' as const) })),
  locationSource: orNull(fc.constantFrom('app' as const, 'page' as const, 'program' as const)),
  signals: fc.constantFrom(
    {},
    { screen_detection: { screen_detected: true, confidence: 0.97, band: 'confident' } },
    { screen_detection: { status: 'not_applicable' as const, reason: 'uploaded_content' as const } },
    { ai_detection: { label: 'likely_ai' as const, confidence: 0.99, band: 'confident' } },
    { reverse_search: { found_online: true, match_count: 3, band: 'confident' } },
  ),
  analysisFailed: fc.boolean(),
});
const anyCase: fc.Arbitrary<CaseFacts> = fc.record({
  captures: fc
    .array(anyCapture, { minLength: 1, maxLength: 20 })
    .map(all => all.map((one, i) => ({ ...one, number: i + 1 }))),
  repeats: fc.array(
    fc.record({
      captureId: fc.constant(`cap_${'0'.repeat(26)}`),
      otherVerificationId: fc.constant(`vfy_${'0'.repeat(26)}`),
      kind: fc.constantFrom('same_file' as const, 'near_duplicate' as const),
      sameSubject: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  narrative: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2_000 }),
    fc.constant('On 3 March 2026 and 2026-02-30, yesterday, 10 days ago at 48.1, 11.5 and 8FWH4HX8+QR in New York'),
  ),
  finalizedAt: instant,
  verdict: fc.constant(null),
  namedPlaces: fc.array(fc.record({ text, place: position }), { maxLength: 3 }),
});

describe('case analysis from the evidence', () => {
  it('keeps every bound of the interface for any record', () => {
    fc.assert(
      fc.property(anyCase, facts => {
        const analysis = analyse(facts);
        expect(Value.Check(CaseAnalysis, analysis)).toBe(true);
        expect(JSON.stringify(analysis).isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('finds nothing in an ordinary case, and lists what it could not determine', () => {
    const analysis = analyse(
      caseOf([
        capture({ device: { latitude: 48, longitude: 11, accuracy_m: 12 }, clientAt: NOW - 2_000 }),
        capture({
          sha256: 'b'.repeat(64),
          serverAt: NOW + 60_000,
          device: { latitude: 48.0001, longitude: 11, accuracy_m: 30 },
        }),
      ]),
    );
    expect(analysis).toMatchObject({ overall_risk_score: 0, review_priority: 'low' });
    expect(analysis.uncertainty_areas.length).toBeGreaterThan(0);
    expect(analysis.confidence).toBeLessThanOrEqual(0.75);
  });

  it('never gets less suspicious with one more finding', () => {
    fc.assert(
      fc.property(anyCase, facts => {
        const doubted = facts.captures.map((one, index) =>
          index === 0 ? { ...one, location: { result: 'rejected' as const } } : one,
        );
        const calm = facts.captures.map((one, index) => (index === 0 ? { ...one, location: null, device: null } : one));
        const risk = (captures: CaptureFacts[]) => analyse({ ...facts, captures }).overall_risk_score;
        expect(risk(doubted.map((one, i) => (i === 0 ? { ...one, device: null } : one)))).toBeGreaterThanOrEqual(
          risk(calm),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('is decided by one sure dimension, not by an average', () => {
    expect(overallRisk([1, 0, 0])).toBe(1);
    expect(overallRisk([0.6, 0, 0])).toBeCloseTo(0.6);
    expect(overallRisk([0.3, 0.3, 0.3])).toBeGreaterThan(0.3);
    expect(overallRisk([])).toBe(0);
    expect(combine([0.5, 0.5])).toBeCloseTo(0.75);
  });

  it('requests a review at least as urgent as the verdict', () => {
    const verdict = (label: Verdict['label']): Verdict => ({ label, score: 1, signals: {} });
    expect([priorityOf(0, verdict('failed')), priorityOf(0, verdict('suspicious')), priorityOf(0, null)]).toEqual([
      'high',
      'medium',
      'low',
    ]);
    expect(priorityOf(0.6, verdict('verified'))).toBe('high');
  });

  it.each([
    ['a mark', { band: 'confident' }, 'high'],
    ['a composite', { band: 'doubtful' }, 'high'],
    ['a model', { band: 'doubtful', found_by: 'model' }, 'medium'],
    ["the operator's model, surely", { band: 'confident', found_by: 'model' }, 'high'],
  ])('rates a picture that %s calls generated (%j) as %s', (_by, more, level) => {
    const signals = { ai_detection: { label: 'likely_ai' as const, confidence: 0.95, ...more } };
    const analysis = analyse(caseOf([capture({ signals: signals as CaptureFacts['signals'] })]));
    expect(analysis.analysis?.[0]?.ai).toBe(level);
  });

  it('reports an old file sent as live, and allows for time zones', () => {
    const concerns = (exif: string) =>
      analyse(caseOf([capture({ exifAt: statedInstant(exif) })])).dimensions.physical_plausibility.concerns ?? [];
    expect(concerns('2026:05:20 23:00:00')).toEqual([]);
    expect(concerns('2026:05:19 20:00:00')).toEqual([]);
    expect(concerns('2026-05-20T14:00:00+00:00').join()).toContain('2 hours after it arrived');
    expect(concerns('2026:01:01 00:00:00').join()).toContain('sent as a live capture');
  });
});

describe('instants', () => {
  it('are read from EXIF and ISO; without an offset they allow fourteen hours', () => {
    expect(statedInstant('2018:07:25 16:34:23')).toEqual({
      at: Date.parse('2018-07-25T16:34:23Z'),
      slackMs: 14 * 3_600_000,
    });
    expect(statedInstant('2018-07-25T16:34:23.935+02:00')).toEqual({
      at: Date.parse('2018-07-25T14:34:23.935Z'),
      slackMs: 0,
    });
    for (const none of ['0000:00:00 00:00:00', 'yesterday', 7, undefined]) expect(statedInstant(none)).toBeNull();
    expect(gapMs({ at: 0, slackMs: 10 }, { at: 15, slackMs: 0 })).toBe(-5);
    expect(Math.abs(gapMs({ at: 0, slackMs: 10 }, { at: 5, slackMs: 0 }))).toBe(0);
  });
});

describe('narrative', () => {
  const days = (narrative: string) =>
    namedDates(narrative, NOW).map(({ text: written, from, to }) => [
      written,
      new Date(from + 14 * 3_600_000).toISOString().slice(0, 10),
      Math.round((to - from - 28 * 3_600_000) / DAY),
    ]);

  it('gives dates in digits, in words and relative to today', () => {
    expect(days('It happened on 2026-05-18.')).toEqual([['2026-05-18', '2026-05-18', 1]]);
    expect(days('am 18.05.2026')).toEqual([['18.05.2026', '2026-05-18', 1]]);
    expect(days('03/04/2026')).toEqual([['03/04/2026', '2026-03-04', 31]]);
    expect(days('13/04/2026')).toEqual([['13/04/2026', '2026-04-13', 1]]);
    expect(days('on the 3rd of March')).toEqual([['3rd of March', '2026-03-03', 1]]);
    expect(days('Sept. 9, 2025')).toEqual([['Sept. 9, 2025', '2025-09-09', 1]]);
    expect(days('December 24')).toEqual([['December 24', '2025-12-24', 1]]);
    expect(days('yesterday')).toEqual([['yesterday', '2026-05-19', 1]]);
    expect(days('three days ago')).toEqual([['three days ago', '2026-05-17', 1]]);
    expect(days('2026-02-30, may 99, 99.99.2026, I may go')).toEqual([]);
  });

  it('gives places as coordinates and codes, and as words for a geocoder', () => {
    expect(literalPlaces('at 48.137, 11.575, then 8FVC4H7Q+QR, not 98.10, 6.20').map(place => place.text)).toEqual([
      '48.137, 11.575',
      '8FVC4H7Q+QR',
    ]);
    expect(placeNames('I was in New York near Central Park in March, at The door')).toEqual([
      'New York',
      'Central Park',
    ]);
  });

  it('supports pictures taken after the event and contradicts those taken before', () => {
    const score = (narrative: string, exif: string) =>
      analyse(caseOf([capture({ source: 'upload', exifAt: statedInstant(exif) })], { narrative })).dimensions
        .narrative_image_match!.score;
    expect(score('On 2026-05-10 it fell.', '2026:05:11 10:00:00')).toBe(0);
    expect(score('On 2026-05-10 it fell.', '2026:05:01 10:00:00')).toBeGreaterThanOrEqual(0.5);
    // Bought long ago, broken lately: the earliest date counts in the claimant's favour.
    expect(score('Bought on 2026-01-10, it fell on 2026-05-10.', '2026:05:01 10:00:00')).toBe(0);
  });

  it('adds no dimension when it is blank', () => {
    expect(analyse(caseOf([capture()], { narrative: ' \n' })).dimensions.narrative_image_match).toBeUndefined();
  });
});

describe('bounds', () => {
  it('cut at characters, not code units, and keep the first twelve', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 50 }), (value, max) => {
        const cut = bounded(value, max);
        expect([...cut].length).toBeLessThanOrEqual(max);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
    expect(bounded('😀'.repeat(10), 4)).toBe('😀😀😀…');
    expect(boundedList(Array.from({ length: 30 }, (_, i) => `${i}`))).toHaveLength(12);
    expect(boundedList(['a', ' a ', '', '\u0000'])).toEqual(['a']);
  });
});
