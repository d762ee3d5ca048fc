import sharp from 'sharp';
import type { Deps } from '../../platform/deps.ts';
import type { CaptureRow } from '../../verification/verifications/row.ts';

/** Smaller pictures show nothing, and some models refuse them. */
const MIN_SIDE = 32;
const MAX_PREVIEW_BYTES = 20_000_000;

/** A picture as a vision model is shown it: JPEG, at most `side` pixels a side, without metadata. Null: too small to show anything. */
export async function scaled(picture: Uint8Array, side: number): Promise<Buffer | null> {
  const image = sharp(picture);
  const { width = 0, height = 0 } = await image.metadata();
  if (Math.min(width, height) < MIN_SIDE) return null;
  return image
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 85 })
    .toBuffer();
}

/** The captures that can be shown, with their pictures, in their order. Throws when the store cannot be read. */
export async function picturesForModel(
  deps: Pick<Deps, 'blobs'>,
  captures: readonly CaptureRow[],
  side: number,
): Promise<{ capture: CaptureRow; jpeg: Buffer }[]> {
  const shown = await Promise.all(
    captures.map(async capture => {
      if (!capture.preview_blob) return [];
      const preview = await deps.blobs.get(capture.preview_blob, { maxBytes: MAX_PREVIEW_BYTES });
      const jpeg = await scaled(preview, side);
      return jpeg ? [{ capture, jpeg }] : [];
    }),
  );
  return shown.flat();
}
