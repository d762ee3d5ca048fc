import { LIVE_IMAGE_TYPES } from '@firsthand/contract/base/enums.ts';
import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { megapixelsExceeded, SIZE_BYTES } from '@firsthand/contract/capture/picture-size.ts';
import { imageTypeOf } from '@firsthand/contract/capture/pictures.ts';
import { longSideOf } from '@firsthand/contract/capture/sizes.ts';

export type FileFault = 'file.type' | 'file.size' | 'file.empty' | 'file.pixels';

type FaultyFile = { fault: FileFault; megapixels?: number };
export type PickedFile = { blob: Blob; contentType: string } | FaultyFile;

/** True for a picture smaller than a step asks for. Size 0: the browser cannot decode it, so the service checks. */
export const isBelow = (size: { width: number; height: number }, least: number | undefined): boolean =>
  least !== undefined && size.width > 0 && longSideOf(size) < least;

/** Checks a chosen file by the service's own rules before the page keeps it, so the person learns of a problem before sending. */
export async function checkFile(
  file: Blob,
  accept: readonly string[] = LIVE_IMAGE_TYPES,
  maxBytes = UPLOAD_HARD_CAP_BYTES,
): Promise<PickedFile> {
  const head = new Uint8Array(await file.slice(0, SIZE_BYTES).arrayBuffer());
  const checked = checkHead(file.size, head, accept, maxBytes);
  return 'fault' in checked ? checked : { blob: file, ...checked };
}

/** The same, by a file's size and first `SIZE_BYTES` bytes. The type is that of the bytes, whatever the file is called. */
export function checkHead(
  size: number,
  head: Uint8Array,
  accept: readonly string[] = LIVE_IMAGE_TYPES,
  maxBytes = UPLOAD_HARD_CAP_BYTES,
): { contentType: string } | FaultyFile {
  if (size === 0) return { fault: 'file.empty' };
  const contentType = imageTypeOf(head);
  if (!contentType || !accept.includes(contentType)) return { fault: 'file.type' };
  if (size > maxBytes) return { fault: 'file.size' };
  const megapixels = megapixelsExceeded(head, contentType);
  return megapixels === undefined ? { contentType } : { fault: 'file.pixels', megapixels };
}
