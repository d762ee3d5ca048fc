import { buffers, kernels, ROW_PIXELS } from '../pixels/kernels.ts';
import { TURNS, type Turn, turnedHash } from './hash.ts';
import { type Keypoint, keypoints, SEARCHED, STORED } from './keypoints.ts';
import { hasherOf, type Pdq, type Pixels, planeOf } from './pdq.ts';
import { insideBorder, type Plane, type Region, shrink, WHOLE } from './plane.ts';

/** A hash of lower quality matches any plain picture. The reference implementation uses the same limit. */
export const MIN_QUALITY = 50;

/** Data stored for a picture so that later pictures of the same content can be found. */
export interface Fingerprint {
  /** Standard PDQ hash of the whole picture. */
  hash: Uint8Array;
  quality: number;
  /** The hashes that a search looks up, the whole picture's first; empty below {@link MIN_QUALITY}. */
  entries: FingerprintEntry[];
  thumbnail: Thumbnail;
  /** Corners that find the picture in a part or a distorted copy of it; empty below {@link MIN_QUALITY}. */
  corners: Keypoint[];
}

export interface FingerprintEntry {
  hash: Uint8Array;
  /** The part of the picture that the hash covers. */
  region: Region;
  /** The part without a border; the whole picture if no border was found. */
  frame: Region;
}

/** Luma of the whole picture, 8 bits, longer side {@link THUMBNAIL}. Used to confirm a match. */
export interface Thumbnail {
  data: Uint8Array;
  width: number;
  height: number;
}

/** One lookup: the hash of a part of the picture, after rotation or mirroring. */
export interface Probe {
  hash: Uint8Array;
  region: Region;
  frame: Region;
  turn: Turn;
}

const HASHED = 512;
const WORKED = 256;
const THUMBNAIL = 96;

/** The share cut off each side for the second stored hash. A copy that is cropped by no more than this contains that area completely. */
const INSET = 0.05;

/** A picture prepared for fingerprinting and search. */
export interface Prepared {
  whole: Pdq;
  /** Fits 512×512. */
  full: Plane;
  /** Fits 256×256. */
  plane: Plane;
  inside: Region | undefined;
}

/** @param pixels the picture after orientation, of any size; decoding it to fit 512×512 is cheapest. */
export function prepare(pixels: Pixels): Prepared {
  const full = shrink(reduced(pixels), HASHED);
  const plane = shrink(full, WORKED);
  const inside = insideBorder(plane);
  return { whole: hasherOf(full)(WHOLE), full, plane, inside };
}

/** Largest block whose sums fit the kernel's 16 and 32 bits. */
const MOST_ROWS = 64;

/** Averages the luma of a large picture over whole blocks in one pass; `shrink` does the remaining factor. */
function reduced(pixels: Pixels): Plane {
  const { data, channels } = pixels;
  const factor = Math.min(MOST_ROWS, Math.floor(Math.max(pixels.width, pixels.height) / HASHED));
  const width = Math.floor(pixels.width / factor);
  const height = Math.floor(pixels.height / factor);
  if (factor < 2 || width < 1 || height < 1 || channels !== 3) return planeOf(pixels);
  const luma = new Float32Array(width * height);
  /** Blocks per row that are summed at once. */
  const blocks = Math.floor((2 * ROW_PIXELS) / factor);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x += blocks) {
      const count = Math.min(blocks, width - x);
      const bytes = count * factor * 3;
      // Two sums of 16 bits take the room of one of 32.
      kernels.clearSums(Math.ceil(bytes / 2));
      for (let j = 0; j < factor; j++) {
        const from = ((y * factor + j) * pixels.width + x * factor) * 3;
        buffers.upper.set(data.subarray(from, from + bytes));
        kernels.addShorts(bytes);
      }
      kernels.lumaOfSums(count, factor, 0.001 / (factor * factor));
      luma.set(buffers.lumaRow.subarray(0, count), y * width + x);
    }
  }
  return { data: luma, width, height };
}

