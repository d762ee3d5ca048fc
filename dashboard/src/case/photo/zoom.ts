import { useState, useSyncExternalStore } from 'react';
import { fitScale, fitted, held, moved, type Part, type Point, type Size, type View, zoomed } from './view.ts';

/** The factor of one press on a zoom button or key. */
const STEP = 1.6;
/** CSS pixels that an arrow key moves the picture. */
const PAN = 60;
/** How much of the box a part fills that is zoomed to. */
const PART_FILLS = 0.5;
/** A whole picture at this scale or above is worth a step to two. */
const NEARLY_ONE = 0.75;
const MIDDLE: Point = { x: 0, y: 0 };
const PANS: Record<string, [dx: number, dy: number]> = {
  ArrowLeft: [PAN, 0],
  ArrowRight: [-PAN, 0],
  ArrowUp: [0, PAN],
  ArrowDown: [0, -PAN],
};

/** The view of a picture in a box, and every way to change it. Canvases that show the same `Zoom` move together. */
export class Zoom {
  picture: Size;
  box: Size = { width: 0, height: 0 };
  view: View | null = null;
  readonly #listeners = new Set<() => void>();

  constructor(picture: Size) {
    this.picture = picture;
  }

  /** Runs `listener` after each change of the view, until the returned function is called. */
  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly scale = (): number => this.view?.scale ?? 0;

  get isWhole(): boolean {
    return !this.view || this.view.scale <= fitScale(this.picture, this.box) * 1.001;
  }

  /** Shows the whole picture. */
  fit(): void {
    if (this.box.width > 0) this.#see(fitted(this.picture, this.box));
  }

  /** Takes another size of the box. A whole picture stays whole. */
  resize(box: Size): void {
    const { view, isWhole } = this;
    this.box = box;
    if (box.width === 0 || box.height === 0) return;
    if (view && !isWhole) this.#see(held(view, this.picture, box));
    else this.fit();
  }

  /** Zooms about a point of the box (CSS pixels from its middle). */
  zoomBy(factor: number, point = MIDDLE): void {
    if (this.view) this.#see(zoomed(this.view, factor, point, this.picture, this.box));
  }

  zoomIn(): void {
    this.zoomBy(STEP);
  }

  zoomOut(): void {
    this.zoomBy(1 / STEP);
  }

  /** Whole picture ↔ one pixel to a pixel of the display. */
  toggle(point = MIDDLE): void {
    if (!this.view) return;
    if (this.isWhole) this.zoomBy((this.view.scale < NEARLY_ONE ? 1 : 2) / this.view.scale, point);
    else this.fit();
  }

  /** Moves the picture by so many CSS pixels. */
  moveBy(dx: number, dy: number): void {
    if (this.view) this.#see(moved(this.view, dx, dy, this.picture, this.box));
  }

  showPart(part: Part): void {
    const { picture, box } = this;
    const scale =
      Math.min(box.width / (part.width * picture.width), box.height / (part.height * picture.height)) * PART_FILLS;
    const x = (part.x + part.width / 2) * picture.width;
    const y = (part.y + part.height / 2) * picture.height;
    this.#see(held({ x, y, scale }, picture, box));
  }

  /** Does what a key asks for. Returns false for a key that means nothing here. */
  press(key: string): boolean {
    if (!this.view) return false;
    const pan = PANS[key];
    if (pan && !this.isWhole) this.moveBy(...pan);
    else if (key === '+' || key === '=') this.zoomIn();
    else if (key === '-') this.zoomOut();
    else if (key === 'Home') this.fit();
    else return false;
    return true;
  }

  #see(view: View): void {
    this.view = view;
    for (const listener of this.#listeners) listener();
  }
}

/** The zoom of a picture as long as the component is there, and its scale now. */
export function useZoom(picture: Size): { zoom: Zoom; scale: number } {
  const [zoom] = useState(() => new Zoom(picture));
  zoom.picture = picture;
  return { zoom, scale: useSyncExternalStore(zoom.listen, zoom.scale) };
}
