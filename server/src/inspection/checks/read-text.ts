import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { isHeldWhole } from '@firsthand/forensics/files/coarse-jpeg.ts';
import { mended, turnUpright } from '@firsthand/forensics/files/decode.ts';
import { inspect } from '@firsthand/forensics/files/inspect.ts';
import sharp from 'sharp';
import { Type } from 'typebox';
import { BlobUnavailable } from '../../platform/blobs/faults.ts';
import { one, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { bounded } from '../../platform/lib/text.ts';
import { storeText } from '../../verification/captures/write.ts';
import { openForLateCheck } from '../../verification/verifications/reviews.ts';
import {
  type CaptureRow,
  findVerification,
  lockVerification,
  type VerificationRow,
} from '../../verification/verifications/row.ts';
import { noteInstructions } from '../../verification/verifications/write.ts';
import { findTextReader, ReadingTooLong, readWords } from './tesseract.ts';
import { type Candidate, candidates } from './text-kinds.ts';
import { scaled } from './vision-check.ts';

/** Why Tesseract read nothing: it failed, or the picture took longer than one picture may. */
type NoReading = 'reader_failed' | 'took_too_long';

/** The text read from a capture for `ocr_type`. It is evidence beside the verdict and never part of it. */
export interface TextReading {
  ocr_type: string;
  /** `unavailable`: neither Tesseract nor a vision model answered. */
  status: 'read' | 'nothing_read' | 'unavailable';
  /** Why Tesseract did not answer, where `status` is `unavailable` and there is a Tesseract. */
  reason?: NoReading;
  value?: string;
  /** 0..1, the engine's own. */
  confidence?: number;
  /** Other readings, surest first. */
  alternatives?: Candidate[];
  /** The model found text in the picture that tells it what to answer. */
  instructions_found?: true;
  /** All the text, when the engine reads everything. */
  full_text?: string;
  engine?: string;
}

const ReadAnswer = Type.Object({
  found: Type.Boolean(),
  value: Type.String({ maxLength: 4_000 }),
  confidence: Type.Integer({ minimum: 0, maximum: 100 }),
  instructions_found: Type.Boolean(),
});

/** The reader scales pictures to this size: Tesseract works best on letters of about 30 pixels. */
const READ_SIDE = 2_400;
const MIN_READ_SIDE = 1_200;

/**
 * Job: reads the text that a verification asks for from one capture. Uses Tesseract, else the vision model.
 */
export async function readText(
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'blobs' | 'clock' | 'vision'>,
  captureId: string,
  signal: AbortSignal,
): Promise<void> {
  const capture = await one<CaptureRow>(deps.db, 'select * from captures where id = $1', [captureId]);
  const row = capture && (await findVerification(deps.db, capture.verification_id));
  const ocrType = row?.private.ocr_type;
  if (!capture || !row || !ocrType || row.redacted_at || capture.text) {
    deps.log.info({ captureId }, 'no text to read');
    return;
  }
  const found = await byTesseract(deps, capture, ocrType, signal);
  const reading = found && typeof found === 'object' ? found : await byModel(deps, row, capture, ocrType, signal);
  if (signal.aborted) throw new Error('asked to stop before the text was read');
  await transaction(deps.db, async tx => {
    if (!(await lockVerification(tx, row.id))) return;
    const unread = {
      ocr_type: ocrType,
      status: 'unavailable',
      ...(typeof found === 'string' ? { reason: found } : {}),
    };
    await storeText(tx, capture.id, reading ?? unread);
    if (!reading?.instructions_found) return;
    await noteInstructions(tx, row.id, ['text']);
    await openForLateCheck(tx, row.id, deps.clock.now());
  });
}

async function byTesseract(
  deps: Pick<Deps, 'config' | 'log' | 'blobs'>,
  capture: CaptureRow,
  ocrType: string,
  signal: AbortSignal,
): Promise<TextReading | NoReading | null> {
  const reader = await findTextReader(deps.config.tesseract);
  if (!reader) return null;
  try {
    const picture = await legible(deps, capture);
    if (!picture) return { ocr_type: ocrType, status: 'nothing_read', engine: reader.name };
    const words = await readWords(reader, picture, 11, signal);
    const [best, ...others] = candidates(words, ocrType);
    const fullText = bounded(words.map(word => word.text).join(' '), 4_000);
    return {
      ocr_type: ocrType,
      status: best ? 'read' : 'nothing_read',
      ...(best ? { value: bounded(best.value, 200), confidence: best.confidence } : {}),
      ...(others.length > 0 ? { alternatives: others.map(one => ({ ...one, value: bounded(one.value, 200) })) } : {}),
      ...(fullText === '' ? {} : { full_text: fullText }),
      engine: reader.name,
    };
  } catch (error) {
    if (error instanceof BlobUnavailable || signal.aborted) throw error;
    deps.log.warn({ err: error, captureId: capture.id }, 'tesseract could not read a capture');
    return error instanceof ReadingTooLong ? 'took_too_long' : 'reader_failed';
  }
}

/** Returns a grey, upright picture of a size that Tesseract reads well; null for a picture too small to hold text. */
async function legible(deps: Pick<Deps, 'blobs'>, capture: CaptureRow): Promise<Buffer | null> {
  if (Math.min(capture.width, capture.height) < 16) return null;
  const heif = capture.content_type === 'image/heic' || capture.content_type === 'image/heif';
  const get = (key: string) => deps.blobs.get(key, { maxBytes: UPLOAD_HARD_CAP_BYTES });
  let bytes = await get(heif && capture.preview_blob ? capture.preview_blob : capture.image_blob);
  if (isHeldWhole(bytes)) {
    if (!capture.preview_blob) return null;
    bytes = await get(capture.preview_blob);
  }
  const longest = Math.max(capture.width, capture.height);
  const side = Math.min(READ_SIDE, Math.max(MIN_READ_SIDE, longest));
  const { contentType, orientation } = await inspect(bytes);
  return turnUpright(sharp(mended(bytes, contentType), { failOn: 'none' }), orientation)
    .flatten({ background: '#ffffff' })
    .resize({ width: side, height: side, fit: 'inside' })
    .greyscale()
    .normalise()
    .png({ compressionLevel: 1 })
    .toBuffer();
}

async function byModel(
  deps: Pick<Deps, 'blobs' | 'vision'>,
  row: VerificationRow,
  capture: CaptureRow,
  ocrType: string,
  signal: AbortSignal,
): Promise<TextReading | null> {
  const { vision } = deps;
  if (!vision || !capture.preview_blob) return null;
  const preview = await deps.blobs.get(capture.preview_blob, { maxBytes: UPLOAD_HARD_CAP_BYTES });
  const picture = await scaled(preview, vision.config.imageSide);
  if (!picture) return null;
  const found = await vision.ask({
    purpose: 'text',
    account: row.tenant_id,
    schema: ReadAnswer,
    data: { ocr_type: ocrType },
    pictures: [picture],
    budgetMs: vision.config.answerBudgetMs,
    signal,
  });
  if ('noAnswer' in found) return null;
  const { answer } = found;
  const value = answer.found ? bounded(answer.value, 200) : '';
  return {
    ocr_type: ocrType,
    status: value === '' ? 'nothing_read' : 'read',
    ...(value === '' ? {} : { value, confidence: answer.confidence / 100 }),
    ...(answer.instructions_found ? { instructions_found: true } : {}),
    engine: bounded(vision.config.model, 200),
  };
}
