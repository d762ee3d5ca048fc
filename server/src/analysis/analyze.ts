import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/limits.ts';
import {
  type CaptureSignals,
  NOT_APPLICABLE,
  SHOWN_SIGNALS,
  type ShownSignalName,
} from '@firsthand/contract/signals.ts';
import type { ContextCheck } from '@firsthand/contract/verification.ts';
import { ImageFault } from '@firsthand/forensics/inspect.ts';
import { AnalysisFault } from '@firsthand/forensics/pool.ts';
import { evidenceKeyOf, previewKeyOf } from '../captures/image-key.ts';
import { checkContext } from '../checks/context.ts';
import { matchLocation } from '../checks/location.ts';
import { one, transaction } from '../db/sql.ts';
import { storable, storableText } from '../db/storable.ts';
import type { Deps } from '../deps.ts';
import { addJob } from '../jobs/queue.ts';
import { settle } from '../verdict/settle.ts';
import { type CaptureRow, findVerification, type VerificationRow } from '../verifications/row.ts';
import { type ReverseSignal, rememberAndSearch } from './reverse/search.ts';

/** Attempts after which an analysis that keeps crashing or timing out is permanent. */
const ANALYSIS_ATTEMPTS = 4;

/**
 * Job: analyses one capture and settles its verification. Detectors and the store are used with no transaction open;
 * one short transaction writes what was found. A store that is down is waited for; a picture that cannot be analysed
 * is a permanent error at once, a crash or a timeout after {@link ANALYSIS_ATTEMPTS}.
 */
export async function analyzeCapture(deps: Deps, captureId: string, attempt: number): Promise<void> {
  const capture = await one<CaptureRow>(deps.db, 'select * from captures where id = $1', [captureId]);
  const row = capture && (await findVerification(deps.db, capture.verification_id));
  if (!capture || !row || capture.analysis_state !== 'pending' || row.redacted_at) {
    deps.log.info({ captureId }, 'nothing to analyse');
    return;
  }
  try {
    const found = await inspectCapture(deps, row, capture);
    await transaction(deps.db, async tx => {
      await tx.query(
        `update captures set analysis_state = 'done', analyzed_at = $2, signals = $3, metadata = $4, preview_blob = $5,
           location_match = $6, context = $7 where id = $1 and analysis_state = 'pending'`,
        [
          capture.id,
          deps.clock.now(),
          storable(found.signals),
          storable(found.metadata),
          found.previewKey,
          storable(found.locationMatch),
          storable(found.context),
        ],
      );
      if (row.private.ocr_type) await addJob(tx, 'read_text', { capture_id: capture.id });
      await settle(tx, deps, row.id);
    });
  } catch (error) {
    const permanent =
      error instanceof ImageFault ||
      (error instanceof AnalysisFault && error.code !== 'closed' && attempt >= ANALYSIS_ATTEMPTS);
    if (!permanent) throw error;
    deps.log.error({ err: error, captureId, attempt }, 'analysis ended in a permanent error');
    await transaction(deps.db, async tx => {
      await tx.query(
        `update captures set analysis_state = 'failed', analyzed_at = $2, analysis_error = $3
         where id = $1 and analysis_state = 'pending'`,
        [capture.id, deps.clock.now(), storableText(error.message, 500)],
      );
      await settle(tx, deps, row.id);
    });
  }
}

async function inspectCapture(deps: Deps, row: VerificationRow, capture: CaptureRow) {
  const limit = { maxBytes: UPLOAD_HARD_CAP_BYTES };
  const [bytes, motionFrame] = await Promise.all([
    deps.blobs.get(capture.image_blob, limit),
    capture.motion_blob ? deps.blobs.get(capture.motion_blob, limit) : undefined,
  ]);
  const required = row.config.signals_required;
  const uploaded = capture.source === 'upload';
  const wanted = SHOWN_SIGNALS.filter(({ name }) => required.includes(name));
  const measured = wanted.filter(({ uploads }) => uploads || !uploaded);
  const analysis = await deps.pictures.analyze({
    bytes,
    signals: measured.map(({ name }) => name),
    attested: !uploaded && capture.attestation?.verdict === 'ok',
    threeDimensional: row.config.context?.attributes?.three_dimensional === true,
    ...(deps.config.screenThresholds ? { thresholds: { screen: deps.config.screenThresholds } } : {}),
    ...(motionFrame ? { motionFrame } : {}),
    ...(deps.config.aiModel ? { aiModel: deps.config.aiModel } : {}),
    ...(deps.config.c2paTrustAnchors ? { trustAnchors: deps.config.c2paTrustAnchors } : {}),
  });
  const previewKey = previewKeyOf(row.id, capture.id);
  await deps.blobs.put(previewKey, analysis.preview, { contentType: 'image/jpeg' });
  const reverse = await rememberAndSearch(
    deps,
    {
      id: capture.id,
      verificationId: row.id,
      tenantId: row.tenant_id,
      livemode: row.livemode,
      externalRef: row.external_ref,
    },
    analysis,
  );
  const signals: Record<string, unknown> = {};
  for (const spec of wanted) {
    const found = measured.includes(spec)
      ? ((await foundBy(deps, spec.name, { analysis, reverse, row, capture })) ?? {
          ...spec.unevaluated,
          evaluated: false,
        })
      : NOT_APPLICABLE;
    signals[spec.key] = found;
  }
  return {
    signals: signals as CaptureSignals,
    metadata: analysis.metadata,
    previewKey,
    locationMatch: await matchLocation(deps, row.config.expected_location, capture.location),
    context: await contextOf(deps, row, analysis.preview),
  };
}

/** The context check, where it is asked for; null where there is nothing to hold the picture against. */
async function contextOf(deps: Deps, row: VerificationRow, preview: Uint8Array): Promise<ContextCheck | null> {
  const { signals_required, context } = row.config;
  if (!signals_required.includes('context')) return null;
  if (!context) return { evaluated: false, no_answer: 'no_context' };
  if (!deps.vision) return { evaluated: false, no_answer: 'no_model' };
  return checkContext(deps.vision, context, preview);
}

type Analysis = Awaited<ReturnType<Deps['pictures']['analyze']>>;
interface Subject {
  analysis: Analysis;
  reverse: ReverseSignal | undefined;
  row: VerificationRow;
  capture: CaptureRow;
}

/** One signal as it is stored: the interface's members, and beside them the evidence. Undefined: not evaluated. */
async function foundBy(deps: Deps, name: ShownSignalName, o: Subject): Promise<object | undefined> {
  if (name === 'reverse') return o.reverse;
  if (name !== 'screen') return o.analysis[name];
  const { heatmapPng, ...screen } = o.analysis.screen ?? {};
  if (!heatmapPng) return o.analysis.screen && screen;
  const key = evidenceKeyOf(o.row.id, o.capture.id, 'screen.png');
  await deps.blobs.put(key, heatmapPng, { contentType: 'image/png' });
  return { ...screen, heatmap_blob: key };
}
