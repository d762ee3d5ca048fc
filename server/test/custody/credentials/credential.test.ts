import { createHash } from 'node:crypto';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeSigner } from '../../../../forensics/test/c2pa-signer.ts';
import { checkPhoto } from '../../../../verify/src/credential.ts';
import { checkBundle, downloadBundle } from '../../support/bundle.ts';
import { completedVerification } from '../../support/completed.ts';
import { downloadCredential, requestCredential } from '../../support/credential.ts';
import { ask, createVerification, submit } from '../../support/harness.ts';
import { firstHand } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { askC2paPython, askC2paRs, askC2paTs, pythonWithC2pa } from './judges.ts';

const service = serviceOfSuite();

const get = (id: string, capture: string, query = '', key = service.tenant.pk_test) =>
  requestCredential(service, { id, capture, query, key });
const download = (id: string, capture: string, query = '', key = service.tenant.pk_test) =>
  downloadCredential(service, { id, capture, query, key });

interface Made {
  id: string;
  capture: string;
}

async function taken(photo: Buffer, o: { request?: object; key?: string; more?: object } = {}): Promise<Made> {
  const { id, captures } = await completedVerification(service, { photo, ...o });
  return { id, capture: captures[0]!.id };
}

/** The members of our assertions that the tests look at. */
interface Assertion {
  actions: { action: string }[];
  camera_capture: string;
  because: string[];
  verdict: object;
  false_alarms_published: Record<string, string>;
  entries: { type: string }[];
  bundle: { manifest_sha256: string };
}

const assertion = (manifest: { assertions: { label: string; data: unknown }[] }, label: string) =>
  manifest.assertions.find(one => one.label === label)?.data as Assertion | undefined;

const roots = async () =>
  (await service.deps.db.query('select certificate from credential_keys where retired_at is null')).rows[0].certificate;

