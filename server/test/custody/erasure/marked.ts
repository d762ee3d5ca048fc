import { createHash } from 'node:crypto';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import { type Challenge, TRACE_CONTENT_TYPE } from '@firsthand/contract/verification/presence.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { encodeTrace } from '@firsthand/forensics/simulate/trace-file.ts';
import sharp from 'sharp';
import { signedIn } from '../../identity/people/visitor.ts';
import { downloadBundle } from '../../support/bundle.ts';
import { draw } from '../../support/drawn.ts';
import { ask, submit, type TestService, until } from '../../support/harness.ts';
import { bodyOf, openServer } from '../../support/local-server.ts';

/** Texts that stand for what is personal. None occurs anywhere else. */
export const MARKS = {
  name: 'Marta Quillfeather',
  email: 'marta.quillfeather@mail.example',
  phone: '+4915799112233',
  externalRef: 'CUST-88213-QX',
  assetRef: 'VIN-WZZ9Q8211X',
  place: '17 Umberfield Close, Ottersby',
  object: 'Pumpernickel-red tandem',
  aspect: 'saddle zwirn',
  contextSummary: 'Tandem stolen near the Wolkenberg',
  contextValue: 'engraved QLF-772',
  contextNumber: '90210447',
  metadataKey: 'qlf_case',
  metadataValue: 'A-5521-ZULU',
  metadataOther: 'broker Oleander Finch',
  notify: 'claims-desk-qlf@insurer.example',
  answer: 'KX-Q 7741',
  answerText: 'The lock hung on the fence of number 44b',
  answerOther: 'Ottilie Vane saw it',
  narrative: 'I met Balthasar Umlauf beside the river',
  narrativePlace: 'Zwetschgenplatz 9',
  latitude: '52.9182736',
  longitude: '13.1928374',
  accuracy: '17.375',
  exifLatitude: '48.273463',
  exifLongitude: '11.836272',
  surface: 'kiosk-of-umlauf',
  exifMake: 'Quillcam',
  exifModel: 'QF-9000-77',
  exifSoftware: 'Umberedit 4.4',
  exifLens: 'Ottergon 35',
  exifTaken: '2025:03:17 08:41:33',
  pictureText: 'ZWIRNBURG',
  pictureNumber: '550417733',
  excerpt: 'stored as dossier Nightjar-4471',
  excerptHeader: 'operator Cassius Vole',
  idempotencyKey: 'claim-of-marta-quill-1',
  captureKey: 'photo-of-umlauf-1',
  hookPath: 'claims-of-quillfeather',
  hookSecret: 'Nettlewick-hook-88',
  replaced: 'an earlier answer: Persimmon Row',
  unsent: 'unsent words of Ezra Thimble',
  motion: 'Secondframe of Umlauf',
  track: 'back camera of Umlauf, ultrawide',
  bytes: 'trailer-bytes-Quillfeather-1',
  comment: 'a colleague doubts the Quillfeather saddle',
  sentTo: 'tandem-phone-qlf@people.example',
} as const;

export interface Marked {
  id: string;
  captures: string[];
  links: string[];
  receiver: { url: string; bodies: string[]; close(): Promise<void> };
}

/** A receiver that answers with words about the case. */
async function talkative() {
  const bodies: string[] = [];
  const { url, close } = await openServer(async (request, response) => {
    bodies.push((await bodyOf(request)).toString());
    response.end(`${MARKS.excerpt}; ${MARKS.excerptHeader}`);
  });
  return { url: `${url}/${MARKS.hookPath}?token=${MARKS.hookSecret}`, bodies, close };
}

/** A photo whose file and whose picture hold marks. */
async function photo(colour: string): Promise<Buffer> {
  const drawn = await draw({ colour, text: [MARKS.pictureText, MARKS.pictureNumber] });
  const jpeg = await sharp(drawn)
    .withExif({
      IFD0: { Make: MARKS.exifMake, Model: MARKS.exifModel, Software: MARKS.exifSoftware },
      IFD2: { LensModel: MARKS.exifLens, DateTimeOriginal: MARKS.exifTaken },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: '48/1 16/1 2447/100',
        GPSLongitudeRef: 'E',
        GPSLongitude: '11/1 50/1 1058/100',
      },
    })
    .jpeg()
    .toBuffer();
  return Buffer.concat([jpeg, Buffer.from(MARKS.bytes)]);
}

/** Uploads a trace whose header holds a mark. Gives the fields of the capture. */
async function sendTrace(service: TestService, id: string) {
  const { body: challenge } = await ask<Challenge>(service, `/v1/verifications/${id}/challenges`, {
    body: { step_key: 'front' },
  });
  const { data, info } = await sharp(await draw({ colour: '#8a5' }))
    .resize(160)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const picture = { width: info.width, height: info.height, data };
  const frames = Array.from({ length: 16 }, (_, i) => ({ at: i * 133, picture }));
  const file = await encodeTrace(
    { beganAt: Date.now(), frames, videoWidth: 640, crops: [], motion: [] },
    {
      challengeId: challenge.challenge_id,
      moves: challenge.moves,
      header: { track: { settings: { label: MARKS.track }, capabilities: {} } },
    },
  );
  const { body } = await ask<UploadUrlResponse>(service, `/v1/verifications/${id}/captures/upload-url`, {
    body: { content_type: TRACE_CONTENT_TYPE, step_key: 'front' },
  });
  await fetch(body.upload_url, { method: 'PUT', headers: body.headers, body: new Uint8Array(file) });
  return {
    challenge_id: challenge.challenge_id,
    trace_key: body.image_key,
    trace_sha256: createHash('sha256').update(file).digest('hex'),
  };
}

