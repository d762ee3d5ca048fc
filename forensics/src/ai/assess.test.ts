import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { makeSigner, type Signer } from '../../test/c2pa-signer.ts';
import { processorMs } from '../../test/cost.ts';
import { dataFiles } from '../../test/data.ts';
import { jpeg, png } from '../../test/files.ts';
import { readMetadata } from '../files/metadata/read.ts';
import { assessProvenance } from './assess.ts';
import { readC2pa } from './c2pa.ts';

const TERM = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const claim = (name: string, ...actions: [action: string, source?: string, agent?: string][]) => ({
  claim_generator_info: [{ name, version: '1' }],
  assertions: [
    {
      label: 'c2pa.actions',
      data: {
        actions: actions.map(([action, source, softwareAgent]) => ({
          action,
          ...(source && { digitalSourceType: TERM + source }),
          ...(softwareAgent && { softwareAgent }),
          ...(['c2pa.opened', 'c2pa.placed'].includes(action) && { parameters: { ingredientIds: ['part'] } }),
        })),
      },
    },
  ],
});

let signer: Signer;
beforeAll(async () => {
  signer = await makeSigner();
});
const signed = async (...made: Parameters<typeof claim>) => signer.sign(await jpeg(), 'image/jpeg', claim(...made));
afterEach(() => vi.restoreAllMocks());

async function assess(bytes: Buffer, extra: { trusted?: boolean; live?: boolean; attested?: boolean } = {}) {
  return assessProvenance({
    bytes,
    contentType: 'image/jpeg',
    metadata: await readMetadata(bytes),
    live: extra.live ?? false,
    attested: extra.attested ?? false,
    ...(extra.trusted && { trustAnchors: signer.root }),
  });
}

const evidence = (result: Awaited<ReturnType<typeof assess>>, field: string) =>
  result.evidence.find(entry => entry.field === field)?.value;

