import type { Grey } from './grey.ts';

type AnyContext = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** Returns a picture as grey levels, at most `width` pixels wide; undefined when the browser cannot decode it. */
export async function greyOf(
  source: Blob,
  width: number,
): Promise<(Grey & { fullWidth: number; fullHeight: number }) | undefined> {
  try {
    const bitmap = await createImageBitmap(source);
    const { width: fullWidth, height: fullHeight } = bitmap;
    const scale = Math.min(1, width / fullWidth);
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(fullWidth * scale));
    canvas.height = Math.max(1, Math.round(fullHeight * scale));
    const context = canvas.getContext('2d', { willReadFrequently: true })!;
    context.imageSmoothingQuality = 'high';
    const grey = greyFrom(context, bitmap);
    bitmap.close();
    return { ...grey, fullWidth, fullHeight };
  } catch {
    return undefined;
  }
}

/** Draws a picture over the whole canvas and reads its grey levels. */
export function greyFrom(context: AnyContext, picture: CanvasImageSource): Grey {
  const { width, height } = context.canvas;
  context.drawImage(picture, 0, 0, width, height);
  const { data: rgba } = context.getImageData(0, 0, width, height);
  const data = new Float32Array(width * height);
  for (let i = 0; i < data.length; i++) {
    data[i] = 0.299 * rgba[i * 4]! + 0.587 * rgba[i * 4 + 1]! + 0.114 * rgba[i * 4 + 2]!;
  }
  return { width, height, data };
}
