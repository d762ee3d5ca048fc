import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type CaptureSignals, SIGNAL_NAMES } from '@firsthand/contract/verification/signals.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { genuineGenerated } from './ai/genuine.ts';
import { asHigh, LEAST_GENUINE, oddsOf } from './odds.ts';
import { PUBLISHED, PUBLISHED_BY_MODEL } from './published.ts';
import { rejudge } from './rejudge.ts';
import { screenModel } from './screen/detect.ts';
import { genuineScreen } from './screen/genuine.ts';

it('the table of genuine scores belongs to the shipped model and its thresholds', () => {
  const { model, thresholds, scores, sources } = genuineScreen;
  expect({ model, thresholds }).toEqual({ model: screenModel.name, thresholds: screenModel.thresholds });
  expect(scores).toEqual(scores.toSorted((a, b) => a - b));
  expect(scores.length).toBeGreaterThan(700);
  expect(sources).toBeGreaterThan(40);
  // As published: about 1% of genuine pictures are doubtful, none of these is confident.
  expect(asHigh(scores, thresholds.doubtful) / scores.length).toBeLessThan(0.02);
  expect(asHigh(scores, thresholds.confident)).toBe(0);
});

it('oddsOf grow with rarity and never call a score impossible', () => {
  fc.assert(
    fc.property(fc.integer({ min: LEAST_GENUINE, max: 5_000 }), fc.nat(), (pictures, any) => {
      const high = any % (pictures + 1);
      const { one_in } = oddsOf(pictures, high)!;
      expect(one_in).toBeGreaterThanOrEqual(1);
      expect(one_in).toBeLessThanOrEqual((pictures + 1) * 1.05);
      if (high < pictures) expect(oddsOf(pictures, high + 1)!.one_in).toBeLessThanOrEqual(one_in);
    }),
  );
  expect(oddsOf(LEAST_GENUINE - 1, 0)).toBeNull();
  expect(oddsOf(933, 22)!.one_in).toBe(41);
});

it('the published rates are those that docs/detection.md states', () => {
  const docs = readFileSync(new URL('../../docs/detection.md', import.meta.url), 'utf8');
  for (const name of SIGNAL_NAMES) {
    const rates = PUBLISHED[name];
    if (!rates) continue;
    const { count, of } = rates.flagged;
    const line = docs.split('\n').find(text => text.startsWith(`| \`${name}\``));
    expect(line).toContain(`${count} of ${of.toLocaleString('en-US')}`);
    if (line?.includes('at most')) expect(line).toContain(`at most ${(rates.at_most * 100).toFixed(1)}%`);
  }
});

it('the published rates of generated-1 follow from its scores and the shipped threshold', () => {
  const text = gunzipSync(readFileSync(new URL('../../research/ai/scores.tsv.gz', import.meta.url))).toString();
  const doubted = text
    .split('\n')
    .map(line => line.split('\t'))
    .filter(cells => cells[9] && Number(cells[9]) >= genuineGenerated.threshold);
  const count = (label: string, form: string) =>
    doubted.filter(cells => cells[1] === label && cells[4] === form).length;
  const forms = ['found', 'sent', 'small', 'messenger'];
  const { flagged, found } = PUBLISHED_BY_MODEL;
  expect(Math.max(...forms.map(form => count('genuine', form)))).toBe(flagged.count);
  expect(count('generated', 'sent')).toBe(found!.count);
  expect(genuineGenerated.log_odds).toHaveLength(flagged.of);
});

it('rejudge changes nothing at the thresholds a picture was judged by, and never lowers a band when thresholds fall', () => {
  const rank = { clear: 0, doubtful: 1, confident: 2 };
  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(unit, unit, unit, unit, fc.boolean(), fc.boolean(), (p, flat, a, b, isFlat, threeDimensional) => {
      const high = { doubtful: Math.min(a, b) / 2 + 0.5, confident: Math.max(a, b) / 2 + 0.5 };
      const low = { doubtful: high.doubtful / 2, confident: high.confident / 2 };
      const raw = {
        screen_detection: { screen_detected: true, confidence: p },
        depth: { source: 'motion_parallax', confidence: flat, evidence: { answer: isFlat ? 'flat' : 'deep' } },
      } as CaptureSignals;
      const judged = rejudge(raw, high, threeDimensional);
      expect(rejudge(judged, high, threeDimensional)).toEqual(judged);
      const again = rejudge(judged, low, threeDimensional);
      for (const key of ['screen_detection', 'depth'] as const) {
        const band = (of: CaptureSignals) => rank[(of[key] as { band: keyof typeof rank }).band];
        expect(band(again)).toBeGreaterThanOrEqual(band(judged));
      }
    }),
  );
});

it.each(['camera_session', 'attestation'])('rejudge keeps the depth that %s decided, under any thresholds', source => {
  const raw = {
    screen_detection: { screen_detected: true, band: 'confident', confidence: 0.99, evaluated: true },
    depth: { source, band: 'doubtful', confidence: 0.7, evaluated: true, evidence: { result: 'failed' } },
  } as CaptureSignals;
  expect(rejudge(raw, { doubtful: 0.999, confident: 0.9999 }, false)).toMatchObject({
    screen_detection: { band: 'clear' },
    depth: raw.depth,
  });
});