describe('assessProvenance with C2PA', () => {
  test('calls a declared generator likely_ai, signer trusted or not', async () => {
    const file = await signer.sign(
      await png(),
      'image/png',
      claim('ChatGPT', ['c2pa.created', 'trainedAlgorithmicMedia', 'GPT-4o']),
    );
    const untrusted = await assess(file);
    expect(untrusted).toMatchObject({ label: 'likely_ai', band: 'confident', confidence: 0.995 });
    expect(evidence(untrusted, 'validation')).toBe('valid (signingCredential.untrusted)');
    expect(evidence(untrusted, 'c2pa.actions.v2/c2pa.created')).toBe('trainedAlgorithmicMedia (GPT-4o)');
    expect(evidence(await assess(file, { trusted: true }), 'validation')).toBe('trusted');
  });

  test('counts a mark under a broken signature, and reports its state', async () => {
    const file = await signed('Firefly', ['c2pa.created', 'trainedAlgorithmicMedia']);
    file[file.length - 40] = file[file.length - 40]! ^ 0xff;
    const result = await assess(file, { trusted: true });
    expect(result).toMatchObject({ label: 'likely_ai', band: 'confident', confidence: 0.97 });
    expect(evidence(result, 'validation')).toContain('assertion.dataHash.mismatch');
    expect(evidence(result, 'failed check')).toBe(
      'the picture was changed after it was signed (assertion.dataHash.mismatch)',
    );
  });

  test('names the device that the signed metadata names', async () => {
    const manifest = claim('Camera', ['c2pa.created', 'digitalCapture']);
    const metadata = {
      label: 'c2pa.metadata',
      data: {
        '@context': { tiff: 'http://ns.adobe.com/tiff/1.0/' },
        'tiff:Make': 'Test Camera Maker',
        'tiff:Model': 'TC-1',
      },
    };
    const file = await signer.sign(await jpeg(), 'image/jpeg', {
      ...manifest,
      assertions: [...(manifest as { assertions: object[] }).assertions, metadata],
    });
    const result = await assess(file, { trusted: true });
    expect(result).toMatchObject({ label: 'likely_human', band: 'clear' });
    expect(evidence(result, 'signer')).toBe('Test Camera Maker');
    expect(evidence(result, 'device')).toBe('Test Camera Maker TC-1');
  });

  test('calls a trusted chain that starts at a camera likely_human', async () => {
    const file = await signed('Camera', ['c2pa.created', 'digitalCapture']);
    expect(await assess(file, { trusted: true })).toMatchObject({
      label: 'likely_human',
      confidence: 0.99,
      band: 'clear',
    });
    expect(await assess(file), 'signed by nobody we trust').toMatchObject({ label: 'unknown' });
  });

  test('does not call a camera chain with one changed byte likely_human', async () => {
    const file = await signed('Camera', ['c2pa.created', 'computationalCapture']);
    file[file.length - 40] = file[file.length - 40]! ^ 0xff;
    expect(await assess(file, { trusted: true })).toMatchObject({ label: 'unknown' });
  });

  test('calls a camera photo developed without AI likely_human', async () => {
    const photo = await signed('Camera', ['c2pa.created', 'digitalCapture']);
    const developed = await signer.sign(
      photo,
      'image/jpeg',
      claim('Editor', ['c2pa.opened'], ['c2pa.color_adjustments']),
      [{ json: { label: 'part', relationship: 'parentOf' }, picture: photo, mime: 'image/jpeg' }],
    );
    expect(await assess(developed, { trusted: true })).toMatchObject({ label: 'likely_human' });
  });

  test('calls edits, drawings and unnamed sources unknown', async () => {
    for (const actions of [
      [['c2pa.created', 'humanEdits'], ['c2pa.color_adjustments']],
      [['c2pa.created', 'algorithmicMedia']],
      [['c2pa.created', 'digitalCreation'], ['c2pa.drawing']],
    ] as [string, string?][][]) {
      const file = await signed('Editor', ...actions);
      expect(await assess(file, { trusted: true })).toMatchObject({ label: 'unknown', band: 'clear' });
    }
  });

  test('leaves generated parts in a photo to manual review', async () => {
    const file = await signed(
      'Editor',
      ['c2pa.created', 'digitalCapture'],
      ['c2pa.edited', 'compositeWithTrainedAlgorithmicMedia'],
    );
    expect(await assess(file, { trusted: true })).toMatchObject({ label: 'likely_ai', band: 'doubtful' });
    const part = await signed('Gen', ['c2pa.created', 'trainedAlgorithmicMedia']);
    const placed = await signer.sign(
      await jpeg(),
      'image/jpeg',
      claim('Editor', ['c2pa.created', 'digitalCapture'], ['c2pa.placed']),
      [{ json: { label: 'part', relationship: 'componentOf' }, picture: part, mime: 'image/jpeg' }],
    );
    expect(await assess(placed, { trusted: true })).toMatchObject({ label: 'likely_ai', band: 'doubtful' });
  });

  test('calls the child of a generated parent generated', async () => {
    const parent = await signed('Gen', ['c2pa.created', 'trainedAlgorithmicMedia']);
    const child = await signer.sign(parent, 'image/jpeg', claim('Editor', ['c2pa.opened'], ['c2pa.cropped']), [
      { json: { label: 'part', relationship: 'parentOf' }, picture: parent, mime: 'image/jpeg' },
    ]);
    expect(await assess(child)).toMatchObject({ label: 'likely_ai', band: 'confident' });
  });

  test('never uses the network', async () => {
    const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no network here'));
    const file = await signed('Camera', ['c2pa.created', 'digitalCapture']);
    await readC2pa(file, () => signer.root);
    expect(fetch).not.toHaveBeenCalled();
  });

  test('answers a store with flipped bytes in bounded time, and still reads the next file', async () => {
    const file = await signed('Camera', ['c2pa.created', 'digitalCapture']);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(9_000), fc.nat(255)), { minLength: 1, maxLength: 20 }), async edits => {
        const hurt = Buffer.from(file);
        for (const [at, value] of edits) hurt[20 + (at % (hurt.length - 20))] = value;
        const ms = await processorMs(async () => {
          const report = await readC2pa(hurt, () => signer.root);
          if (!hurt.equals(file)) expect(report?.state).not.toBe('valid');
        });
        expect(ms).toBeLessThan(2_000);
      }),
      { numRuns: 150 },
    );
    expect((await readC2pa(file, () => signer.root))?.state).toBe('trusted');
  });
});

describe('assessProvenance of a live capture', () => {
  test('is likely_human with a passed attestation and no contrary sign', async () => {
    const file = await jpeg();
    expect(await assess(file, { live: true, attested: true })).toMatchObject({
      label: 'likely_human',
      confidence: 0.95,
    });
    expect(await assess(file, { live: true })).toMatchObject({ label: 'unknown' });
    expect(await assess(file, { attested: true })).toMatchObject({ label: 'unknown' });
  });

  test('does not outweigh a mark', async () => {
    const file = await signed('Gen', ['c2pa.created', 'trainedAlgorithmicMedia']);
    expect(await assess(file, { live: true, attested: true })).toMatchObject({ label: 'likely_ai' });
  });
});

describe('assessProvenance on real files', () => {
  const marked = dataFiles('ai').filter(
    ({ path, repository }) =>
      /sd-parsers|ComfyUI_examples/.test(repository) || (repository.endsWith('SwarmUI') && !path.includes('sana')),
  );
  const genuine = dataFiles('camera', 'screen', 'heic', 'depth');

  test.skipIf(marked.length === 0)(`finds every marked AI file (${marked.length} available)`, async () => {
    const missed: string[] = [];
    for (const file of marked) if ((await assess(file.read())).label !== 'likely_ai') missed.push(file.path);
    expect(missed).toEqual([]);
  });

  test.skipIf(genuine.length === 0)(`calls no camera image likely_ai (${genuine.length} available)`, async () => {
    const accused: string[] = [];
    for (const file of genuine) if ((await assess(file.read())).label === 'likely_ai') accused.push(file.path);
    expect(accused).toEqual([]);
  });
});
