import type { Picture } from '../picture.ts';

/** Returns the picture at this size; one that stands is turned by 90 degrees counterclockwise. */
export const lying = (picture: Picture, width: number, height: number): Picture =>
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
  const across = alongAxis(picture.width, width);
  const down = alongAxis(picture.height, height);
  const rows = new Float32Array(width * picture.height * 3);
  for (let y = 0, out = 0; y < picture.height; y++) {
    const line = y * picture.width * 3;
    for (let x = 0; x < width; x++, out += 3) {
      for (let k = across.begin[x]; k < across.begin[x + 1]; k++) {
        const at = line + across.from[k] * 3;
        const share = across.share[k];
        rows[out] += share * picture.data[at];
        rows[out + 1] += share * picture.data[at + 1];
        rows[out + 2] += share * picture.data[at + 2];
      }
    }
  }
  const data = new Uint8Array(width * height * 3);
  const row = new Float32Array(width * 3);
  for (let y = 0; y < height; y++) {
    row.fill(0);
    for (let k = down.begin[y]; k < down.begin[y + 1]; k++)
      for (let i = 0, at = down.from[k] * row.length; i < row.length; i++, at++) row[i] += down.share[k] * rows[at];
    for (let i = 0; i < row.length; i++) data[y * row.length + i] = row[i] + 0.5;
  }
  return { width, height, data };
}

/** The input pixels under each output pixel i, and their shares: entries `begin[i]` to `begin[i + 1]`. */
interface Boxes {
  begin: number[];
  from: number[];
  share: number[];
}

function alongAxis(before: number, after: number): Boxes {
  const ratio = before / after;
  const boxes: Boxes = { begin: [0], from: [], share: [] };
  for (let i = 0; i < after; i++) {
    const [start, end] = [i * ratio, Math.min(before, (i + 1) * ratio)];
    for (let at = Math.floor(start); at < end - 1e-9; at++) {
      boxes.from.push(at);
      boxes.share.push((Math.min(at + 1, end) - Math.max(at, start)) / (end - start));
    }
    boxes.begin.push(boxes.from.length);
  }
  return boxes;
}