const within = (outer: Region, inner: Region): Region => ({
  left: outer.left + inner.left * (outer.right - outer.left),
  top: outer.top + inner.top * (outer.bottom - outer.top),
  right: outer.left + inner.right * (outer.right - outer.left),
  bottom: outer.top + inner.bottom * (outer.bottom - outer.top),
});

const INNER: Region = { left: INSET, top: INSET, right: 1 - INSET, bottom: 1 - INSET };

/** Returns the fingerprint to store: the whole picture, its inner 90%, and the same for the area inside a border. */
export function fingerprint({ whole, full, plane, inside }: Prepared): Fingerprint {
  const entries: FingerprintEntry[] = [];
  const keep = (found: Pdq, region: Region, frame: Region): void => {
    if (found.quality >= MIN_QUALITY) entries.push({ hash: found.hash, region, frame });
  };
  keep(whole, WHOLE, WHOLE);
  const hashOf = hasherOf(plane);
  keep(hashOf(INNER), INNER, WHOLE);
  if (inside) {
    keep(hashOf(inside), inside, inside);
    keep(hashOf(within(inside, INNER)), within(inside, INNER), inside);
  }
  const small = shrink(plane, THUMBNAIL);
  return {
    hash: whole.hash,
    quality: whole.quality,
    entries,
    thumbnail: {
      data: rounded(small.data),
      width: small.width,
      height: small.height,
    },
    corners: whole.quality >= MIN_QUALITY ? keypoints(full, STORED) : [],
  };
}

function rounded(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.round(values[i]!);
  return bytes;
}

/** Returns the corners by which a search finds the pictures that this one is a part or a distorted copy of. */
export const searchedCorners = ({ whole, full }: Prepared): Keypoint[] =>
  whole.quality >= MIN_QUALITY ? keypoints(full, SEARCHED) : [];

/** The shares cut off the left (top) and the right (bottom) of a window. */
const CUTS: [near: number, far: number][] = [
  [0, 0],
  [INSET, 0],
  [0, INSET],
  [INSET / 2, INSET / 2],
  [INSET, INSET],
];

/**
 * Mirrored pictures are hashed separately. PDQ samples up to half a step off centre, so a hash mirrored by changing signs of its
 * frequencies is several bits off. Transposing is exact.
 */
const TRANSPOSED: Turn = { transpose: true, mirror: false, flip: false };
const SIDEWAYS: Turn[] = TURNS.filter(turn => !turn.transpose && !turn.flip);

const WINDOWS: Region[] = CUTS.flatMap(([left, right]) =>
  CUTS.map(([top, bottom]) => ({ left, top, right: 1 - right, bottom: 1 - bottom })),
);

/**
 * Returns the lookups that find a picture's originals, copies and parts: the whole picture in all eight symmetries, and 25 windows, plain
 * and mirrored. One of these windows matches a stored hash for any crop of up to 5% per side. The same for the area inside a border.
 */
export function probes({ full, plane, inside }: Prepared): Probe[] {
  const found: Probe[] = [];
  type Hasher = ReturnType<typeof hasherOf>;
  const look = (hashOf: Hasher, turns: readonly Turn[], region: Region, frame: Region): void => {
    for (const { mirror, flip } of turns.filter(turn => !turn.transpose)) {
      const hashed = hashOf(region, mirror, flip);
      if (hashed.quality < MIN_QUALITY) return;
      found.push({ hash: hashed.hash, region, frame, turn: { transpose: false, mirror, flip } });
      // Mirroring then transposing equals transposing then flipping.
      const turn = turns.find(turn => turn.transpose && turn.flip === mirror && turn.mirror === flip);
      if (turn) found.push({ hash: turnedHash(hashed.frequencies, TRANSPOSED), region, frame, turn });
    }
  };
  look(hasherOf(full), TURNS, WHOLE, WHOLE);
  const hashOf = hasherOf(plane);
  for (const frame of inside ? [WHOLE, inside] : [WHOLE])
    for (const window of WINDOWS) {
      if (window === WINDOWS[0] && frame === WHOLE) continue;
      const region = within(frame, window);
      look(hashOf, window === WINDOWS[0] ? TURNS : SIDEWAYS, region, frame);
    }
  return found;
}
