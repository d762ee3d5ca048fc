import type { AiResult } from '@firsthand/forensics/ai/assess.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSigner, type Signer } from '../../../forensics/test/c2pa-signer.ts';
import { createVerification, startTestService, submit, type TestService, untilStatus } from '../support/harness.ts';
import { firstHand } from '../support/pictures.ts';

const CAPTURED = 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture';
const MIME = 'image/jpeg';

let service: TestService;
let camera: Signer;
let editor: Signer;
let stranger: Signer;
beforeAll(async () => {
  [service, camera, editor, stranger] = [
    await startTestService(),
    await makeSigner(),
    await makeSigner(),
    await makeSigner(),
  ];
  service.deps.config.c2paTrustAnchors = `${camera.root}\n${editor.root}`;
});
afterAll(() => service?.stop());

const manifest = (...assertions: object[]) => ({
  claim_version: 2,
  claim_generator_info: [{ name: 'Any', version: '1' }],
  assertions,
});
const actions = (created: boolean, ...list: object[]) => ({
  label: 'c2pa.actions.v2',
  created,
  data: { actions: list },
});
const device = {
  label: 'c2pa.metadata',
  created: true,
  data: { '@context': { tiff: 'http://ns.adobe.com/tiff/1.0/' }, 'tiff:Make': 'Any Camera Maker', 'tiff:Model': 'M1' },
};

/** A photo that says it came from a camera, by anybody. */
const captured = async (by: Signer) =>
  by.sign(
    await firstHand(1),
    MIME,
    manifest(actions(true, { action: 'c2pa.created', digitalSourceType: CAPTURED }), device),
  );

/** The file as an editor saves it that opened it. It trusts `trusted`, and records what its own check found. */
const saved = async (by: Signer, file: Buffer, trusted: Signer[] = [camera, editor]) =>
  by.sign(
    await firstHand(1),
    MIME,
    manifest(actions(true, { action: 'c2pa.opened', parameters: { ingredientIds: ['part'] } })),
    [{ json: { label: 'part', relationship: 'parentOf' }, picture: file, mime: MIME }],
    { trust: { trust_anchors: trusted.map(({ root }) => root).join('\n') } },
  );

function changed(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  copy[copy.length - 2_000]! ^= 1;
  return copy;
}

/** A trusted signer passes on what somebody else said. */
const gathered = async () =>
  editor.sign(
    await firstHand(1),
    MIME,
    manifest(
      actions(true, { action: 'c2pa.created', digitalSourceType: CAPTURED.replace('Capture', 'Creation') }),
      actions(false, { action: 'c2pa.edited', digitalSourceType: CAPTURED }),
      { ...device, created: false },
    ),
  );

async function sent(file: Buffer) {
  const { id } = await createVerification(service, { signals_required: ['ai'] });
  expect((await submit(service, id, file)).status).toBe(201);
  const { captures, verdict } = await untilStatus(service, id, ['completed']);
  const ai = captures[0]!.signals!.ai_detection as unknown as AiResult;
  const of = (field: string) => ai.evidence.find(entry => entry.field === field)?.value;
  return { ai, of, verdict: verdict! };
}

describe('ai_detection of a photo with Content Credentials', () => {
  it.each([
    ['of a trusted camera', () => captured(camera)],
    ['of a trusted camera, saved by a trusted editor', async () => saved(editor, await captured(camera))],
    ['of a trusted camera, saved by two', async () => saved(editor, await saved(editor, await captured(camera)))],
  ])('is likely_human for a photo %s, and names the device', async (_name, make) => {
    const { ai, of, verdict } = await sent(await make());
    expect(ai).toMatchObject({ label: 'likely_human', confidence: 0.99, vouched: 'captured' });
    expect(of('device')).toBe('Any Camera Maker M1');
    expect(verdict.score).toBe(0.99);
  });

  it.each([
    ['a stranger claims', () => captured(stranger)],
    ['a stranger claims and a trusted editor saved', async () => saved(editor, await captured(stranger))],
    ['a stranger claims and an editor trusts', async () => saved(editor, await captured(stranger), [editor, stranger])],
    ['a stranger claims two edits deep', async () => saved(editor, await saved(editor, await captured(stranger)))],
    [
      'no longer fits its own signature when the editor opens it',
      async () => saved(editor, changed(await captured(camera))),
    ],
    [
      'a stranger saved between camera and editor',
      async () => saved(editor, await saved(stranger, await captured(camera))),
    ],
    ['bears a claim that its trusted signer only gathered', gathered],
  ])('is unknown for a photo that %s, and names no device', async (_name, make) => {
    const { ai, of, verdict } = await sent(await make());
    expect(ai).toMatchObject({ label: 'unknown', confidence: 0, band: 'clear' });
    expect(ai).not.toHaveProperty('vouched');
    expect(of('device')).toBeUndefined();
    expect(JSON.stringify(ai)).not.toContain('Any Camera Maker');
    expect(verdict.score).toBe(0.5);
  });

  it('shows the name in a certificate that nobody trusts as unverified', async () => {
    const { of } = await sent(await captured(stranger));
    expect(of('signer')).toBeUndefined();
    expect(of('signer, unverified')).toBe('Test Camera Maker');
  });
});
