import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import { type Challenge, type DepthPolicy, TRACE_CONTENT_TYPE } from '@firsthand/contract/verification/presence.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { jpegOf } from '@firsthand/forensics/pixels/image.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import type { Session } from '@firsthand/forensics/presence/trace.ts';
import { COPIES, copied } from '@firsthand/forensics/simulate/copies.ts';
import { drawFilm, drawSensor, drawStage, type Film, handWay } from '@firsthand/forensics/simulate/film.ts';
import { encodeTrace } from '@firsthand/forensics/simulate/trace-file.ts';
import type { NewTenant } from 'firsthand/identity/tenants/create.ts';
import { type Dispatcher, request } from 'undici';
import { type OwnService, startOwnService } from '../../../bench/src/own-service.ts';
import { phone, post, settled } from '../../../bench/src/receivers.ts';
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
  firstSeedOf: (attack: Attack) => number,
  sent: (row: SentRow) => void,
): Promise<void> {
  const service = await startOwnService({ ANALYSIS_THREADS: '1' });
  try {
    for (const attack of classes)
      for (const policy of POLICIES) {
        const strict = attack.kind === 'genuine' ? counts.genuine : counts.strict;
        const from = firstSeedOf(attack) + (policy === 'strict' ? 0 : strict);
        const count = policy === 'strict' ? strict : counts.lenient;
        for (let i = 0; i < count; i++) sent(await send(service, attack, policy, from + i));
      }
  } finally {
    await service.close();
  }
}

/** Links that are opened at most until one asks for the moves of a film that is at hand: one in eight does. */
const MOST_LINKS = 60;

/** Sends one session, and once more where the class says so. Each has a phone's address of its own, because the request limit is per address. */
async function send(
  service: OwnService,
  { name, make, again, anew }: Attack,
  policy: DepthPolicy,
  seed: number,
): Promise<SentRow> {
  const from = phone(`127.0.7.${1 + (nextAddress++ % 250)}`);
  const { tenant } = service;
  let link = await open(service, tenant, policy, from);
  const { moves } = link.challenge;
  let session = await make(seed, moves);
  // Without a trace a program sends the photo of a genuine session alone.
  const { still, second } = session ?? (await onlyPhotos(seed, moves));
  const photosOf = async (quality: number) => ({
    image_base64: (await jpegOf(still, quality)).toString('base64'),
    ...(second && { motion_frame_base64: (await jpegOf(second, quality)).toString('base64') }),
  });
  const photos = await photosOf(92);
  const submit = async (photos: Awaited<ReturnType<typeof photosOf>>): Promise<void> => {
    const film = session && (await uploaded(service, link, session, from));
    await post(service.url, `/v1/verifications/${link.id}/captures`, { ...photos, ...film }, from);
  };
  await submit(photos);
  let owner = tenant;
  if (again) {
    await settled(service, link.id);
    owner = again === 'account' ? tenant : await otherTenant(service);
    for (let opened = 0; opened === 0 || link.challenge.moves.join() !== moves.join(); opened++) {
      if (opened === MOST_LINKS) throw new Error(`no link of ${MOST_LINKS} asks for ${moves.join(', ')}`);
      link = await open(service, owner, policy, from);
    }
    if (session && anew) session = { ...session, trace: await copied(session.trace, COPIES['JPEG of quality 50']) };
    await submit(anew ? await photosOf(80) : photos);
  }
  const done = await settled({ ...service, tenant: owner }, link.id);
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

interface Link {
  id: string;
  challenge: Challenge;
}

/** Creates a live request, and asks for its moves. */
async function open(service: OwnService, tenant: NewTenant, policy: DepthPolicy, from: Dispatcher): Promise<Link> {
  const step = { type: 'image', key: 'photo', description: 'The damage', min: 1, max: 1 };
  const asked = { steps: [step], signals_required: ['depth'], depth_policy: policy };
  const { id } = await post<Verification>(service.url, '/v1/verifications', asked, from, tenant.pk_live);
  const body = { step_key: step.key };
  return { id, challenge: await post<Challenge>(service.url, `/v1/verifications/${id}/challenges`, body, from) };
}

/** Uploads a film under a link. Returns the fields that name it. The same session gives the same pictures, byte by byte. */
async function uploaded({ url }: OwnService, { id, challenge }: Link, { trace }: Session, from: Dispatcher) {
  const began = Date.parse(challenge.issued_at) + trace.beganAt - ISSUED;
  const { challenge_id, moves } = challenge;
  const file = await encodeTrace(trace, { challengeId: challenge_id, moves, header: { began_at: began } });
  const address = { content_type: TRACE_CONTENT_TYPE };
  const upload = await post<UploadUrlResponse>(url, `/v1/verifications/${id}/captures/upload-url`, address, from);
  const { pathname, search } = new URL(upload.upload_url);
  const headers = upload.headers;
  const put = await request(`${url}${pathname}${search}`, { method: 'PUT', dispatcher: from, headers, body: file });
  await put.body.dump();
  if (put.statusCode !== 200) throw new Error(`the upload of a trace was answered ${put.statusCode}`);
  return { challenge_id, trace_key: upload.image_key, trace_sha256: createHash('sha256').update(file).digest('hex') };
}

const others = new WeakMap<OwnService, NewTenant>();

/** A second account of the service, as its operator makes one. */
async function otherTenant(service: OwnService): Promise<NewTenant> {
  const known = others.get(service);
  if (known) return known;
  const made = await promisify(execFile)(
    process.execPath,
    [fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url)), 'create-tenant', 'Other'],
    { env: { ...process.env, DATA_DIR: service.dataDir } },
  );
  const tenant = JSON.parse(made.stdout) as NewTenant;
  others.set(service, tenant);
  return tenant;
}

let nextAddress = 0;

const onlyPhotos = (seed: number, moves: Challenge['moves']): Promise<Film> =>
  drawFilm({ stage: drawStage(seed), way: handWay(moves, random(seed)), sensor: drawSensor(seed), frames: 2 });