describe('GET /v1/verifications/:id/captures/:capture_id/credential', () => {
  let photo: Buffer;
  let made: Made;
  let signed: Buffer;
  beforeAll(async () => {
    photo = await firstHand(1);
    made = await taken(photo, { more: { location: { latitude: 52.5, longitude: -13.25, accuracy_m: 12 } } });
    signed = await download(made.id, made.capture);
  });

  it('validates in two implementations, and a third where it is installed', async () => {
    const read = await askC2paRs(signed, 'image/jpeg', await roots());
    expect(read).toMatchObject({ state: 'Trusted', failures: [] });
    expect((await askC2paRs(signed, 'image/jpeg')).state).toBe('Valid');
    expect(await askC2paTs(signed)).toEqual({ valid: true, failures: [] });
    const python = pythonWithC2pa();
    if (python) expect(askC2paPython(python, signed, 'image/jpeg')).toEqual({ valid: true, failures: [] });
    else console.log('c2pa-python is not installed: not asked');
  });

  it('fails in each of them after one changed bit of a pixel', async () => {
    const changed = Buffer.from(signed);
    changed[changed.length - 400]! ^= 1;
    expect(await askC2paRs(changed, 'image/jpeg')).toMatchObject({
      valid: false,
      failures: ['assertion.dataHash.mismatch'],
    });
    expect(await askC2paTs(changed)).toEqual({ valid: false, failures: ['assertion.dataHash.mismatch'] });
    const python = pythonWithC2pa();
    if (python) expect(askC2paPython(python, changed, 'image/jpeg').valid).toBe(false);
  });

  it('is read by the page /verify, which names the change too', async () => {
    const checked = await checkPhoto(new File([new Uint8Array(signed)], 'photo.jpg'));
    expect(checked).toMatchObject({ outcome: 'holds', test: true });
    expect(checked.lines.slice(0, 3).map(({ mark }) => mark)).toEqual(['holds', 'holds', 'holds']);
    expect(checked.facts).toContainEqual(['Verification', made.id]);
    const changed = new Uint8Array(signed);
    changed[changed.length - 400]! ^= 1;
    const failed = await checkPhoto(new File([changed], 'photo.jpg'));
    expect(failed.outcome).toBe('fails');
    expect(failed.lines[0]).toMatchObject({ mark: 'fails', text: expect.stringContaining('was changed') });
    expect((await checkPhoto(new File([new Uint8Array(photo)], 'photo.jpg'))).outcome).toBe('none');
  });

  it('leaves every pixel as it was received', async () => {
    const raw = (bytes: Buffer) => sharp(bytes).raw().toBuffer();
    expect((await raw(signed)).equals(await raw(photo))).toBe(true);
  });

  it('claims no camera capture without a hardware attestation of the bytes, and names the file as received', async () => {
    const { manifest } = await askC2paRs(signed, 'image/jpeg');
    expect(assertion(manifest, 'c2pa.actions.v2')?.actions.map(({ action }) => action)).toEqual(['c2pa.opened']);
    expect(JSON.stringify(manifest)).not.toContain('digitalCapture');
    expect(manifest.ingredients).toMatchObject([{ relationship: 'parentOf', title: `${made.capture}, as received` }]);
    expect(assertion(manifest, 'org.firsthand.capture')?.camera_capture).toMatch(/^not claimed/);
  });

  it('says what was received, the verdict with published rates, the entries of the log and the bundle', async () => {
    const { manifest } = await askC2paRs(signed, 'image/jpeg');
    const { body } = await ask<Verification>(service, `/v1/verifications/${made.id}`, { key: service.tenant.pk_test });
    expect(assertion(manifest, 'org.firsthand.capture')).toMatchObject({
      verification_id: made.id,
      capture_id: made.capture,
      image: { sha256: createHash('sha256').update(photo).digest('hex'), bytes: photo.length },
      reported_by_device: { location: { latitude: 52.5, longitude: -13.25, accuracy_m: 12 } },
    });
    const verdict = assertion(manifest, 'org.firsthand.verdict');
    expect(verdict?.verdict).toMatchObject({ label: body.verdict!.label, score: body.verdict!.score });
    expect(verdict?.false_alarms_published.screen_detection).toMatch(/suspicious/);
    const log = assertion(manifest, 'org.firsthand.log');
    expect(log?.entries.map(({ type }) => type)).toEqual(['capture', 'verdict']);
    const zip = await downloadBundle(service, made.id);
    expect(log?.bundle.manifest_sha256).toBe(createHash('sha256').update(entryOf(zip, 'manifest.json')).digest('hex'));
  });

  it('passes on place and time without answering for them', async () => {
    const { manifest } = await askC2paRs(signed, 'image/jpeg');
    const metadata = manifest.assertions.find(({ label }) => label === 'c2pa.metadata');
    expect(metadata).toMatchObject({
      data: { 'exif:GPSLatitude': '52,30.000000N', 'exif:GPSLongitude': '13,15.000000W' },
    });
    expect(metadata?.created).toBeUndefined();
  });

  it('says TEST in every assertion of ours of a test verification, and nothing of it in a live one', async () => {
    const { manifest } = await askC2paRs(signed, 'image/jpeg');
    expect(manifest.title).toMatch(/^TEST /);
    for (const label of ['capture', 'verdict', 'log']) {
      expect(assertion(manifest, `org.firsthand.${label}`)).toMatchObject({
        livemode: false,
        notice: expect.stringMatching(/^TEST: /),
      });
    }
    const key = service.tenant.pk_live;
    const live = await taken(await firstHand(2), { key });
    const bytes = await download(live.id, live.capture, '', key);
    const { manifest: real } = await askC2paRs(bytes, 'image/jpeg');
    expect(JSON.stringify(real)).not.toMatch(/TEST|livemode/);
  });

  const set = (capture: string, assignments: string) =>
    service.deps.db.query(`update captures set ${assignments} where id = $1`, [capture]);
  const attestedBy = (provider: string, verdict = 'ok') =>
    `attestation = '${JSON.stringify({ verdict, provider, checked_at: '2026-11-26T09:00:00Z' })}'`;
  const PASSED_SESSION = `presence = '${JSON.stringify({
    result: 'passed',
    checks: {
      asked: { evaluated: true, passed: true, words: 'Moved as asked.', evidence: { path: [1] } },
      sensor: { evaluated: false, words: 'No crops.' },
    },
  })}'`;

  it.each(['app_attest', 'play_integrity'])(
    'claims digitalCapture after an attestation of the bytes by %s',
    async provider => {
      const one = await taken(await firstHand(3));
      await set(one.capture, attestedBy(provider));
      for (const of of ['original', 'preview']) {
        const bytes = await download(one.id, one.capture, `?of=${of}`);
        const { manifest, failures } = await askC2paRs(bytes, 'image/jpeg');
        expect(failures).toEqual([]);
        expect(assertion(manifest, 'c2pa.actions.v2')?.actions[0]).toMatchObject({
          action: 'c2pa.created',
          digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture',
        });
        expect(assertion(manifest, 'org.firsthand.capture')?.because).toEqual([`device attestation (${provider})`]);
        expect(await askC2paTs(bytes)).toEqual({ valid: true, failures: [] });
      }
      const doubt = `signals = jsonb_set(signals, '{screen_detection,band}', '"doubtful"')`;
      await set(one.capture, `${attestedBy(provider)}, ${doubt}`);
      expect((await download(one.id, one.capture)).includes('digitalCapture')).toBe(false);
    },
  );

  it.each([
    ['a passed camera session', PASSED_SESSION],
    ['a passed camera session and a Turnstile token', `${PASSED_SESSION}, ${attestedBy('turnstile')}`],
    ['a passed camera session and a refused attestation', `${PASSED_SESSION}, ${attestedBy('app_attest', 'error')}`],
    ['a Turnstile token', attestedBy('turnstile')],
    ['an attestation by an unknown provider', attestedBy('unknown')],
  ])('claims c2pa.opened, not digitalCapture, after %s', async (_name, assignments) => {
    const one = await taken(await firstHand(3));
    await set(one.capture, assignments);
    for (const of of ['original', 'preview']) {
      const bytes = await download(one.id, one.capture, `?of=${of}`);
      const { manifest, failures } = await askC2paRs(bytes, 'image/jpeg');
      expect(failures).toEqual([]);
      expect(assertion(manifest, 'c2pa.actions.v2')?.actions[0]?.action).toBe('c2pa.opened');
      expect(bytes.includes('digitalCapture')).toBe(false);
      const capture = assertion(manifest, 'org.firsthand.capture');
      expect(capture?.camera_capture).toMatch(/^not claimed/);
      expect(capture).not.toHaveProperty('because');
      expect(await askC2paTs(bytes)).toEqual({ valid: true, failures: [] });
    }
  });

  it('passes on a passed camera session without answering for it, also beside an attestation', async () => {
    const one = await taken(await firstHand(3));
    for (const more of ['', `, ${attestedBy('app_attest')}`]) {
      await set(one.capture, PASSED_SESSION + more);
      const bytes = await download(one.id, one.capture);
      const { manifest } = await askC2paRs(bytes, 'image/jpeg');
      const session = manifest.assertions.find(({ label }) => label === 'org.firsthand.session');
      expect(session?.created).toBeUndefined();
      expect(session?.data).toEqual({
        livemode: false,
        notice: expect.stringMatching(/^TEST: /),
        result: 'passed',
        checks: { asked: 'passed', sensor: 'no answer' },
        means: expect.stringContaining('proves no camera'),
      });
      expect((await checkPhoto(new File([new Uint8Array(bytes)], 'photo.jpg'))).facts).toContainEqual([
        'Camera session, passed on only',
        'passed',
      ]);
    }
    await set(one.capture, `presence = '{"result": "inconclusive", "checks": {}}'`);
    expect((await download(one.id, one.capture)).includes('org.firsthand.session')).toBe(false);
  });

  it('?of=preview signs the preview, says that it is smaller, and keeps the original as its ingredient', async () => {
    const bytes = await download(made.id, made.capture, '?of=preview');
    const { manifest, failures } = await askC2paRs(bytes, 'image/jpeg');
    expect(failures).toEqual([]);
    expect(await askC2paTs(bytes)).toEqual({ valid: true, failures: [] });
    expect(assertion(manifest, 'c2pa.actions.v2')?.actions.map(({ action }) => action)).toEqual([
      'c2pa.opened',
      'c2pa.resized',
    ]);
  });

  const UPLOAD = { steps: [{ key: 'file', type: 'upload', min: 1, max: 1 }] };
  const noise = (side = 400) =>
    sharp({
      create: {
        width: side,
        height: side,
        channels: 3,
        background: '#777',
        noise: { type: 'gaussian', mean: 120, sigma: 30 },
      },
    });

  it.each([
    ['image/png', () => noise().png().toBuffer()],
    ['image/webp', () => noise().webp().toBuffer()],
  ])('signs %s', async (mediaType, make) => {
    const bytes = await make();
    const one = await taken(bytes, { request: UPLOAD, more: { step_key: 'file' } });
    const file = await download(one.id, one.capture);
    expect((await askC2paRs(file, mediaType)).failures).toEqual([]);
    const other = await askC2paTs(file);
    if (mediaType === 'image/webp') expect(other).toBeNull();
    else expect(other).toEqual({ valid: true, failures: [] });
    const report = await bundleReport(one.id);
    expect(report.faults).toEqual([]);
  });

  it('keeps the manifest that a photo brought', async () => {
    const camera = await makeSigner();
    const pixel = await camera.sign(await noise().jpeg().toBuffer(), 'image/jpeg', {
      claim_generator_info: [{ name: 'Camera' }],
      assertions: [
        {
          label: 'c2pa.actions.v2',
          data: {
            actions: [
              {
                action: 'c2pa.created',
                digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/computationalCapture',
              },
            ],
          },
        },
      ],
    });
    const one = await taken(pixel, { request: UPLOAD, more: { step_key: 'file' } });
    const file = await download(one.id, one.capture);
    const read = await askC2paRs(file, 'image/jpeg');
    expect(read.failures).toEqual([]);
    const [parent] = read.manifest.ingredients!;
    expect(read.manifests[parent!.active_manifest!]).toMatchObject({
      claim_generator_info: [{ name: 'Camera' }],
      signature_info: { issuer: 'Test Camera Maker' },
    });
    expect(await askC2paTs(file)).toEqual({ valid: true, failures: [] });

    const broken = Buffer.from(pixel);
    broken[broken.indexOf('c2pa.claim') + 40]! ^= 0xff;
    const two = await taken(broken, { request: UPLOAD, more: { step_key: 'file' } });
    expect((await askC2paRs(await download(two.id, two.capture), 'image/jpeg')).manifest.ingredients).toHaveLength(1);

    // A box of another use has the number of the manifest's.
    const beside = Buffer.concat([pixel.subarray(0, 2), segmentOf(jumbf(0x0211, 1)), pixel.subarray(2)]);
    const three = await taken(beside, { request: UPLOAD, more: { step_key: 'file' } });
    const both = await download(three.id, three.capture);
    expect((await askC2paRs(both, 'image/jpeg')).manifest.ingredients).toHaveLength(1);
    expect(both.includes('{"note":1}')).toBe(true);
  });

  const text = (length: number) => Buffer.from('{"vendor":"Acme","burst":3}'.padEnd(length).slice(0, length));
  it.each([
    ...[16, 17, 20, 24, 27, 28].map((length): [string, Buffer[], string] => [
      `a maker's text of ${length} bytes`,
      [segmentOf(text(length))],
      text(length).toString('latin1'),
    ]),
    ['a JUMBF box with the number of a manifest', [segmentOf(jumbf(0x0211, 1))], '{"note":1}'],
    ['a JUMBF box in two segments', [segmentOf(jumbf(0x0211, 1)), segmentOf(jumbf(0x0211, 2))], '{"note":1}'],
    ['JUMBF boxes with the next numbers too', [0x0211, 0x0212, 1].map(n => segmentOf(jumbf(n, 1))), '{"note":1}'],
    ["a maker's bytes that look like the number", [segmentOf(Buffer.from(`XY\x02\x11${'z'.repeat(60)}`))], ''],
  ])('signs a JPEG that has %s in APP11', async (_what, segments, kept) => {
    const jpeg = await noise().jpeg().toBuffer();
    const bytes = Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
    const one = await taken(bytes, { request: UPLOAD, more: { step_key: 'file' } });
    const file = await download(one.id, one.capture);
    const read = await askC2paRs(file, 'image/jpeg');
    expect(read.failures).toEqual([]);
    expect(read.manifest.ingredients).toMatchObject([{ relationship: 'parentOf' }]);
    expect(await askC2paTs(file)).toEqual({ valid: true, failures: [] });
    expect(file.includes(kept)).toBe(true);
    const raw = (picture: Buffer) => sharp(picture).raw().toBuffer();
    expect((await raw(file)).equals(await raw(bytes))).toBe(true);
    const { body } = await ask<Verification>(service, `/v1/verifications/${one.id}`, { key: service.tenant.pk_test });
    expect(JSON.stringify(body)).not.toContain('unreadable');
    expect((await bundleReport(one.id)).faults).toEqual([]);
    expect(entryOf(await downloadBundle(service, one.id), `credentials/${one.capture}.jpg`).length).toBeGreaterThan(0);
  });

  it('answers 404 for an unknown photo, 409 before the end and 410 after an erasure', async () => {
    expect((await get(made.id, 'cap_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z')).status).toBe(404);
    const open = await createVerification(service, { max_captures: 2 });
    await submit(service, open.id, await firstHand(1));
    const { body } = await ask<Verification>(service, `/v1/verifications/${open.id}`, { key: service.tenant.pk_test });
    expect((await get(open.id, body.captures![0]!.id)).status).toBe(409);
    const one = await taken(await firstHand(1));
    await download(one.id, one.capture);
    await ask(service, `/v1/verifications/${one.id}/redact`, { body: {}, key: service.tenant.rk_secret });
    expect((await get(one.id, one.capture)).status).toBe(410);
  });

  it('lies in the bundle, with the bytes of the original stored once', async () => {
    const report = await bundleReport(made.id);
    expect(report).toMatchObject({ faults: [], notes: [] });
    const zip = await downloadBundle(service, made.id);
    const file = entryOf(zip, `credentials/${made.capture}.jpg`);
    const read = await askC2paRs(file, 'image/jpeg', await roots());
    expect(read).toMatchObject({ state: 'Trusted', failures: [] });
    expect(assertion(read.manifest, 'org.firsthand.log')).not.toHaveProperty('bundle');
    const { rows } = await service.deps.db.query(
      'select length(sealed) as n from evidence_bundles where verification_id = $1',
      [made.id],
    );
    const others = 200_000;
    expect(rows[0].n).toBeLessThan(photo.length + others);
  });
});

