import { buffers, kernels, ROW_BOXES, ROW_PIXELS } from '../pixels/kernels.ts';
import type { Picture } from '../pixels/picture.ts';

/** Returns the picture at this size; one that stands is turned by 90 degrees counterclockwise. */
export const landscape = (picture: Picture, width: number, height: number): Picture =>
  picture.height > picture.width ? quarterTurn(boxResize(picture, height, width)) : boxResize(picture, width, height);

function quarterTurn({ data, width, height }: Picture): Picture {
  const turned = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 3;
      const to = ((width - 1 - x) * height + y) * 3;
      for (let c = 0; c < 3; c++) turned[to + c] = data[from + c];
    }
  }
  return { width: height, height: width, data: turned };
}

/** Resizes by exact area averaging: a pixel counts by the share of it that lies in the box. */
export function boxResize(picture: Picture, width: number, height: number): Picture {
  const across = boxesAlong(picture.width, width);
  const down = boxesAlong(picture.height, height);
  const data = new Uint8Array(width * height * 3);
  for (let x = 0; x < width; ) {
    const until = fitting(across, x);
    resizeColumns(picture, across.slice(x, until), down, { data: data.subarray(3 * x), line: 3 * width });
    x = until;
  }
  return { width, height, data };
}

/** Returns the end of the boxes, from `first` on, that the kernel's buffers hold. */
function fitting(boxes: Box[], first: number): number {
  const start = boxes[first]!.from;
  let end = first;
  const fits = ({ from, shares }: Box): boolean => from + shares.length - start <= 2 * ROW_PIXELS;
  while (end < boxes.length && end - first < ROW_BOXES && fits(boxes[end]!)) end++;
  if (end === first) throw new Error('The picture is too wide to be resized.');
  return end;
}

function resizeColumns(picture: Picture, across: Box[], down: Box[], out: { data: Uint8Array; line: number }): void {
  const start = across[0]!.from;
  let end = start;
  let shares = 0;
  for (const [i, box] of across.entries()) {
    buffers.boxCounts[i] = box.shares.length + (box.from < end ? SHARED : 0);
    buffers.boxShares.set(box.shares, shares);
    shares += box.shares.length;
    end = box.from + box.shares.length;
  }
  let read = -1;
  for (const [y, { from, shares }] of down.entries()) {
    for (let k = 0; k < shares.length; k++) {
      // The last row of one box is often the first of the next.
      if (read !== from + k) {
        read = from + k;
        const row = read * picture.width;
        buffers.upper.set(picture.data.subarray(3 * (row + start), 3 * (row + end)));
        kernels.averageAcross(across.length);
      }
      kernels.addLine(across.length, shares[k]!);
    }
    kernels.takeRow(across.length);
    out.data.set(buffers.boxed.subarray(0, 3 * across.length), y * out.line);
  }
}

/** Marks a box whose first pixel is also the last of the box before. */
const SHARED = 32_768;

/** The pixels under one box: the first one, and the share of the box that each fills. */
interface Box {
  from: number;
  shares: number[];
}

function boxesAlong(before: number, after: number): Box[] {
  const ratio = before / after;
  const boxes: Box[] = [];
  for (let i = 0; i < after; i++) {
    const [start, end] = [i * ratio, Math.min(before, (i + 1) * ratio)];
    const from = Math.floor(start);
    const shares: number[] = [];
    for (let at = from; at < end - 1e-9; at++)
      shares.push((Math.min(at + 1, end) - Math.max(at, start)) / (end - start));
    boxes.push({ from, shares });
  }
  return boxes;
}
