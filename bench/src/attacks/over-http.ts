import { createHash } from 'node:crypto';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import { type Challenge, type DepthPolicy, TRACE_CONTENT_TYPE } from '@firsthand/contract/verification/presence.ts';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { drawFilm, drawSensor, drawStage, type Film, handWay } from '@firsthand/forensics/simulate/film.ts';
import { encodeTrace } from '@firsthand/forensics/simulate/trace-file.ts';
import sharp from 'sharp';
import { request } from 'undici';
import { type OwnService, startOwnService } from '../own-service.ts';
import { createVerification, phone, post, settled } from '../receivers.ts';
import { type Attack, ISSUED } from './session.ts';

export interface SentRow {
  name: string;
  policy: DepthPolicy;
  seed: number;
  presence: string;
  label: string;
  review: string;
  /** Names of the checks that failed, and of those without an answer. */
  failed: string[];
  silent: string[];
}

const POLICIES: readonly DepthPolicy[] = ['strict', 'lenient'];

/** Sessions of each class under `strict`, and under `lenient`; genuine ones under `strict`. */
interface Counts {
  strict: number;
  lenient: number;
  genuine: number;
}

/**
 * Sends sessions of each class under each policy, each of another subject, to a service of its own, as a page or a program does: a challenge, the trace in
 * its wire format, the photo, and the verdict at the end.
 */
export async function sendAll(
  classes: readonly Attack[],
  counts: Counts,
  firstSeed: number,
  sent: (row: SentRow) => void,
): Promise<void> {
  const service = await startOwnService({ ANALYSIS_THREADS: '1' });
  try {
    for (const attack of classes)
      for (const policy of POLICIES) {
        const strict = attack.kind === 'genuine' ? counts.genuine : counts.strict;
        const from = firstSeed + (policy === 'strict' ? 0 : strict);
        const count = policy === 'strict' ? strict : counts.lenient;
        for (let i = 0; i < count; i++) sent(await send(service, attack, policy, from + i));
      }
  } finally {
    await service.close();
  }
}

/** Sends one session. Each has a phone's address of its own, because the request limit is per address. */
async function send(service: OwnService, { name, make }: Attack, policy: DepthPolicy, seed: number): Promise<SentRow> {
  const { url, tenant } = service;
  const from = phone(`127.0.7.${1 + (nextAddress++ % 250)}`);
  const step = { type: 'image', key: 'photo', description: 'The damage', min: 1, max: 1 };
  const asked = { steps: [step], signals_required: ['depth'], depth_policy: policy };
  const { id } = await createVerification(url, tenant, from, asked);
  const path = `/v1/verifications/${id}`;
  const challenge = await post<Challenge>(url, `${path}/challenges`, { step_key: step.key }, from);
  const session = await make(seed, challenge.moves);
  // Without a trace a program sends the photo of a genuine session alone.
  const { still, second } = session ?? (await onlyPhotos(seed, challenge.moves));
  const body: Record<string, string> = {
    image_base64: (await jpegOf(still)).toString('base64'),
    ...(second && { motion_frame_base64: (await jpegOf(second)).toString('base64') }),
  };
  if (session) {
    const began = Date.parse(challenge.issued_at) + session.trace.beganAt - ISSUED;
    const file = await encodeTrace(session.trace, {
      challengeId: challenge.challenge_id,
      moves: challenge.moves,
      header: { began_at: began },
    });
    const address = { content_type: TRACE_CONTENT_TYPE };
    const upload = await post<UploadUrlResponse>(url, `${path}/captures/upload-url`, address, from);
    const { pathname, search } = new URL(upload.upload_url);
    const headers = upload.headers;
    const put = await request(`${url}${pathname}${search}`, { method: 'PUT', dispatcher: from, headers, body: file });
    await put.body.dump();
    if (put.statusCode !== 200) throw new Error(`the upload of a trace was answered ${put.statusCode}`);
    body.challenge_id = challenge.challenge_id;
    body.trace_key = upload.image_key;
    body.trace_sha256 = createHash('sha256').update(file).digest('hex');
  }
  await post(url, `${path}/captures`, body, from);
  const done = await settled(service, id);
  await from.close();
  const { result = 'none', checks = {} } = done.captures.at(-1)?.presence ?? {};
  const names = (holds: (check: { evaluated: boolean; passed?: boolean }) => boolean): string[] =>
    Object.entries(checks).flatMap(([check, found]) => (found && holds(found) ? [check] : []));
  return {
    name,
    policy,
    seed,
    presence: result,
    failed: names(({ passed }) => passed === false),
    silent: names(({ evaluated }) => !evaluated),
    label: done.verdict?.label ?? done.status,
    review: done.review.state,
  };
}

let nextAddress = 0;

const onlyPhotos = (seed: number, moves: Challenge['moves']): Promise<Film> =>
  drawFilm({ stage: drawStage(seed), way: handWay(moves, random(seed)), sensor: drawSensor(seed), frames: 2 });

const jpegOf = ({ width, height, data }: Picture): Promise<Buffer> =>
  sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
