import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { plainCapture, plainDisplay } from '@firsthand/forensics/simulate/params.ts';
import { simulateDirect, simulateRecapture } from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import { call } from '../../server/src/commands/call.ts';
import type { NewTenant } from '../../server/src/identity/tenants/create.ts';
import type { Drawing, Scenario } from './scenarios.ts';

const OUTCOME_TIMEOUT_MS = 120_000;
/** The detector recognises a display by its fine structure, which needs pixels. A direct photograph does not. */
const SIZE = { direct: { width: 640, height: 480 }, display: { width: 1280, height: 960 } } as const;

async function draw(kind: Drawing, seed: number): Promise<Buffer> {
  const scene = drawScene(seed, SIZE[kind]);
  const capture = plainCapture(seed, SIZE[kind]);
  return (
    kind === 'direct' ? await simulateDirect(scene, capture) : await simulateRecapture(scene, plainDisplay(capture))
  ).jpeg;
}

/**
 * Plays one scenario over the API, as a tenant and an end user would, and returns the verification as it ended.
 * `seed` draws the pictures. Throws when the outcome is not the expected one.
 */
export async function play(url: string, tenant: NewTenant, brand: string, scenario: Scenario, seed: number) {
  const key = scenario.live ? tenant.pk_live : tenant.pk_test;
  const { id } = await call<Verification>(`${url}/v1/verifications`, {
    key,
    body: {
      expires_in_seconds: 86_400,
      brand_slug: brand,
      ...scenario.request,
      metadata: { ...scenario.request?.metadata, scenario: scenario.title },
    },
  });
  const link = `${url}/v1/verifications/${id}`;
  if (scenario.answers) await call(`${link}/answers`, { body: { answers: scenario.answers } });
  for (const [index, kind] of (scenario.pictures ?? []).entries()) {
    await send(link, await draw(kind, seed * 10 + index), scenario.location);
  }
  if (scenario.afterwards === 'cancel') {
    await call(`${link}/cancel`, { key: tenant.rk_secret, method: 'POST' });
  } else if (scenario.afterwards === 'abandon') {
    await call(`${link}/progress`, { body: { schema_version: 1, step: 'ready', elapsed_ms: 4_200, abandoned: true } });
  }
  const ended = await untilEnded(url, key, id, scenario);
  if (typeof scenario.afterwards !== 'object') return ended;
  return call<Verification>(`${link}/finalize`, { key, body: scenario.afterwards });
}

async function send(link: string, jpeg: Buffer, location: Scenario['location']): Promise<void> {
  const target = await call<UploadUrlResponse>(`${link}/captures/upload-url`, {
    body: { contentType: 'image/jpeg', size_bytes: jpeg.length },
  });
  const put = await fetch(target.upload_url, { method: 'PUT', headers: target.headers, body: new Uint8Array(jpeg) });
  if (!put.ok) throw new Error(`the upload was answered ${put.status}: ${await put.text()}`);
  await call(`${link}/captures`, {
    body: {
      image_key: target.image_key,
      image_sha256: createHash('sha256').update(jpeg).digest('hex'),
      surface: 'web',
      client_captured_at: new Date().toISOString(),
      ...(location ? { location } : {}),
    },
  });
}

async function untilEnded(url: string, key: string, id: string, { title, ends }: Scenario): Promise<Verification> {
  const deadline = Date.now() + OUTCOME_TIMEOUT_MS;
  for (;;) {
    const now = await call<Verification>(`${url}/v1/verifications/${id}`, { key });
    const analysed = now.captures.every(capture => ends.status === 'failed' || capture.signals);
    if (now.status === ends.status && analysed) {
      if (now.verdict?.label !== ends.label || now.verdict?.reason_code !== ends.reason) {
        throw new Error(`"${title}" ended ${now.verdict?.label} (${now.verdict?.reason_code ?? 'no reason'}): ${id}`);
      }
      return now;
    }
    if (now.status === 'completed' || now.status === 'failed' || Date.now() > deadline) {
      throw new Error(`"${title}" is ${now.status}, not ${ends.status}: ${id}. Is a worker running?`);
    }
    await sleep(100);
  }
}
