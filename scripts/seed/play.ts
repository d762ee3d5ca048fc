import { setTimeout as sleep } from 'node:timers/promises';
import { imageOf } from '@firsthand/forensics/pixels/image.ts';
import { plainCapture, plainDisplay } from '@firsthand/forensics/simulate/params.ts';
import { simulateDirect, simulateRecapture } from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import { Firsthand, type Verification } from '@firsthand/sdk';
import type { NewTenant } from '../../server/src/identity/tenants/create.ts';
import type { Drawing, Scenario } from './scenarios.ts';

const OUTCOME_TIMEOUT_MS = 120_000;
/** The detector recognises a display by its fine structure, which needs pixels. A direct photograph does not. */
const SIZE = { direct: { width: 640, height: 480 }, display: { width: 1280, height: 960 } } as const;

const drawn = new Map<string, Promise<Buffer>>();

/** The picture of a scenario, the same for each tenant: none sees another's. */
function pictureOf(scenario: Scenario, index: number, kind: Drawing, seed: number): Promise<Buffer> {
  const key = `${scenario.title} ${index}`;
  const picture = drawn.get(key) ?? draw(kind, seed * 10 + index, scenario);
  drawn.set(key, picture);
  return picture;
}

/** A photo; where the outcome is forced, the bare scene, because simulating a camera takes half a second. */
async function draw(kind: Drawing, seed: number, { request }: Scenario): Promise<Buffer> {
  const scene = drawScene(seed, SIZE[kind]);
  if (request?.metadata?.test_outcome) return imageOf(scene).jpeg().toBuffer();
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
  const client = new Firsthand(scenario.live ? tenant.pk_live : tenant.pk_test, { baseUrl: url });
  const { id } = await client.verifications.create({
    expires_in_seconds: 86_400,
    brand_slug: brand,
    ...scenario.request,
    metadata: { ...scenario.request?.metadata, scenario: scenario.title },
  });
  if (scenario.answers) await client.captures.submitAnswers(id, { answers: scenario.answers });
  for (const [index, kind] of (scenario.pictures ?? []).entries()) {
    await client.captures.upload(id, await pictureOf(scenario, index, kind, seed), {
      surface: 'web',
      capturedAt: new Date(),
      ...(scenario.location ? { location: scenario.location } : {}),
    });
  }
  if (scenario.afterwards === 'cancel') {
    await new Firsthand(tenant.rk_secret, { baseUrl: url }).verifications.cancel(id);
  } else if (scenario.afterwards === 'abandon') {
    await client.captures.reportProgress(id, { schema_version: 1, step: 'ready', elapsed_ms: 4_200, abandoned: true });
  }
  const ended = await untilEnded(client, id, scenario);
  if (typeof scenario.afterwards !== 'object') return ended;
  return client.verifications.finalize(id, scenario.afterwards);
}

async function untilEnded(client: Firsthand, id: string, { title, ends }: Scenario): Promise<Verification> {
  const deadline = Date.now() + OUTCOME_TIMEOUT_MS;
  for (;;) {
    const now = await client.verifications.get(id);
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