const segmentOf = (payload: Buffer) => {
  const head = Buffer.of(0xff, 0xeb, 0, 0);
  head.writeUInt16BE(payload.length + 2, 2);
  return Buffer.concat([head, payload]);
};

const box = (type: string, ...content: Buffer[]) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + Buffer.concat(content).length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...content]);
};

/** A JUMBF box that is no manifest, as APP11 carries it: the number of the box, and of the segment. */
function jumbf(number: number, sequence: number): Buffer {
  const head = Buffer.alloc(8);
  head.write('JP');
  head.writeUInt16BE(number, 2);
  head.writeUInt32BE(sequence, 4);
  const type = Buffer.from('6579d6fbdba2446bb2ac1b82feeb89d1', 'hex');
  const description = box('jumd', type, Buffer.of(3), Buffer.from('acme.notes\0'));
  return Buffer.concat([head, box('jumb', description, box('json', Buffer.from('{"note":1}')))]);
}

const bundleReport = async (id: string) => checkBundle(service, await downloadBundle(service, id), { trusted: [] });

/** The bytes of a stored file in a zip of ours. */
function entryOf(zip: Buffer, name: string): Buffer {
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
    const [size, nameBytes, extra] = [zip.readUInt32LE(at + 18), zip.readUInt16LE(at + 26), zip.readUInt16LE(at + 28)];
    const start = at + 30 + nameBytes + extra;
    if (zip.toString('utf8', at + 30, at + 30 + nameBytes) === name) return zip.subarray(start, start + size);
    at = start + size;
  }
  throw new Error(`${name} is not in the bundle`);
}
