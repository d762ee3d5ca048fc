import { INLINE_MAX_BYTES, UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import type { CaptureRequest } from '@firsthand/contract/capture/capture-flow.ts';
import { PICTURE_MESSAGES } from '@firsthand/contract/capture/refusals.ts';
import { ImageFault, type ImageInfo, inspect } from '@firsthand/forensics/files/inspect.ts';
import { BlobMissing, BlobTooLarge, BlobUnavailable } from '../../platform/blobs/faults.ts';
import type { Deps } from '../../platform/deps.ts';
import { invalidField, storageUnavailable } from '../../platform/http/problem.ts';
import { decodeBase64 } from '../../platform/lib/base64.ts';
import { digestOf } from '../../platform/lib/digest.ts';
import { turn } from '../../platform/lib/event-loop.ts';
import { imageKeyOf, parseImageKey } from './image-key.ts';

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

const messageOf = ({ code, maxMegapixels = 0 }: ImageFault): string =>
  code === 'too_many_pixels' ? PICTURE_MESSAGES[code](maxMegapixels) : PICTURE_MESSAGES[code]();

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
    throw hashMismatch();
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
  if (bytes === 'too_large') throw tooLarge(field, INLINE_MAX_BYTES);
  if (bytes === 'malformed') throw invalidField(field, 'is not base64 (RFC 4648)');
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
  if (!parsed) throw invalidField(field, 'is not an image_key from upload-url');
  if (parsed.verificationId !== verificationId) throw invalidField(field, 'belongs to another verification');
  const key = imageKeyOf(parsed.verificationId, parsed.captureId);
  try {
    const bytes = await deps.blobs.get(key, { maxBytes: UPLOAD_HARD_CAP_BYTES });
    return await checked(field, bytes, { captureId: parsed.captureId, key });
  } catch (error) {
    if (error instanceof BlobMissing) throw invalidField(field, PICTURE_MESSAGES.never_uploaded());
    if (error instanceof BlobTooLarge) throw tooLarge(field, UPLOAD_HARD_CAP_BYTES);
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
    if (error instanceof ImageFault) throw invalidField(field, messageOf(error));
    throw error;
  }
}

export const hashMismatch = () => invalidField('image_sha256', PICTURE_MESSAGES.other_bytes());
export const tooLarge = (field: string, limit: number) => invalidField(field, PICTURE_MESSAGES.too_large(limit));
