import { logOddsOf } from '../networks/linear.ts';
import { levelsOf, type Part, trunk } from '../networks/trunk.ts';
import type { Picture } from '../pixels/picture.ts';
import head from './patches.generated.json' with { type: 'json' };

/** Sides, in pixels, of the square parts that the network reads at full size. */
const SIDE = 384;
const FIRST_SIDE = 192;
/**
 * Log odds of the small part in the middle, then of the large one there, below which a picture counts as clear. The first clears seven in eight genuine pictures, in 8 instead of
 * 100 ms.
 */
const CLEARS = { small: 0, middle: 0.5 };
/** Mean difference of neighbouring levels below which a part shows nothing: one colour, or overexposed. */
const LEAST_DETAIL = 0.3;

interface Place {
  x: number;
  y: number;
}

/** Where the parts lie, as shares of the room beside them. */
const MIDDLE: Place = { x: 0.5, y: 0.5 };
const ASIDE: Place[] = [
  { x: 0.25, y: 0.75 },
  { x: 0.75, y: 0.25 },
];

const run = trunk(new URL('./patches.generated.onnx', import.meta.url));

function partAt({ width, height }: Picture, side: number, { x, y }: Place): Part {
  return { left: Math.round((width - side) * x), top: Math.round((height - side) * y), width: side, height: side };
}

/** Returns the mean difference of the green of neighbours in a row, in levels. */
function detailOf({ data, width: line }: Picture, { left, top, width, height }: Part): number {
  let sum = 0;
  for (let y = top; y < top + height; y++) {
    const row = 3 * (y * line + left) + 1;
    for (let x = 1; x < width; x++) sum += Math.abs(data[row + 3 * x]! - data[row + 3 * x - 3]!);
  }
  return sum / height / (width - 1);
}

const showsNothing = (picture: Picture, part: Part): boolean => detailOf(picture, part) < LEAST_DETAIL;

const logOddsOfPart = (picture: Picture, part: Part): number =>
  logOddsOf(head, run(levelsOf(picture, part), part.width, part.height));

/**
 * Returns how much a picture looks generated, in log odds that are not calibrated: an image classifier's trunk that was trained further on patches of genuine and generated pictures,
 * and a logistic regression over its layers (`patches.generated.onnx` and `.json`, see `CARD.md`). The mean over three parts, or the score of
 * the middle part if that clears the picture. Undefined for a picture with a side below {@link SIDE}, or whose middle shows nothing.
 */
export function logOddsOfGenerated(picture: Picture): number | undefined {
  if (Math.min(picture.width, picture.height) < SIDE) return undefined;
  const first = partAt(picture, FIRST_SIDE, MIDDLE);
  if (showsNothing(picture, first)) return undefined;
  const small = logOddsOfPart(picture, first);
  if (small < CLEARS.small) return small;
  const middle = logOddsOfPart(picture, partAt(picture, SIDE, MIDDLE));
  if (middle < CLEARS.middle) return middle;
  const others = ASIDE.map(place => partAt(picture, SIDE, place)).filter(part => !showsNothing(picture, part));
  return others.reduce((sum, part) => sum + logOddsOfPart(picture, part), middle) / (1 + others.length);
}
