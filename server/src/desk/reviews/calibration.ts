import type { Decision } from '@firsthand/contract/reviews/reviews.ts';

// Suggests thresholds of the screen detector from reviewed cases. Pure: reads no database.

/** One photo of a decided case. */
export interface ReviewedPhoto {
  score: number;
  /** The label that people gave it: the thing itself, or a display. */
  genuine: boolean;
  /** How many photos like it, reviewed or not, this one stands for. */
  weight: number;
}

interface Said {
  decision: Decision;
  reasons: readonly string[];
  flags: readonly { capture_id: string; genuine: boolean }[] | null;
}

/** Reasons that say "a display", as the dashboard and our examples write them. */
const DISPLAY = new Set(['photo_of_display', 'photo of a screen', 'photo of a display', 'screen_detected']);

/**
 * Returns what people agreed on about one photo, or null when they did not, or said nothing about displays. A flag on the photo counts
 * before the case's decision. A rejection counts as a display only for that reason, and only where the photo is the case's one.
 */
export function labelOf(captureId: string, photos: number, reviews: readonly Said[]): boolean | null {
  const deciding = reviews.filter(({ decision }) => decision !== 'escalated');
  const labels = deciding.map(({ decision, reasons, flags }): boolean | null => {
    const isDisplay = reasons.some(reason => DISPLAY.has(reason.toLowerCase()));
    const flag = flags?.find(({ capture_id }) => capture_id === captureId);
    if (flag) return flag.genuine ? true : isDisplay || decision === 'approved' ? false : null;
    if (decision === 'approved') return true;
    return decision === 'rejected' && isDisplay && photos === 1 ? false : null;
  });
  const [first] = labels;
  return first === undefined || labels.some(label => label !== first) ? null : first;
}

export interface Suggestion {
  /** Photos that people called genuine, and displays. */
  genuine: number;
  displays: number;
  /** As many independent photos say as much as the weighted genuine ones (Kish). */
  effective: number;
  /** Scores that these shares of the genuine photos stay below. */
  quantiles: Record<string, number>;
  /** The threshold that 1% of genuine photos reach, and 0.1%; absent where there are too few to say. */
  doubtful?: number;
  confident?: number;
  /** Share of the displays that `doubtful` finds. */
  found?: number;
}

const QUANTILES = [0.5, 0.9, 0.95, 0.99, 0.999];
const RATES = { doubtful: 0.01, confident: 0.001 };

/**
 * The least score that at most `rate` of the weight reaches; undefined if even 1 is reached by more. One more photo above all others is
 * counted with them, as in split conformal.
 */
function reachedBy(genuine: readonly ReviewedPhoto[], rate: number): number | undefined {
  const total = genuine.reduce((sum, { weight }) => sum + weight, 0);
  const one = total / genuine.length;
  let above = one;
  let limit = 1;
  for (const { score, weight } of genuine.toSorted((a, b) => b.score - a.score)) {
    above += weight;
    if (above > rate * (total + one)) {
      limit = score;
      break;
    }
  }
  // Just above the first photo that may not reach it, to five digits.
  return limit < 1 ? (Math.floor(limit * 1e5) + 1) / 1e5 : undefined;
}

function quantile(ascending: readonly ReviewedPhoto[], share: number): number {
  const total = ascending.reduce((sum, { weight }) => sum + weight, 0);
  let below = 0;
  for (const { score, weight } of ascending) {
    below += weight;
    if (below >= share * total) return score;
  }
  return ascending.at(-1)!.score;
}

/** Returns what the reviewed photos suggest for the thresholds. */
export function suggest(photos: readonly ReviewedPhoto[]): Suggestion {
  const genuine = photos.filter(photo => photo.genuine);
  const displays = photos.filter(photo => !photo.genuine);
  const sum = genuine.reduce((all, { weight }) => all + weight, 0);
  const squares = genuine.reduce((all, { weight }) => all + weight * weight, 0);
  const effective = squares > 0 ? (sum * sum) / squares : 0;
  const ascending = genuine.toSorted((a, b) => a.score - b.score);
  const enough = (rate: number): boolean => effective >= 1 / rate - 1;
  const doubtful = enough(RATES.doubtful) ? reachedBy(genuine, RATES.doubtful) : undefined;
  const confident = enough(RATES.confident) ? reachedBy(genuine, RATES.confident) : undefined;
  return {
    genuine: genuine.length,
    displays: displays.length,
    effective: Math.floor(effective),
    quantiles: Object.fromEntries(
      ascending.length > 0 ? QUANTILES.map(share => [String(share), quantile(ascending, share)]) : [],
    ),
    ...(doubtful !== undefined && { doubtful }),
    ...(confident !== undefined && { confident: Math.max(confident, doubtful ?? 0) }),
    ...(doubtful !== undefined &&
      displays.length > 0 && { found: displays.filter(({ score }) => score >= doubtful).length / displays.length }),
  };
}