/** A finished verification that holds every mark, in each place where such a thing may stand. */
export async function plantMarks(service: TestService): Promise<Marked> {
  const key = service.tenant.rk_secret;
  const receiver = await talkative();
  const made = await ask<Verification>(service, '/v1/verifications', {
    key,
    headers: { 'idempotency-key': MARKS.idempotencyKey },
    body: {
      steps: [
        { type: 'image', key: 'front', description: 'The whole thing', min: 1, max: 2 },
        { type: 'text', key: 'plate', required: true },
        { type: 'text', key: 'story', required: true },
        { type: 'text', key: 'witness', required: false },
      ],
      signals_required: ['screen', 'ai', 'reverse', 'depth', 'context'],
      context: {
        kind: 'bicycle',
        summary: MARKS.contextSummary,
        attributes: { frame: MARKS.contextValue, number: Number(MARKS.contextNumber) },
      },
      metadata: { [MARKS.metadataKey]: MARKS.metadataValue, broker: MARKS.metadataOther },
      webhook_url: receiver.url,
      notify_email: MARKS.notify,
      expected_location: MARKS.place,
      expected_object: MARKS.object,
      condition_aspects: [MARKS.aspect],
      expected_info: {
        subject: {
          ocr_type: 'plate',
          asset_ref: MARKS.assetRef,
          person: { name: MARKS.name, email: MARKS.email, phone_e164: MARKS.phone, external_ref: MARKS.externalRef },
        },
      },
    },
  });
  if (made.status !== 201) throw new Error(made.text);
  const { id } = made.body;
  // The reminder waits with the address.
  const asked = await ask(service, `/v1/verifications/${id}/send`, {
    key,
    body: { by: 'email', to: MARKS.sentTo, remind: true },
  });
  if (asked.status !== 202) throw new Error(asked.text);
  const answers = (values: Record<string, string>) =>
    ask(service, `/v1/verifications/${id}/answers`, { body: { answers: values } });
  await answers({ plate: MARKS.replaced });
  await answers({ plate: MARKS.answer, story: MARKS.answerText, witness: MARKS.answerOther });
  const trace = await sendTrace(service, id);
  const second = Buffer.concat([await draw({ colour: '#9a4' }), Buffer.from(MARKS.motion)]);
  const sent = await submit(
    service,
    id,
    await photo('#8a5'),
    {
      surface: MARKS.surface,
      location: {
        latitude: Number(MARKS.latitude),
        longitude: Number(MARKS.longitude),
        accuracy_m: Number(MARKS.accuracy),
      },
      client_captured_at: '2025-03-17T08:41:33Z',
      motion_frame_base64: second.toString('base64'),
      ...trace,
    },
    { 'idempotency-key': MARKS.captureKey },
  );
  if (sent.status !== 201) throw new Error(sent.text);
  // One that nobody submits: its bytes lie in the store without a row.
  await service.deps.blobs.put(`captures/${id}/cap_${'0'.repeat(26)}`, Buffer.from(MARKS.unsent), {
    contentType: 'image/jpeg',
  });
  const read = () => ask<Verification>(service, `/v1/verifications/${id}`, { key });
  const done = await until(async () => {
    const { body } = await read();
    return body.status === 'completed' && body.captures[0]?.text ? body : null;
  }, 'the marked verification to complete');
  const finalized = await ask(service, `/v1/verifications/${id}/finalize`, {
    key,
    headers: { 'idempotency-key': `${MARKS.idempotencyKey}-end` },
    body: { narrative: `${MARKS.narrative}, at ${MARKS.narrativePlace}.` },
  });
  if (finalized.status > 202) throw new Error(finalized.text);
  await until(async () => (await read()).body.case_analysis, 'the case analysis');
  await until(async () => {
    const { body } = await ask<{ data: { attempts: { response_excerpt?: string }[]; type: string }[] }>(
      service,
      `/v1/webhook-deliveries?verification_id=${id}`,
      { key },
    );
    return body.data.length >= 4 && body.data.every(({ attempts }) => attempts.some(one => one.response_excerpt));
  }, 'the webhooks to be answered');
  await downloadBundle(service, id, key);
  const colleague = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'reviewer', livemode: true });
  const commented = await colleague.ask(`/v1/verifications/${id}/comments`, { body: { text: MARKS.comment } });
  if (commented.status !== 201) throw new Error(JSON.stringify(commented.body));
  const links = done.captures.flatMap(({ image_url, preview_url, presence }) => {
    const { strip_url, noise } = presence?.evidence ?? {};
    return [image_url, preview_url, strip_url, noise?.before_url, noise?.after_url].filter(link => link !== undefined);
  });
  return { id, captures: done.captures.map(({ sha256 }) => sha256), links, receiver };
}
