/** The visible part of a picture: the pixel in the middle, and how many CSS pixels one pixel of the picture takes. */
export interface View {
  x: number;
  y: number;
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** A part of a picture; sides are shares of the picture's. */
export interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The largest that a single pixel gets, in CSS pixels. */
export const LARGEST = 32;

/** The scale at which the whole picture is seen; a small one is not blown up. */
export const fitScale = (picture: Size, box: Size): number =>
  Math.min(1, box.width / picture.width, box.height / picture.height);

export const fitted = (picture: Size, box: Size): View => ({
  x: picture.width / 2,
  y: picture.height / 2,
  scale: fitScale(picture, box),
});

/** Keeps the picture in the box: no further out than whole, no gap beside it while it is larger than the box. */
export function held(view: View, picture: Size, box: Size): View {
  const scale = Math.min(LARGEST, Math.max(fitScale(picture, box), view.scale));
  const along = (at: number, length: number, room: number) => {
    const half = room / scale / 2;
    return half * 2 >= length ? length / 2 : Math.min(length - half, Math.max(half, at));
  };
  return { scale, x: along(view.x, picture.width, box.width), y: along(view.y, picture.height, box.height) };
}

/** Zooms by a factor about a point of the box (CSS pixels from its middle), which stays where it is. */
export function zoomed(view: View, factor: number, at: Point, picture: Size, box: Size): View {
  const scale = Math.min(LARGEST, Math.max(fitScale(picture, box), view.scale * factor));
  const x = view.x + at.x / view.scale - at.x / scale;
  const y = view.y + at.y / view.scale - at.y / scale;
  return held({ x, y, scale }, picture, box);
}

/** Moves the picture by so many CSS pixels. */
export const moved = (view: View, dx: number, dy: number, picture: Size, box: Size): View =>
  held({ ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale }, picture, box);
