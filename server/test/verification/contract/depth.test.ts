import { drawCards, drawMoves } from '@firsthand/forensics/simulate/pairs.ts';
import { plainCapture } from '@firsthand/forensics/simulate/params.ts';
import { simulateDeep, simulateDirect } from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { createVerification, submit, untilStatus } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const SIZE = { width: 640, height: 480 };

/** Two photographs from places beside each other: of one flat sheet, and of cards that stand before it. */
async function pairs(): Promise<{ flat: [Buffer, Buffer]; deep: [Buffer, Buffer] }> {
  const scene = drawScene(1, SIZE);
  const [first, second] = drawMoves(1, SIZE).map((move, i) => ({ ...plainCapture(i + 1, SIZE), pose: move.pose }));
  const cards = drawCards(1, SIZE);
  return {
    flat: [(await simulateDirect(scene, first!)).jpeg, (await simulateDirect(scene, second!)).jpeg],
    deep: [(await simulateDeep(scene, cards, first!)).jpeg, (await simulateDeep(scene, cards, second!)).jpeg],
  };
}

describe('context.attributes.three_dimensional', () => {
  const service = serviceOfSuite();
  let frames: Awaited<ReturnType<typeof pairs>>;
  beforeAll(async () => {
    frames = await pairs();
  });

  const verdictOf = async ([picture, motion]: [Buffer, Buffer], attributes?: object, body: object = {}) => {
    const { id } = await createVerification(service, {
      signals_required: ['depth'],
      context: { kind: 'claim', summary: 'A parked car', ...(attributes ? { attributes } : {}) },
      ...body,
    });
    const sent = await submit(service, id, picture, { motion_frame_base64: motion.toString('base64') });
    expect(sent.status).toBe(201);
    const { verdict, captures } = await untilStatus(service, id, ['completed']);
    return { verdict: verdict!, depth: captures[0]!.signals!.depth };
  };

  it('fails a flat picture with depth_anomaly', async () => {
    const { verdict, depth } = await verdictOf(frames.flat, { three_dimensional: true, make: 'Volvo', doors: 5 });
    expect(verdict.label).not.toBe('verified');
    expect(verdict.reason_code).toBe('depth_anomaly');
    expect(verdict.signals.depth).toEqual({ source: 'motion_parallax', confidence: expect.any(Number) });
    expect(depth).toMatchObject({ source: 'motion_parallax', evidence: { answer: 'flat' } });
  });

  it('passes a deep picture', async () => {
    const { verdict, depth } = await verdictOf(frames.deep, { three_dimensional: true });
    expect(verdict.label).toBe('verified');
    expect(depth).toMatchObject({ evidence: { answer: 'deep' } });
  });

  it('counts only as the boolean true: otherwise a flat subject trips nothing', async () => {
    for (const attributes of [
      undefined,
      { three_dimensional: false },
      { three_dimensional: 'true' },
      { three_dimensional: 1 },
    ]) {
      const { verdict, depth } = await verdictOf(frames.flat, attributes);
      expect(verdict.label).toBe('verified');
      expect(depth).toMatchObject({ evidence: { answer: 'flat' } });
    }
  });

  it('does not apply to uploaded content', async () => {
    const { verdict } = await verdictOf(frames.flat, { three_dimensional: true }, { mode: 'audit' });
    // Nothing was evaluated, so nothing supports `verified`.
    expect(verdict).toMatchObject({ label: 'suspicious', score: 0.5 });
    expect(verdict).not.toHaveProperty('reason_code');
    expect(verdict.signals.depth).toEqual({ status: 'not_applicable', reason: 'uploaded_content' });
  });
});
