import type { AiResult } from '@firsthand/forensics/ai/assess.ts';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSigner, type Signer } from '../../../../../forensics/test/c2pa-signer.ts';
import {
  createVerification,
  startTestService,
  submit,
  type TestService,
  untilStatus,
} from '../../../../test/support/harness.ts';
import { scene } from '../../../../test/support/pictures.ts';
import type { ReverseSignal } from './search.ts';

describe('ai_detection of a picture whose original came with a manifest', () => {
  let service: TestService;
  let signer: Signer;
  let stranger: Signer;
  beforeAll(async () => {
    [service, signer, stranger] = [
      await startTestService({ env: { AI_MODEL: 'off' } }),
      await makeSigner(),
      await makeSigner(),
    ];
    service.deps.config.c2paTrustAnchors = signer.root;
  });
  afterAll(() => service?.stop());

  const manifest = (term: string) => ({
    claim_generator_info: [{ name: 'Example Generator', version: '1' }],
    format: 'image/jpeg',
    assertions: [
      {
        label: 'c2pa.actions.v2',
        data: {
          actions: [
            {
              action: 'c2pa.created',
              softwareAgent: { name: 'Example Program' },
              digitalSourceType: `http://cv.iptc.org/newscodes/digitalsourcetype/${term}`,
            },
          ],
        },
      },
    ],
  });
  const signed = (by: Signer, picture: Buffer, term = 'trainedAlgorithmicMedia') =>
    by.sign(picture, 'image/jpeg', manifest(term));
  const jpeg = (picture: Sharp) => picture.jpeg({ quality: 80 }).toBuffer();
  const copyOf = (picture: Buffer) => jpeg(sharp(picture).resize(800));
  /** A part of 1280 × 960, by its share of both sides. */
  const partOf = (picture: Buffer, share: number) =>
    jpeg(
      sharp(picture).extract({ left: 60, top: 40, width: Math.round(1280 * share), height: Math.round(960 * share) }),
    );

  /** Submits an original and then another picture to a new account. */
  async function ofSecond(original: Buffer, second: Buffer) {
    const tenant = await service.newTenant();
    const request = { signals_required: ['ai', 'reverse'], steps: [{ type: 'upload', key: 'file', min: 1, max: 1 }] };
    const sent = async (bytes: Buffer) => {
      const { id } = await createVerification(service, request, tenant.pk_test);
      expect((await submit(service, id, bytes, { step_key: 'file' })).status).toBe(201);
      const { captures, verdict } = await untilStatus(service, id, ['completed'], tenant.pk_test);
      const { ai_detection, reverse_search } = captures[0]!.signals as unknown as {
        ai_detection: AiResult;
        reverse_search: ReverseSignal;
      };
      return { capture: captures[0]!.id, ai: ai_detection, reverse: reverse_search, verdict: verdict! };
    };
    const { capture, ...found } = await sent(original);
    return { original: { ...found, capture }, ...(await sent(second)) };
  }

  test.each([
    ['a copy', copyOf],
    ['a mirrored copy', (picture: Buffer) => jpeg(sharp(picture).flop())],
    [
      'a copy without 2% of each side',
      (picture: Buffer) => jpeg(sharp(picture).extract({ left: 26, top: 19, width: 1228, height: 922 })),
    ],
  ])('calls %s of what a trusted signer generated likely_ai, as a doubt', async (_name, copy) => {
    const picture = await scene(24);
    const { original, ai, reverse } = await ofSecond(await signed(signer, picture), await copy(picture));
    expect(original.ai).toMatchObject({ label: 'likely_ai', band: 'confident', vouched: 'generated' });
    expect(reverse.matches).toMatchObject([{ overlap: expect.any(Number), share: expect.any(Number) }]);
    expect(ai).toMatchObject({ label: 'likely_ai', band: 'doubtful' });
    expect(ai.evidence).toEqual([
      { source: 'reverse', field: 'original', value: original.capture },
      { source: 'reverse', field: 'validation of the original', value: 'trusted' },
      { source: 'reverse', field: 'signer of the original', value: 'Test Camera Maker' },
    ]);
  });

  const unverified = (capture: string, term = 'trainedAlgorithmicMedia') => ({
    label: 'unknown',
    band: 'clear',
    confidence: 0,
    evidence: [
      { source: 'reverse', field: 'original', value: capture },
      { source: 'reverse', field: 'claims, unverified', value: term },
    ],
  });

  test.each([
    ['signed by a stranger, copied as a whole', () => stranger, (picture: Buffer) => picture],
    ['of which a stranger signed a part', () => stranger, (picture: Buffer) => partOf(picture, 0.65)],
    ['of which a trusted signer signed a part', () => signer, (picture: Buffer) => partOf(picture, 0.65)],
    [
      'of which a trusted signer signed all but a twelfth of each side',
      () => signer,
      (picture: Buffer) => partOf(picture, 0.92),
    ],
  ])('says nothing of a picture %s', async (_name, by, sent) => {
    const picture = await scene(27);
    const { original, ai, reverse, verdict } = await ofSecond(await signed(by(), await sent(picture)), picture);
    expect(original.ai.label).toBe('likely_ai');
    expect(reverse.match_count).toBe(1);
    expect(ai).toMatchObject(unverified(original.capture));
    expect(verdict.reason_code).not.toBe('ai_generated');
    expect(JSON.stringify(ai)).not.toMatch(/Test Camera Maker|Example/);
  });

  test('says nothing of a part that was cut from what a trusted signer generated', async () => {
    const picture = await scene(28);
    const { original, ai, reverse } = await ofSecond(await signed(signer, picture), await partOf(picture, 0.7));
    expect(reverse.match_count).toBe(1);
    expect(ai).toMatchObject(unverified(original.capture));
  });

  test('does not believe a stranger whose picture a trusted editor saved', async () => {
    const picture = await scene(29);
    const drawn = await signed(stranger, picture);
    const opened = {
      claim_generator_info: [{ name: 'Editor', version: '1' }],
      assertions: [
        {
          label: 'c2pa.actions.v2',
          created: true,
          data: { actions: [{ action: 'c2pa.opened', parameters: { ingredientIds: ['part'] } }] },
        },
      ],
    };
    const saved = await signer.sign(picture, 'image/jpeg', opened, [
      { json: { label: 'part', relationship: 'parentOf' }, picture: drawn, mime: 'image/jpeg' },
    ]);
    const { original, ai } = await ofSecond(saved, await copyOf(picture));
    expect(original.ai.evidence).toContainEqual({ source: 'c2pa', field: 'validation', value: 'trusted' });
    expect(original.ai.label).toBe('likely_ai');
    expect(ai).toMatchObject(unverified(original.capture));
  });

  test("says nothing of the copy of a camera's photo but who signed it, and nothing of another scene", async () => {
    const picture = await scene(31);
    const photo = await signed(signer, picture, 'digitalCapture');
    const { original, ai } = await ofSecond(photo, await copyOf(picture));
    expect(original.ai).toMatchObject({ label: 'likely_human', vouched: 'captured' });
    expect(ai).toMatchObject({
      label: 'unknown',
      evidence: [{}, { value: 'trusted' }, { value: 'Test Camera Maker' }],
    });
    expect((await ofSecond(photo, await scene(25))).ai).toMatchObject({ label: 'unknown', evidence: [] });
  });
});
