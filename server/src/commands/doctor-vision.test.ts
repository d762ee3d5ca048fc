import { afterEach, expect, it } from 'vitest';
import { type Behaviour, startVisionServer, type VisionServer } from '../../test/support/vision-server.ts';
import { readConfig } from '../platform/config/config.ts';
import { visionFindings } from './doctor-vision.ts';

let server: VisionServer | undefined;
afterEach(() => server?.close());

const look = async (behaviour: Behaviour, env: Record<string, string> = {}) => {
  server = await startVisionServer(() => behaviour);
  const base = {
    VISION_BASE_URL: server.url,
    VISION_MODEL: 'rules',
    TESSERACT: 'none',
  };
  const config = readConfig({ ...base, ...env });
  return visionFindings({ ...config, vision: { ...config.vision!, retries: 0 } });
};

it('firsthand doctor says how to add a missing model and names a Tesseract that does not answer', async () => {
  const [model, text] = await visionFindings(readConfig({ TESSERACT: 'no-such-program' }));
  expect(model).toMatchObject({
    state: 'missing',
    advice: expect.stringContaining('VISION_BASE_URL and VISION_MODEL'),
  });
  expect(text).toMatchObject({
    state: 'wrong',
    what: expect.stringContaining('no-such-program'),
    advice: expect.stringContaining('TESSERACT'),
  });
});

it('firsthand doctor asks a configured model a real question', async () => {
  const [model] = await look('right');
  expect(model).toMatchObject({ state: 'ok', what: expect.stringContaining('rules at http://127.0.0.1') });
});

it.each<[Behaviour, RegExp]>([
  ['unauthorized', /VISION_API_KEY and VISION_MODEL/],
  ['wrong_schema', /VISION_RESPONSE_FORMAT/],
  ['dropping', /No server answers there/],
  ['refusing', /declined/],
  [{ retryAfter: '60' }, /limits the request rate/],
  [
    { says: { reasoning: '', visible: 'no', confidence: 99, instructions_found: false } },
    /does not recognise a red square/,
  ],
])('names what to change when the model is %j', async (behaviour, advice) => {
  const [model] = await look(behaviour);
  expect(model).toMatchObject({ state: 'wrong', advice: expect.stringMatching(advice) });
});
