import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import {
  type CaptureSignals,
  NOT_APPLICABLE,
  SHOWN_SIGNALS,
  type ShownSignalName,
} from '@firsthand/contract/verification/signals.ts';
import type { ContextCheck } from '@firsthand/contract/verification/verification.ts';
import type { HostedManifest } from '@firsthand/forensics/ai/manifest.ts';
import type { AnalysisRequest, PictureAnalysis } from '@firsthand/forensics/analyze.ts';
import { ImageFault } from '@firsthand/forensics/files/inspect.ts';
import type { AiSignal } from '@firsthand/forensics/signals.ts';
import { transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { addSlowJob } from '../../platform/jobs/queue.ts';
import { digestOf } from '../../platform/lib/digest.ts';
import { inSpan, isTraced, pastSpan } from '../../platform/lib/tracing.ts';
import { type ClaimedCapture, failAnalysis } from '../../verification/captures/analysis-queue.ts';
import { attestsPicture } from '../../verification/captures/attestation/binding.ts';
import { deletePictures } from '../../verification/captures/erase.ts';
import { filmCameBefore } from '../../verification/captures/film-prints.ts';
import { evidenceKeyOf, previewKeyOf } from '../../verification/captures/image-key.ts';
import { storeAnalysis } from '../../verification/captures/write.ts';
import { settle } from '../../verification/verdict/settle.ts';
import {
  type CaptureRow,
  findVerification,
  type StoredPresence,
  type VerificationRow,
} from '../../verification/verifications/row.ts';
import { signalsAsked } from '../../verification/verifications/steps.ts';
import { checkContext } from '../checks/context.ts';
import { eraseGeocodes } from '../checks/geocode.ts';
import { matchLocation } from '../checks/location.ts';
import { hostedAt, withHostedModel } from './hosted-model.ts';
import { withOriginal } from './reverse/original.ts';
import { type ReverseSignal, rememberAndSearch } from './reverse/search.ts';
import { sessionOf } from './session.ts';

/** A picture that no further attempt can analyse. The message names why. */
export class PictureFault extends Error {
  override name = 'PictureFault';
}

/**
 * Analyses one capture and settles its verification. Runs the detectors and reads the store with no transaction open, then writes the
 * signals in one short transaction. Calls `freeThread` when it needs the pixels no longer.
 *
 * @throws PictureFault when no retry can help; any other error may be retried.
 */
export async function analyzeCapture(deps: Deps, capture: ClaimedCapture, freeThread: () => void): Promise<void> {
  const row = await findVerification(deps.db, capture.verification_id);
  if (!row || row.redacted_at) {
    deps.log.info({ captureId: capture.id }, 'nothing to analyse');
    await failAnalysis(deps.db, capture.id, deps.clock.now(), 'the verification was redacted');
    return;
  }
  const found = await inspectCapture(deps, row, capture, freeThread);
  await transaction(deps.db, async tx => {
    await storeAnalysis(tx, capture.id, { ...found, at: deps.clock.now() });
    await settle(tx, deps, row.id);
    if (row.private.ocr_type) await addSlowJob(tx, 'read_text', capture.id, row);
  });
  await forgetIfRedacted(deps, row);
}

/** An erasure that came while this picture was analysed finds nothing that was written since. */
async function forgetIfRedacted(deps: Pick<Deps, 'db' | 'blobs'>, { id, config }: VerificationRow): Promise<void> {
  if (!(await findVerification(deps.db, id))?.redacted_at) return;
  await deletePictures(deps.blobs, id);
  if (config.expected_location) await eraseGeocodes(deps.db, [config.expected_location]);
}

/** Reads the stored bytes and compares them with the submitted hash, so the detectors see exactly what was sent. */
async function originalOf(deps: Pick<Deps, 'blobs'>, capture: CaptureRow): Promise<Buffer> {
  const bytes = await deps.blobs.get(capture.image_blob, { maxBytes: UPLOAD_HARD_CAP_BYTES });
  const sha256 = await digestOf(bytes);
  if (sha256 === capture.sha256) return bytes;
  throw new PictureFault(
    `the stored picture has changed: its SHA-256 is ${sha256}, that of the submitted one ${capture.sha256}`,
  );
}

async function inspectCapture(deps: Deps, row: VerificationRow, capture: ClaimedCapture, freeThread: () => void) {
  const [bytes, motionFrame, session] = await Promise.all([
    originalOf(deps, capture),
    capture.motion_blob ? deps.blobs.get(capture.motion_blob, { maxBytes: UPLOAD_HARD_CAP_BYTES }) : undefined,
    sessionOf(deps, row, capture),
  ]);
  const required = signalsAsked(row.config, capture.step_key);
  const uploaded = capture.source === 'upload';
  const wanted = SHOWN_SIGNALS.filter(({ name }) => required.includes(name));
  const measured = wanted.filter(({ uploads }) => uploads || !uploaded);
  const hosted = deps.config.aiModel === null ? null : await hostedAt(deps.config.aiModel);
  const examined = await analysisOf(deps, {
    bytes,
    signals: measured.map(({ name }) => name),
    attested: !uploaded && attestsPicture(capture.attestation),
    threeDimensional: row.config.context?.attributes?.three_dimensional === true,
    ...(deps.config.screenThresholds ? { thresholds: { screen: deps.config.screenThresholds } } : {}),
    ...(motionFrame ? { motionFrame } : {}),
    ...(session ? { session } : {}),
    ...(deps.config.aiModel && !hosted ? { aiModel: deps.config.aiModel } : {}),
    ...(deps.config.aiBuiltIn ? { aiBuiltIn: true } : {}),
    ...(deps.config.c2paTrustAnchors ? { trustAnchors: deps.config.c2paTrustAnchors } : {}),
    ...(deps.config.c2paTrustList ? { officialTrust: true } : {}),
    ...(isTraced() ? { timed: true } : {}),
  });
  for (const { part, startedAt, endedAt } of examined.timings ?? []) pastSpan(`analysis ${part}`, startedAt, endedAt);
  freeThread();
  const analysis = await countedOnce(deps, row, capture, examined);
  // Strangers' trials cost the operator nothing.
  if (hosted && analysis.ai && row.private.by !== 'trial')
    analysis.ai = await inSpan('own model', {}, () => scoredElsewhere(deps, hosted, analysis.ai!, analysis, bytes));
  const previewKey = previewKeyOf(row.id, capture.id);
  const displayKey = analysis.display ? evidenceKeyOf(row.id, capture.id, 'display.jpg') : null;
  const keep = (key: string, bytes: Uint8Array) => deps.blobs.put(key, bytes, { contentType: 'image/jpeg' });
  const searched = {
    id: capture.id,
    verificationId: row.id,
    tenantId: row.tenant_id,
    livemode: row.livemode,
    externalRef: row.external_ref,
    listsOnly: row.private.by === 'trial',
  };
  const [reverse] = await allEnded([
    inSpan('reverse search', {}, () => rememberAndSearch(deps, searched, analysis)),
    keep(previewKey, analysis.preview),
    displayKey ? keep(displayKey, analysis.display!) : undefined,
  ]);
  const signals: Record<string, unknown> = {};
  for (const spec of wanted) {
    const found = measured.includes(spec)
      ? ((await foundBy(deps, spec.name, { analysis, reverse, row, capture })) ?? {
          ...spec.unevaluated,
          evaluated: false,
          reason: 'analysis_error',
        })
      : NOT_APPLICABLE;
    signals[spec.key] = found;
  }
  return {
    signals: signals as CaptureSignals,
    metadata: analysis.metadata,
    previewKey,
    displayKey,
    locationMatch: await matchLocation(deps, row.config.expected_location, capture, analysis.metadata.gps),
    context: await contextOf(deps, row, analysis.preview),
    presence: await presenceOf(deps, row, capture, analysis.presence),
  };
}

/** Like `Promise.all`, but a failure leaves nothing running behind it. */
async function allEnded<const T extends readonly unknown[]>(work: T): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work) as Promise<{ [K in keyof T]: Awaited<T[K]> }>;
}

