import { beforeAll, describe, expect, test } from 'vitest';
import { makeSigner, type Signer } from '../../test/c2pa-signer.ts';
import { jpeg } from '../../test/files.ts';
import { readMetadata } from '../files/metadata/read.ts';
import { assessProvenance } from './assess.ts';

const TERM = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const MIME = 'image/jpeg';
/** Claims of version 1 record an ingredient's failures in `validation_status`, those of version 2 in `validation_results`. */
const VERSIONS = [1, 2];

let camera: Signer;
let editor: Signer;
let desk: Signer;
let stranger: Signer;
let picture: Buffer;
beforeAll(async () => {
  [camera, editor, desk, stranger] = [await makeSigner(), await makeSigner(), await makeSigner(), await makeSigner()];
  picture = await jpeg();
});

const rootsOf = (...signers: Signer[]) => signers.map(({ root }) => root).join('\n');
const trusting = (...signers: Signer[]) => ({ trust: { trust_anchors: rootsOf(...signers) } });

const metadata = (created: boolean) => ({
  label: 'c2pa.metadata',
  created,
  data: { '@context': { tiff: 'http://ns.adobe.com/tiff/1.0/' }, 'tiff:Make': 'Any Camera Maker', 'tiff:Model': 'M1' },
});
const actions = (list: object[], created = true) => ({ label: 'c2pa.actions.v2', created, data: { actions: list } });
const created = (term: string) => ({ action: 'c2pa.created', digitalSourceType: TERM + term });
const opened = { action: 'c2pa.opened', parameters: { ingredientIds: ['part'] } };
const manifest = (assertions: object[], version = 2, more: object = {}) => ({
  claim_version: version,
  claim_generator_info: [{ name: 'Any', version: '1' }],
  assertions,
  ...more,
});

/** A photo with the claim of a camera, by anybody. */
const captured = (by: Signer, version = 2) =>
  by.sign(picture, MIME, manifest([actions([created('digitalCapture')]), metadata(true)], version));

interface Edit {
  version?: number;
  /** The settings of the editor's c2pa-rs: whom it trusts. */
  context?: object;
  assertions?: object[];
  more?: object;
  relationship?: string;
  /** Other files that went into the tool. */
  inputs?: Buffer[];
}

/** The file as an editor saves it that opened it and changed nothing. */
function edited(by: Signer, bytes: Buffer, o: Edit = {}): Promise<Buffer> {
  const { version = 2, context = trusting(camera, editor, desk), relationship = 'parentOf', inputs = [] } = o;
  const first = relationship === 'parentOf' ? opened : created('digitalCreation');
  const ingredients = [
    { json: { label: 'part', relationship }, picture: bytes, mime: MIME },
    ...inputs.map((input, at) => ({
      json: { label: `input${at}`, relationship: 'inputTo' },
      picture: input,
      mime: MIME,
    })),
  ];
  return by.sign(picture, MIME, manifest(o.assertions ?? [actions([first])], version, o.more), ingredients, context);
}

/** One changed byte of the picture: the file no longer fits its own signature. */
function changed(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  copy[copy.length - 40]! ^= 0xff;
  return copy;
}

async function assess(bytes: Buffer) {
  const result = await assessProvenance({
    bytes,
    contentType: MIME,
    metadata: await readMetadata(bytes),
    live: false,
    attested: false,
    trustAnchors: rootsOf(camera, editor, desk),
  });
  const of = (field: string) => result.evidence.find(entry => entry.field === field)?.value;
  return { ...result, of, device: of('device') };
}

const UNKNOWN = { label: 'unknown', confidence: 0, device: undefined };
const CAMERA = { label: 'likely_human', device: 'Any Camera Maker M1', vouched: 'captured' };

describe('assessProvenance of an edited camera photo', () => {
  test.each(VERSIONS)(
    'believes a trusted camera behind one trusted editor and behind two (claim %i)',
    async version => {
      const one = await edited(editor, await captured(camera, version), { version });
      expect(await assess(one)).toMatchObject(CAMERA);
      expect(await assess(await edited(desk, one, { version }))).toMatchObject(CAMERA);
    },
  );

  test('believes a camera that the trust list of the editor did not name', async () => {
    const file = await edited(editor, await captured(camera), { context: trusting(editor) });
    expect(await assess(file)).toMatchObject(CAMERA);
  });

  test('believes a camera whose metadata an editor redacted, without its device', async () => {
    const photo = await captured(camera);
    const label = photo.toString('latin1').match(/urn:c2pa:[\da-f-]{36}/)![0];
    const redactions = [`self#jumbf=/c2pa/${label}/c2pa.assertions/c2pa.metadata`];
    const result = await assess(await edited(editor, photo, { more: { redactions } }));
    expect(result).toMatchObject({ label: 'likely_human', device: undefined });
  });
});

