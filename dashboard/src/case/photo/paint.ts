import type { Pictures } from './use-pictures.ts';
import type { Part, Size } from './view.ts';
import type { Zoom } from './zoom.ts';

/** From this scale on, pixels are drawn as squares. */
const SQUARE_FROM = 3;

/** Clears the canvas and lays the picture's corner where the zoom sees it. Returns the size to draw the picture in, in CSS pixels. */
function place(context: CanvasRenderingContext2D, { view, box, picture }: Zoom): Size {
  const { canvas } = context;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (!view) return { width: 0, height: 0 };
  context.scale(canvas.width / box.width, canvas.height / box.height);
  context.translate(box.width / 2 - view.x * view.scale, box.height / 2 - view.y * view.scale);
  context.imageSmoothingEnabled = view.scale < SQUARE_FROM;
  return { width: picture.width * view.scale, height: picture.height * view.scale };
}

interface Layers {
  pictures: Pictures;
  /** How much of the heat map is seen, 0 to 1. */
  heat: number;
  /** Draws the second frame instead of the photo. */
  secondNow: boolean;
  /** Parts to outline; the rest is dimmed. */
  lit: readonly Part[];
}

export function paintPhoto(canvas: HTMLCanvasElement, zoom: Zoom, { pictures, heat, secondNow, lit }: Layers): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { width, height } = place(context, zoom);
  context.imageSmoothingQuality = 'high';
  const photo = secondNow ? pictures.second : (pictures.full ?? pictures.preview);
  if (photo) context.drawImage(photo, 0, 0, width, height);
  if (pictures.heat && heat > 0) {
    context.imageSmoothingEnabled = true;
    context.globalAlpha = heat;
    context.drawImage(pictures.heat, 0, 0, width, height);
    context.globalAlpha = 1;
  }
  if (lit.length > 0) outline(context, lit, width, height);
}

/** Dims the picture but for these parts, and draws a light line with a dark one around each, so that it shows on any photo. */
function outline(context: CanvasRenderingContext2D, parts: readonly Part[], width: number, height: number): void {
  const path = new Path2D();
  for (const part of parts) path.rect(part.x * width, part.y * height, part.width * width, part.height * height);
  const around = new Path2D();
  around.rect(0, 0, width, height);
  around.addPath(path);
  context.fillStyle = 'rgb(0 0 0 / 45%)';
  context.fill(around, 'evenodd');
  for (const [colour, line] of [
    ['#000', 5],
    ['#ffd23f', 2.5],
  ] as const) {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.stroke(path);
  }
}

/** Draws one picture and, from a share of the width to the right, the other. */
export function paintSwipe(
  canvas: HTMLCanvasElement,
  zoom: Zoom,
  left: HTMLImageElement | undefined,
  right: { image: HTMLImageElement | undefined; from: number } | undefined,
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { width, height } = place(context, zoom);
  if (left) context.drawImage(left, 0, 0, width, height);
  if (!right?.image) return;
  const edge = canvas.width * right.from;
  const placed = context.getTransform();
  context.save();
  context.resetTransform();
  context.beginPath();
  context.rect(edge, 0, canvas.width, canvas.height);
  context.clip();
  context.setTransform(placed);
  context.drawImage(right.image, 0, 0, width, height);
  context.restore();
  if (right.from <= 0) return;
  context.resetTransform();
  context.fillStyle = getComputedStyle(canvas).getPropertyValue('--accent');
  context.fillRect(edge - 1, 0, 2, canvas.height);
}
