import { LIVE_IMAGE_TYPES } from '@firsthand/contract/base/enums.ts';
import { duplicate, type Fault, fault, unknownReference } from '@firsthand/contract/base/fault.ts';
import type { ImageFault } from '@firsthand/forensics/files/image-fault.ts';

/** Why a picture is refused, by the field of the request that carried it. */
const ACCEPTED = { accepted: [...LIVE_IMAGE_TYPES] };

/** The fault of bytes that cannot be read as a picture. */
export function unreadable(field: string, { code, maxMegapixels = 0 }: ImageFault): Fault {
  switch (code) {
    case 'not_an_image':
      return fault(field, 'unsupported_type', 'is not a picture', ACCEPTED);
    case 'unsupported_type':
      return notAPicture(field);
    case 'truncated':
      return fault(field, 'truncated', 'ends before the picture does; send it again');
    case 'undecodable':
      return fault(field, 'undecodable', 'cannot be decoded');
    case 'too_many_pixels':
      return fault(field, 'too_many_pixels', `has more than ${maxMegapixels} megapixels`, { max: maxMegapixels });
  }
}

export const notAPicture = (field: string): Fault =>
  fault(field, 'unsupported_type', 'must be a JPEG, PNG, WebP, HEIC, HEIF or AVIF picture', ACCEPTED);

export const wrongType = (field: string, type: string, accepted: readonly string[]): Fault =>
  fault(field, 'unsupported_type', `is ${type}. This step accepts ${accepted.join(', ')}.`, {
    accepted: [...accepted],
  });

export const tooSmall = (field: string, { width, height }: { width: number; height: number }, min: number): Fault =>
  fault(field, 'too_few_pixels', `is ${width} × ${height} pixels. This step needs at least ${min} on the long side.`, {
    min,
    width,
    height,
  });

export const tooLarge = (field: string, max: number): Fault =>
  fault(field, 'too_many_bytes', `must be at most ${max} bytes`, { max });

export const exampleItself = (field: string): Fault =>
  duplicate(field, 'is the example picture of a step, not a photo');

export const notBase64 = (field: string): Fault =>
  fault(field, 'format', 'is not base64 (RFC 4648)', { format: 'base64' });

export const neverUploaded = (field: string): Fault => fault(field, 'not_uploaded', 'was never uploaded');

export const otherBytes = (): Fault =>
  fault('image_sha256', 'hash_mismatch', 'does not match the bytes that were uploaded');

export const notAnImageKey = (field: string): Fault => unknownReference(field, 'is not an image_key from upload-url');
export const ofAnotherVerification = (field: string): Fault =>
  unknownReference(field, 'belongs to another verification');
