import { createHash } from 'node:crypto';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import { type Challenge, TRACE_CONTENT_TYPE } from '@firsthand/contract/verification/presence.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { drawFilm, drawSensor, drawStage, handWay } from '@firsthand/forensics/simulate/film.ts';
import { encodeTrace } from '@firsthand/forensics/simulate/trace-file.ts';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { ask, createVerification, submit, untilStatus } from '../support/harness.ts';
import { signedInDesk } from './desk.ts';
import { ownService } from './stage.ts';

const SEED = 3;

const service = await ownService();
const filmed = await sendFilm();

/** A photo and the film that was asked for with it, by a rendered hand. */
async function sendFilm() {
  const made = await createVerification(
    service,
    { max_captures: 1, signals_required: ['depth'], depth_policy: 'strict', metadata: { claim: 'C-film' } },
    service.tenant.pk_live,
  );
  const path = `/v1/verifications/${made.id}`;
  const step_key = made.config.steps[0]!.key;
  const { body: challenge } = await ask<Challenge>(service, `${path}/challenges`, { body: { step_key } });
  const { moves } = challenge;
  const film = await drawFilm({
    stage: drawStage(SEED),
    way: handWay(moves, random(SEED)),
    sensor: drawSensor(SEED),
    gyroscope: true,
  });
  const file = await encodeTrace(film.trace, {
    challengeId: challenge.challenge_id,
    moves,
    header: { began_at: Date.parse(challenge.issued_at) + 4_000 },
  });
  const { body: upload } = await ask<UploadUrlResponse>(service, `${path}/captures/upload-url`, {
    body: { content_type: TRACE_CONTENT_TYPE },
  });
  await fetch(upload.upload_url, { method: 'PUT', headers: upload.headers, body: new Uint8Array(file) });
  const { width, height, data } = film.still;
  const photo = await sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
  const sent = await submit(service, made.id, photo, {
    challenge_id: challenge.challenge_id,
    trace_key: upload.image_key,
    trace_sha256: createHash('sha256').update(file).digest('hex'),
  });
  expect(sent.status, sent.text).toBe(201);
  await untilStatus(service, made.id, ['completed'], service.tenant.pk_live);
  return { id: made.id, moves };
}

describe('the camera session in the dashboard', () => {
  it('why: a camera session shows its checks, frames, the moves and the way, and the noise before and after it was aligned', async () => {
    const desk = await signedInDesk(service, 'viewer', `/verifications/${filmed.id}`, {
      livemode: true,
      heading: 'C-film',
    });
    const session = desk.page.getByRole('region', { name: 'Camera session' });
    await session.getByRole('heading', { name: 'Camera moved as asked' }).waitFor();
    await session.getByRole('img', { name: `Asked for: ${filmed.moves.join(', ')}` }).waitFor();
    const points = await session
      .getByRole('img', { name: 'The way the camera went' })
      .locator('polyline')
      .getAttribute('points');
    expect(points!.split(' ').length).toBeGreaterThanOrEqual(16);
    for (const name of [
      'Frames of the film side by side',
      /^As the camera saw it: -?[\d.]+$/,
      /^Aligned by the scene: -?[\d.]+$/,
    ]) {
      const picture = session.getByRole('img', { name });
      await picture.scrollIntoViewIfNeeded();
      await expect
        .poll(() => picture.evaluate(element => (element as HTMLImageElement).naturalWidth), { timeout: 30_000 })
        .toBeGreaterThan(200);
    }
    await desk.fine('why-film');
    await desk.close();
  });
});
