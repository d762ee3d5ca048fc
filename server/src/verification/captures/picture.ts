import { INLINE_MAX_BYTES, UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import type { CaptureRequest } from '@firsthand/contract/capture/capture-flow.ts';
import { ImageFault, type ImageInfo, inspect } from '@firsthand/forensics/files/inspect.ts';
import { BlobMissing, BlobTooLarge, BlobUnavailable } from '../../platform/blobs/faults.ts';
import type { Deps } from '../../platform/deps.ts';
import { invalid, storageUnavailable } from '../../platform/http/problem.ts';
import { decodeBase64 } from '../../platform/lib/base64.ts';
import { digestOf } from '../../platform/lib/digest.ts';
import { turn } from '../../platform/lib/event-loop.ts';
import { imageKeyOf, parseImageKey } from './image-key.ts';
import {
  neverUploaded,
  notAnImageKey,
  notBase64,
  ofAnotherVerification,
  otherBytes,
  tooLarge,
  unreadable,
} from './picture-faults.ts';

export interface Picture {
  bytes: Buffer;
  sha256: string;
  info: ImageInfo;
  /** The request field that carried it; faults name it. */
  field: string;
  /** Set when the store already holds the bytes. */
  stored: { captureId: string; key: string } | null;
}

type Images = ReadonlyMap<string, Buffer>;

/** Reads and checks the picture of a capture request: type by content, decodable header, size, hash. Throws `invalid_request`. */
export async function readPicture(
  deps: Pick<Deps, 'blobs'>,
  verificationId: string,
  body: CaptureRequest,
  images: Images,
): Promise<Picture> {
  if (body.image_base64 !== undefined) return inline('image_base64', images);
  const picture = await byKey(deps, verificationId, 'image_key', body.image_key!);
  if (picture.sha256 !== body.image_sha256!.toLowerCase()) {
    throw invalid([otherBytes()]);
  }
  return picture;
}

/** Reads the second frame if the request has one. */
export async function readMotionFrame(
  deps: Pick<Deps, 'blobs'>,
  verificationId: string,
  body: CaptureRequest,
  images: Images,
): Promise<Picture | null> {
  if (body.motion_frame_base64 !== undefined) return inline('motion_frame_base64', images);
  if (body.motion_frame_key === undefined) return null;
  return byKey(deps, verificationId, 'motion_frame_key', body.motion_frame_key);
}

async function inline(field: string, images: Images): Promise<Picture> {
  const bytes = await decodeBase64(images.get(field)!, INLINE_MAX_BYTES);
  if (bytes === 'too_large') throw invalid([tooLarge(field, INLINE_MAX_BYTES)]);
  if (bytes === 'malformed') throw invalid([notBase64(field)]);
  return checked(field, bytes, null);
}

/** Returns the SHA-256 of a request's picture in lowercase hex, or that of zero bytes when there is none. */
export async function inlineSha256(images: Images): Promise<string> {
  const bytes = await decodeBase64(images.get('image_base64') ?? Buffer.alloc(0), INLINE_MAX_BYTES);
  return digestOf(typeof bytes === 'string' ? Buffer.alloc(0) : bytes);
}

async function byKey(
  deps: Pick<Deps, 'blobs'>,
  verificationId: string,
  field: string,
  imageKey: string,
): Promise<Picture> {
  const parsed = parseImageKey(imageKey);
  if (!parsed) throw invalid([notAnImageKey(field)]);
  if (parsed.verificationId !== verificationId) throw invalid([ofAnotherVerification(field)]);
  const key = imageKeyOf(parsed.verificationId, parsed.captureId);
  try {
    const bytes = await deps.blobs.get(key, { maxBytes: UPLOAD_HARD_CAP_BYTES });
    return await checked(field, bytes, { captureId: parsed.captureId, key });
  } catch (error) {
    if (error instanceof BlobMissing) throw invalid([neverUploaded(field)]);
    if (error instanceof BlobTooLarge) throw invalid([tooLarge(field, UPLOAD_HARD_CAP_BYTES)]);
    if (error instanceof BlobUnavailable) throw storageUnavailable(error);
    throw error;
  }
}

async function checked(field: string, bytes: Buffer, stored: Picture['stored']): Promise<Picture> {
  await turn();
  try {
    const info = await inspect(bytes);
    return { bytes, sha256: await digestOf(bytes), info, field, stored };
  } catch (error) {
    if (error instanceof ImageFault) throw invalid([unreadable(field, error)]);
    throw error;
  }
}