/** What counts of an analysis: a film counts once, in whatever encoding it comes again. */
async function countedOnce(
  deps: Pick<Deps, 'db'>,
  row: VerificationRow,
  capture: CaptureRow,
  examined: PictureAnalysis,
): Promise<PictureAnalysis> {
  const { presence, repeated } = examined;
  if (!presence?.print || !(await filmCameBefore(deps, capture, row.livemode, presence.print))) return examined;
  return { ...examined, ...repeated };
}

/** The AI signal with the score of the operator's service, which sees what a browser can show. */
const scoredElsewhere = (
  { config }: Pick<Deps, 'config'>,
  manifest: HostedManifest,
  ai: AiSignal,
  { display, info }: PictureAnalysis,
  bytes: Uint8Array,
) =>
  withHostedModel(ai, {
    manifest,
    manifestPath: config.aiModel!,
    token: config.aiModelToken,
    file: display ? { bytes: display, contentType: 'image/jpeg' } : { bytes, contentType: info.contentType },
  });

async function analysisOf(deps: Pick<Deps, 'pictures'>, request: AnalysisRequest): Promise<PictureAnalysis> {
  try {
    return await deps.pictures.analyze(request);
  } catch (error) {
    if (error instanceof ImageFault) throw new PictureFault(error.message, { cause: error });
    throw error;
  }
}

