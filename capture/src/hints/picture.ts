/** Grey levels 0..255, row by row. */
export type Grey = { width: number; height: number; data: Float32Array };

/** Returns a picture as grey levels, at most `width` pixels wide; undefined when the browser cannot decode it. */
export async function greyOf(
  source: Blob | HTMLVideoElement,
  width: number,
): Promise<(Grey & { fullWidth: number; fullHeight: number }) | undefined> {
  try {
    const bitmap = source instanceof Blob ? await createImageBitmap(source) : source;
    const [fullWidth, fullHeight] =
      bitmap instanceof ImageBitmap ? [bitmap.width, bitmap.height] : [bitmap.videoWidth, bitmap.videoHeight];
    const scale = Math.min(1, width / fullWidth);
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(fullWidth * scale));
    canvas.height = Math.max(1, Math.round(fullHeight * scale));
    const context = canvas.getContext('2d', { willReadFrequently: true })!;
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    if (bitmap instanceof ImageBitmap) bitmap.close();
    const { data: rgba } = context.getImageData(0, 0, canvas.width, canvas.height);
    const data = new Float32Array(canvas.width * canvas.height);
    for (let i = 0; i < data.length; i++) {
      data[i] = 0.299 * rgba[i * 4]! + 0.587 * rgba[i * 4 + 1]! + 0.114 * rgba[i * 4 + 2]!;
    }
    return { width: canvas.width, height: canvas.height, data, fullWidth, fullHeight };
  } catch {
    return undefined;
  }
}
