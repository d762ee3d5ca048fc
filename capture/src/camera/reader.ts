import { isDark } from '../hints/judge.ts';
import { greyFrom } from '../hints/picture.ts';
import { CROP_SIDE, cornerOf } from './corner.ts';
import { LEAST_FIT, type Seen } from './guide.ts';
import { createSelection, type Point } from './selection.ts';
import { type Outline, outlineOf, shiftBetween } from './shift.ts';

const FRAME_SIDE = 480;
/** Longer side of the picture in which movement is measured. */
const SMALL_SIDE = 120;
const FRAME_QUALITY = 0.75;
/** High enough to leave the sensor's noise in the crop. */
const CROP_QUALITY = 0.95;
/** A frame that does not fit the last kept one is kept too, after this time: the path goes on from it. */
const LOST_MS = 80;

/** Film before the first move: it joins the moves to the photo. Longer would cost frames of the moves. */
const LEAD_MS = 5_000;

export type FrameJpeg = { at: number; jpeg: ArrayBuffer; crop?: ArrayBuffer };

export type Reading = {
  at: number;
  /** The video's present frame. The reader closes it. */
  source: VideoFrame | ImageBitmap;
  /** Size of the video. */
  width: number;
  height: number;
  /** `always` keeps the frame, whatever it shows; `hurry` lets frames follow each other by time. */
  keep?: 'always' | 'hurry';
  /** When the first move began. Of what was filmed before, the last seconds stay. */
  from?: number | undefined;
};

const canvasOf = (width: number, height: number): OffscreenCanvas | HTMLCanvasElement =>
  typeof OffscreenCanvas === 'undefined'
    ? Object.assign(document.createElement('canvas'), { width, height })
    : new OffscreenCanvas(width, height);

/** Returns the context of a new canvas. Both kinds of canvas have the same one as far as it is used here. */
function contextOf(width: number, height: number, options?: CanvasRenderingContext2DSettings) {
  const context = canvasOf(width, height).getContext('2d', options) as CanvasRenderingContext2D;
  // The next size down has a quarter of the pixels and less: a plain sample would show steps that move.
  context.imageSmoothingQuality = 'medium';
  return context;
}

/**
 * Reads frames of the video one after another: measures the camera's path and keeps the frames that show it. Runs in a worker, or in the page
 * where workers cannot draw (Safari before 16.4).
 */
export function createReader() {
  const selection = createSelection<{ jpeg: ArrayBuffer; crop?: ArrayBuffer }>();
  let last: { point: Point; outline: Outline } | undefined;
  let [frame, small, middle]: CanvasRenderingContext2D[] = [];

  return {
    async read({ at, source, width, height, keep, from }: Reading): Promise<Seen & { kept: number }> {
      if (from !== undefined) selection.dropBefore(from - LEAD_MS);
      const side = Math.max(width, height);
      const sized = (most: number): [number, number] => {
        const scale = Math.min(1, most / side);
        return [Math.round(width * scale), Math.round(height * scale)];
      };
      frame ??= contextOf(...sized(FRAME_SIDE));
      small ??= contextOf(...sized(SMALL_SIDE), { willReadFrequently: true });
      frame.drawImage(source, 0, 0, frame.canvas.width, frame.canvas.height);
      const grey = greyFrom(small, frame.canvas);
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
        const hasCrop = Math.min(width, height) >= CROP_SIDE && selection.wantsCrop(point, side);
        const value: { jpeg: ArrayBuffer; crop?: ArrayBuffer } = {
          jpeg: await jpegOf(frame, FRAME_QUALITY),
        };
        if (hasCrop) {
          middle ??= contextOf(CROP_SIDE, CROP_SIDE);
          const { x, y } = cornerOf(width, height);
          middle.drawImage(source, x, y, CROP_SIDE, CROP_SIDE, 0, 0, CROP_SIDE, CROP_SIDE);
          value.crop = await jpegOf(middle, CROP_QUALITY);
        }
        selection.add({ ...point, value, hasCrop });
      }
      source.close();
      return { ...point, fit: shift.fit, detail: outline.detail, dark: isDark(grey), kept: selection.kept.length };
    },

    finish: (): FrameJpeg[] => selection.kept.map(({ at, value }) => ({ at, ...value })),
  };
}

async function jpegOf({ canvas }: CanvasRenderingContext2D, quality: number): Promise<ArrayBuffer> {
  const drawn = canvas as OffscreenCanvas | HTMLCanvasElement;
  const blob =
    'toBlob' in drawn
      ? await new Promise<Blob | null>(resolve => drawn.toBlob(resolve, 'image/jpeg', quality))
      : await drawn.convertToBlob({ type: 'image/jpeg', quality });
  if (!blob) throw new Error('The frame could not be encoded.');
  return blob.arrayBuffer();
}
