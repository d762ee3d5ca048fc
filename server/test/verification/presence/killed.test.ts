import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Challenge, TRACE_CONTENT_TYPE } from '@firsthand/contract/verification/presence.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { encodeTrace } from '@firsthand/forensics/simulate/trace-file.ts';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { ask, submit, until } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { firstRunOf, freePort, startServiceProcess } from '../../support/service-process.ts';
import { upload } from '../../support/upload.ts';

test('a capture whose service is killed before its analysis keeps its trace, and is judged by it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-presence-'));
  const port = await freePort();
  let service = startServiceProcess({ dataDir, port });
  try {
    await service.ready();
    const { pk_test: key } = await firstRunOf(dataDir);
    const { body: made } = await ask<Verification>(service, '/v1/verifications', {
      key,
      body: { max_captures: 1, signals_required: ['depth'], depth_policy: 'strict' },
    });
    const at = `/v1/verifications/${made.id}`;
    const step_key = made.config.steps[0]!.key;
    const { body: challenge } = await ask<Challenge>(service, `${at}/challenges`, { body: { step_key } });
    const photo = await plain({ width: 320, height: 240 });
    const { data, info } = await sharp(photo).raw().toBuffer({ resolveWithObject: true });
    const picture = { width: info.width, height: info.height, data };
    const frames = Array.from({ length: 16 }, (_, i) => ({ at: i * 133, picture }));
    const file = await encodeTrace(
      { beganAt: Date.parse(challenge.issued_at) + 2_000, frames, videoWidth: 640, crops: [], motion: [] },
      { challengeId: challenge.challenge_id, moves: challenge.moves },
    );
    const trace = await upload(service, made.id, file, { content_type: TRACE_CONTENT_TYPE });
    const sent = await submit(service, made.id, photo, {
      challenge_id: challenge.challenge_id,
      trace_key: trace.image_key,
      trace_sha256: trace.sha256,
    });
    expect(sent.status, sent.text).toBe(201);
    await service.kill();

    service = startServiceProcess({ dataDir, port });
    await service.ready();
    const { verdict, captures } = await until(async () => {
      const { body } = await ask<Verification>(service, at, { key });
      return body.status === 'completed' ? body : null;
    }, 'the verdict');
    expect(verdict).toMatchObject({ label: 'suspicious', reason_code: 'depth_anomaly' });
    // A film of one colour: it was read, its times hold, and it shows nothing else.
    expect(captures[0]!.presence).toMatchObject({
      result: 'inconclusive',
      checks: { fresh: { evaluated: true, passed: true } },
      evidence: { moves_asked: challenge.moves },
    });
  } finally {
    await service.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
});