describe('assessProvenance of an ingredient that nobody trusted answers for', () => {
  test.each(VERSIONS)('does not believe a stranger whose file a trusted editor saved (claim %i)', async version => {
    const result = await assess(await edited(editor, await captured(stranger, version), { version }));
    expect(result).toMatchObject(UNKNOWN);
  });

  test('says which ingredient is not trusted, and marks its claim as unverified', async () => {
    const result = await assess(await edited(editor, await captured(stranger)));
    expect(result.of('validation')).toBe('trusted');
    expect(result.of('ingredient')).toBe('not trusted (signingCredential.untrusted)');
    expect(result.of('c2pa.actions.v2/c2pa.created, unverified')).toBe('digitalCapture');
    expect(result.vouched).toBeUndefined();
  });

  test.each(VERSIONS)(
    'does not believe a camera whose picture was changed before the edit (claim %i)',
    async version => {
      const result = await assess(await edited(editor, changed(await captured(camera, version)), { version }));
      expect(result).toMatchObject(UNKNOWN);
      expect(result.of('ingredient')).toContain('assertion.dataHash.mismatch');
    },
  );

  test.each<[what: string, save: () => Promise<Buffer>]>([
    [
      'a changed picture two edits deep',
      async () => edited(desk, await edited(editor, changed(await captured(camera)))),
    ],
    ['a stranger two edits deep', async () => edited(desk, await edited(editor, await captured(stranger)))],
    [
      'a camera behind a stranger, who may have replaced the picture',
      async () => edited(editor, await edited(stranger, await captured(camera))),
    ],
    [
      'a stranger whom the editor trusts',
      async () => edited(editor, await captured(stranger), { context: trusting(editor, stranger) }),
    ],
    [
      'a changed picture where the editor recorded no result of its binding',
      async () => {
        const context = { ...trusting(editor, camera), verify: { verify_after_reading: false } };
        return edited(editor, changed(await captured(camera)), { context });
      },
    ],
  ])('does not believe %s', async (_, save) => {
    expect(await assess(await save())).toMatchObject(UNKNOWN);
  });

  test('does not believe a stranger whom one recorder trusted and another did not', async () => {
    // c2pa-rs leaves out each result that any manifest of the file recorded, so it reports neither here.
    const photo = await captured(stranger);
    const noted = await edited(desk, photo, { context: trusting(desk) });
    const context = trusting(editor, desk, stranger);
    const result = await assess(await edited(editor, photo, { context, inputs: [noted] }));
    expect(result.of('validation')).toBe('trusted');
    expect(result).toMatchObject(UNKNOWN);
  });

  test.each(VERSIONS)('does not believe a stranger where the editor checked nothing (claim %i)', async version => {
    const context = { ...trusting(editor), verify: { verify_after_reading: false, verify_trust: false } };
    const file = await edited(editor, await captured(stranger, version), { version, context });
    expect(await assess(file)).toMatchObject(UNKNOWN);
  });

  test.each(['componentOf', 'inputTo'])(
    'takes no claim of a %s ingredient for one about the picture',
    async relationship => {
      expect(await assess(await edited(editor, await captured(camera), { relationship }))).toMatchObject(UNKNOWN);
      expect(await assess(await edited(editor, await captured(stranger), { relationship }))).toMatchObject(UNKNOWN);
    },
  );

  test('counts the claim of a generator whoever makes it, and says whether somebody answers for it', async () => {
    const drawn = (by: Signer) => by.sign(picture, MIME, manifest([actions([created('trainedAlgorithmicMedia')])]));
    const result = await assess(await edited(editor, await drawn(stranger)));
    expect(result).toMatchObject({ label: 'likely_ai', band: 'confident' });
    expect(result.vouched).toBeUndefined();
    expect(await assess(await edited(editor, await drawn(desk)))).toMatchObject({ vouched: 'generated' });
  });
});

describe('assessProvenance of what a trusted signer does not answer for', () => {
  test('does not believe a capture or a device that the signer only gathered', async () => {
    const own = actions([created('digitalCreation')]);
    const gathered = actions([{ action: 'c2pa.edited', digitalSourceType: `${TERM}digitalCapture` }], false);
    const result = await assess(await editor.sign(picture, MIME, manifest([own, gathered, metadata(false)])));
    expect(result.of('validation')).toBe('trusted');
    expect(result).toMatchObject(UNKNOWN);
  });

  test('names the device that a camera gathered, where it answers for the capture', async () => {
    const file = await camera.sign(picture, MIME, manifest([actions([created('digitalCapture')]), metadata(false)]));
    expect(await assess(file)).toMatchObject(CAMERA);
  });

  test.each(VERSIONS)(
    'does not believe metadata that an editor copied from the file it opened (claim %i)',
    async version => {
      const copied = {
        label: 'cawg.metadata',
        created: true,
        data: {
          '@context': {
            Iptc4xmpExt: 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
            tiff: 'http://ns.adobe.com/tiff/1.0/',
          },
          'Iptc4xmpExt:DigitalSourceType': `${TERM}digitalCapture`,
          'tiff:Make': 'Any Camera Maker',
        },
      };
      const result = await assess(await edited(editor, picture, { version, assertions: [actions([opened]), copied] }));
      expect(result.of('validation')).toBe('trusted');
      expect(result).toMatchObject(UNKNOWN);
    },
  );

  test('shows the name in a certificate that nobody trusts as unverified', async () => {
    const result = await assess(await captured(stranger));
    expect(result).toMatchObject(UNKNOWN);
    expect(result.of('signer')).toBeUndefined();
    expect(result.of('signer, unverified')).toBe('Test Camera Maker');
    expect(result.of('c2pa.actions.v2/c2pa.created, unverified')).toBe('digitalCapture');
  });
});
