import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from 'firsthand/platform/config/config.ts';
import { createLog } from 'firsthand/platform/lib/log.ts';
import { connectVision } from 'firsthand/platform/vision/connect.ts';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draw } from '../../server/test/support/drawn.ts';
import { startVisionServer, type VisionServer } from '../../server/test/support/vision-server.ts';
import { measureVision } from './vision.ts';
import { readLabels } from './vision-labels.ts';

let folder: string;
let server: VisionServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-bench-vision-'));
  server = await startVisionServer();
  const pictures = {
    'red.jpg': { colour: '#c82828' },
    'blue.jpg': { colour: '#2846c8' },
    'worn.jpg': { colour: '#28963c', black: 0.2 },
  };
  for (const [name, drawing] of Object.entries(pictures))
    await writeFile(join(folder, name), await draw({ ...drawing, width: 320, height: 240 }));
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const label = (labels: unknown) => writeFile(join(folder, 'labels.json'), JSON.stringify(labels));
const connect = () => {
  const { vision } = readConfig({ VISION_BASE_URL: server.url, VISION_MODEL: 'rules' });
  return connectVision({ ...vision!, retries: 0 }, new Registry(), createLog('silent', { write: () => {} }));
};
const LABELS = [
  { file: 'red.jpg', object: { expected: 'a red car', status: 'match' }, condition: { paint: 9 } },
  { file: 'blue.jpg', object: { expected: 'a red car', status: 'mismatch' } },
  { file: 'blue.jpg', object: { expected: 'a bicycle', status: 'inconclusive' } },
  // Here the person and the rules disagree.
  { file: 'red.jpg', object: { expected: 'a blue car', status: 'match' } },
  { file: 'worn.jpg', condition: { paint: 8, tyres: 7 } },
];

describe('measureVision', () => {
  it('counts agreement by status, aspect and label', async () => {
    await label(LABELS);
    const report = await measureVision(connect(), folder);
    expect(report).toMatchObject({ model: 'rules', pictures: 5, prompts: { object: 1, condition: 1 } });
    expect(report.object).toEqual({
      asked: 4,
      agreement: 0.75,
      false_mismatch: 0.5,
      false_match: 0,
      determined: 0.75,
      confusion: {
        match: { match: 1, mismatch: 1, inconclusive: 0 },
        mismatch: { match: 0, mismatch: 1, inconclusive: 0 },
        inconclusive: { match: 0, mismatch: 0, inconclusive: 1 },
      },
    });
    expect(report.condition).toMatchObject({ asked: 2, answered: 2, label_agreement: 0.5 });
    expect(report.condition!.mean_absolute_error).toBeGreaterThan(0.9);
    expect(report.condition!.mean_absolute_error).toBeLessThan(2);
  });

  it('counts a missing answer as undetermined', async () => {
    await label(LABELS);
    server.behave = () => 'refusing';
    const report = await measureVision(connect(), folder);
    server.behave = () => 'right';
    expect(report.object).toMatchObject({ determined: 0, agreement: 0.25 });
    expect(report.condition).toEqual({ asked: 2, answered: 0, mean_absolute_error: null, label_agreement: null });
  });

  it('refuses unusable labels, and says where', async () => {
    for (const [wrong, where] of [
      [[], '/'],
      [[{ file: 'red.jpg', object: { expected: 'x', status: 'yes' } }], '/0/object/status'],
      [[{ file: 'red.jpg', condition: { paint: 11 } }], '/0/condition/paint'],
      [[{ file: '../red.jpg' }], 'outside the folder'],
    ] as const) {
      await label(wrong);
      await expect(readLabels(folder)).rejects.toThrow(where);
    }
  });
});
