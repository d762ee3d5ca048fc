import { describe, expect, test } from 'vitest';
import { ripples } from '../simulate/ripples.ts';
import { drawScene } from '../simulate/scene.ts';
import type { AiResult } from './assess.ts';
import { withBuiltInModel } from './built-in.ts';

const unknown: AiResult = { evaluated: true, label: 'unknown', confidence: 0, band: 'clear', evidence: [] };

describe('built-in model of generated pictures', () => {
  test('doubts a picture that scores higher than genuine ones, and names its odds', () => {
    const found = withBuiltInModel(unknown, ripples());
    expect(found).toMatchObject({ label: 'likely_ai', band: 'doubtful', found_by: 'model' });
    const { calibrated } = found;
    expect(found.confidence).toBe(calibrated!.score);
    expect(calibrated!.genuine).toBeGreaterThan(800);
    expect(calibrated!.as_high / calibrated!.genuine).toBeLessThan(0.01);
  });

  test('leaves a photograph unknown, and says how it scored', () => {
    const found = withBuiltInModel(unknown, drawScene(2, { width: 800, height: 600 }));
    expect(found).toMatchObject({ ...unknown, evidence: [{ source: 'model', field: 'generated-1' }] });
    expect(found.calibrated!.as_high).toBeGreaterThan(100);
  });

  test.each<[string, AiResult]>([
    ['a mark', { ...unknown, label: 'likely_ai', confidence: 0.99, band: 'confident' }],
    ['a trusted signer or a device', { ...unknown, label: 'likely_human', confidence: 0.95 }],
  ])('does not look where %s speaks', (_name, result) => {
    expect(withBuiltInModel(result, ripples())).toBe(result);
  });

  test.each([
    ['too small', ripples({ width: 383, height: 800 })],
    ['of one colour', { width: 800, height: 800, data: new Uint8Array(3 * 800 * 800).fill(255) }],
  ])('says nothing of a picture that is %s', (_name, picture) => {
    expect(withBuiltInModel(unknown, picture)).toBe(unknown);
  });
});
