import { isDark } from '../hints/judge.ts';
import { greyFrom } from '../hints/picture.ts';
import { LEAST_FIT, type Seen } from './guide.ts';
import { createSelection, type Point } from './selection.ts';
import { type Outline, outlineOf, shiftBetween } from './shift.ts';

/** Longer side of the picture in which movement is measured. */
const SMALL_SIDE = 120;
const FRAME_QUALITY = 0.75;
/** High enough to leave the sensor's noise in the crop. */
const CROP_QUALITY = 0.95;
/** A frame that does not fit the last kept one is kept too, after this time: the path goes on from it. */
const LOST_MS = 80;

export type FrameJpeg = { at: number; jpeg: ArrayBuffer; crop?: ArrayBuffer };

export type Reading = {
  at: number;
  frame: ImageBitmap;
  /** The middle of the video at full resolution. */
  crop?: ImageBitmap;
  /** Longer side of the video. */
  videoSide: number;
  /** `always` keeps the frame, whatever it shows; `hurry` lets frames follow each other by time. */
  keep?: 'always' | 'hurry';
  /** What was filmed before is dropped. */
  from?: number | undefined;
};

const canvasOf = (width: number, height: number): OffscreenCanvas | HTMLCanvasElement =>
  typeof OffscreenCanvas === 'undefined'
    ? Object.assign(document.createElement('canvas'), { width, height })
    : new OffscreenCanvas(width, height);

/** A canvas's context. Both kinds of canvas have the same one as far as it is used here. */
const contextOf = (canvas: OffscreenCanvas | HTMLCanvasElement, options?: CanvasRenderingContext2DSettings) =>
  canvas.getContext('2d', options) as CanvasRenderingContext2D;

/**
 * Reads frames of the video one after another: measures the camera's path and keeps the frames that show it. Runs in a worker, or in the page
 * where workers cannot draw (Safari before 16.4).
 *
 * @param keeps false: measures the path only
 */
export function createReader(keeps: boolean) {
  const selection = createSelection<{ jpeg: ArrayBuffer; crop?: ArrayBuffer }>();
  let last: { point: Point; outline: Outline } | undefined;
  let small: CanvasRenderingContext2D | undefined;

  return {
    async read({ at, frame, crop, videoSide, keep, from }: Reading): Promise<Seen & { kept: number }> {
      if (from !== undefined) selection.dropBefore(from);
      small ??= smallFor(frame);
      const grey = greyFrom(small, frame);
      const outline = outlineOf(grey);
      const shift = last ? shiftBetween(last.outline, outline) : { x: 0, y: 0, fit: 1 };
      const lost = shift.fit < LEAST_FIT;
      // The camera goes the other way than the content. A step that cannot be measured counts as none.
      const point: Point = {
        at,
        x: (last?.point.x ?? 0) - (lost ? 0 : shift.x),
        y: (last?.point.y ?? 0) - (lost ? 0 : shift.y),
      };
      const wanted =
        selection.wants(point, keep === 'hurry') ||
        keep === 'always' ||
        (lost && at - (last?.point.at ?? 0) >= LOST_MS);
      if (wanted) {
        last = { point, outline };
        const withCrop = keeps && crop !== undefined && selection.wantsCrop(point, videoSide);
        const value = {
          jpeg: keeps ? await jpegOf(frame, FRAME_QUALITY) : new ArrayBuffer(0),
          ...(withCrop ? { crop: await jpegOf(crop, CROP_QUALITY) } : {}),
        };
        selection.add({ ...point, value, hasCrop: withCrop });
      }
      frame.close();
      crop?.close();
      return { ...point, fit: shift.fit, detail: outline.detail, dark: isDark(grey), kept: selection.kept.length };
    },

    finish: (): FrameJpeg[] => selection.kept.map(({ at, value }) => ({ at, ...value })),
  };
}

function smallFor({ width, height }: ImageBitmap): CanvasRenderingContext2D {
  const scale = SMALL_SIDE / Math.max(width, height);
  const canvas = canvasOf(Math.round(width * scale), Math.round(height * scale));
  const context = contextOf(canvas, { willReadFrequently: true });
  context.imageSmoothingQuality = 'medium';
  return context;
}

async function jpegOf(picture: ImageBitmap, quality: number): Promise<ArrayBuffer> {
  const canvas = canvasOf(picture.width, picture.height);
  contextOf(canvas).drawImage(picture, 0, 0);
  const blob =
    'convertToBlob' in canvas
      ? await canvas.convertToBlob({ type: 'image/jpeg', quality })
      : await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/jpeg', quality));
  if (!blob) throw new Error('The frame could not be encoded.');
  return blob.arrayBuffer();
}
