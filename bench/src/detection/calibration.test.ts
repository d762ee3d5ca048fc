import { readFileSync } from 'node:fs';
import { detectScreen, screenModel } from '@firsthand/forensics/screen/detect.ts';
import { plainCapture, plainDisplay } from '@firsthand/forensics/simulate/params.ts';
import { simulateDirect, simulateRecapture } from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import { describe, expect, it } from 'vitest';
import type { Baseline } from './regressions.ts';

/**
 * Limit for the expected calibration error of the published scores, pooled over sources that no scoring model was fitted on. The aim is
 * 0.05, but with 150 pictures anything below 0.1 could be chance.
 */
const MOST = 0.1;

const baseline: Baseline = JSON.parse(readFileSync(new URL('./baseline.json', import.meta.url), 'utf8'));

describe('screen signal confidence', () => {
  it('is calibrated in the published benchmark of the shipped model', () => {
    expect({ model: baseline.model, thresholds: baseline.thresholds }).toEqual({
      model: screenModel.name,
      thresholds: screenModel.thresholds,
    });
    const pooled = baseline.rows.find(({ name }) => name === 'pooled');
    expect(pooled?.positives).toBeGreaterThanOrEqual(40);
    expect(pooled?.negatives).toBeGreaterThanOrEqual(100);
    expect(pooled?.calibration_error).toBeGreaterThan(0);
    expect(pooled?.calibration_error).toBeLessThanOrEqual(MOST);
  });

  it('is the probability of its own answer: p if a screen was detected, else 1 - p', async () => {
    const size = { width: 640, height: 480 };
    const capture = plainCapture(4, size);
    const scene = drawScene(4, size);
    const shown: boolean[] = [];
    for (const { picture } of [
      await simulateDirect(scene, capture),
      await simulateRecapture(scene, plainDisplay(capture)),
    ]) {
      const { screen_detected, confidence, evidence } = await detectScreen(picture);
      const probability = Number(evidence?.probability);
      expect(confidence).toBeCloseTo(screen_detected ? probability : 1 - probability, 3);
      expect(screen_detected).toBe(probability >= screenModel.thresholds.doubtful);
      shown.push(screen_detected);
    }
    expect(shown).toEqual([false, true]);
  });
});