/** The camera session as the database stores it. Keeps its pictures in the store. */
async function presenceOf(
  deps: Pick<Deps, 'blobs'>,
  row: VerificationRow,
  capture: CaptureRow,
  judged: PictureAnalysis['presence'],
): Promise<StoredPresence | null> {
  if (!judged) return null;
  const { strip, noise, print: _print, band: _band, checks, ...presence } = judged;
  const shown = Object.entries(checks).map(([name, { contradiction: _, missing: __, ...check }]) => [name, check]);
  const stored: StoredPresence = { ...presence, checks: Object.fromEntries(shown) };
  const keep = async (name: string, bytes: Uint8Array, contentType: string): Promise<string> => {
    const key = evidenceKeyOf(row.id, capture.id, name);
    await deps.blobs.put(key, bytes, { contentType });
    return key;
  };
  if (strip) stored.strip_blob = await keep('strip.jpg', strip, 'image/jpeg');
  if (noise)
    stored.noise_blobs = {
      before: await keep('noise-before.png', noise.before, 'image/png'),
      after: await keep('noise-after.png', noise.after, 'image/png'),
    };
  return stored;
}

/** Runs the context check if the request asks for one. Null when the request gives no text to compare the picture with. */
async function contextOf(
  deps: Pick<Deps, 'vision'>,
  row: VerificationRow,
  preview: Uint8Array,
): Promise<ContextCheck | null> {
  const { signals_required, context } = row.config;
  if (!signals_required.includes('context')) return null;
  if (!context) return { evaluated: false, no_answer: 'no_context' };
  if (!deps.vision) return { evaluated: false, no_answer: 'no_model' };
  const { vision } = deps;
  return inSpan('context check', {}, () => checkContext(vision, context, preview, { account: row.tenant_id }));
}

interface Subject {
  analysis: PictureAnalysis;
  reverse: ReverseSignal | undefined;
  row: VerificationRow;
  capture: CaptureRow;
}

/** One signal as the database stores it: the public members plus the evidence. Undefined when it was not evaluated. */
async function foundBy(
  deps: Pick<Deps, 'blobs' | 'db'>,
  name: ShownSignalName,
  o: Subject,
): Promise<object | undefined> {
  if (name === 'reverse') return o.reverse;
  if (name === 'ai')
    return o.analysis.ai && o.reverse ? withOriginal(deps.db, o.analysis.ai, o.reverse) : o.analysis.ai;
  if (name !== 'screen') return o.analysis[name];
  const { heatmapPng, ...screen } = o.analysis.screen ?? {};
  if (!heatmapPng) return o.analysis.screen && screen;
  const key = evidenceKeyOf(o.row.id, o.capture.id, 'screen.png');
  await deps.blobs.put(key, heatmapPng, { contentType: 'image/png' });
  return { ...screen, heatmap_blob: key };
}
