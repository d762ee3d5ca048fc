import type { Capture } from '@firsthand/contract/verification/verification.ts';

interface Point {
  /** Metres east and north of the photo. */
  x: number;
  y: number;
}

export interface Plan {
  photo: { accuracy: number };
  /** Where the photo was to be taken; null when nobody said or nobody knows. */
  expected: (Point & { tolerance: number; directionKnown: boolean }) | null;
  distance: number | null;
  /** Metres from the middle to the nearest edge. */
  reach: number;
  middle: Point;
  /** A round number of metres for the scale bar, about a quarter of the width. */
  bar: number;
}

const METRES_A_DEGREE = 111_195;
const LAT_LON = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*,\s*(-?\d{1,3}(?:\.\d+)?)\s*$/;

/** A place that is given as `latitude,longitude`. */
export function coordinatesOf(text: string): { latitude: number; longitude: number } | null {
  const [, latitude, longitude] = LAT_LON.exec(text) ?? [];
  if (latitude === undefined || longitude === undefined) return null;
  const place = { latitude: Number(latitude), longitude: Number(longitude) };
  return Math.abs(place.latitude) <= 90 && Math.abs(place.longitude) <= 180 ? place : null;
}

/** The largest of 1, 2, 5, 10, 20, 50 … that is not above. */
export function roundBelow(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  return ([5, 2, 1].find(times => times * power <= metres) ?? 1) * power;
}

/** The expected place in metres from the photo. The plane is exact enough where both fit one picture; the distance is the service's own. */
function expectedPoint(capture: Capture, expected: string, distance: number): Point & { directionKnown: boolean } {
  const place = coordinatesOf(expected);
  const { location } = capture;
  if (!place || !location) return { x: distance, y: 0, directionKnown: false };
  const turns = ((place.longitude - location.longitude + 540) % 360) - 180;
  const x = turns * METRES_A_DEGREE * Math.cos((location.latitude * Math.PI) / 180);
  const y = (place.latitude - location.latitude) * METRES_A_DEGREE;
  const length = Math.hypot(x, y);
  const stretch = length > 0 ? distance / length : 0;
  return { x: x * stretch, y: y * stretch, directionKnown: true };
}

/** The drawing of a photo's place, in metres. Null if the device reported no position. */
export function planOf(capture: Capture, expectedLocation: string | undefined): Plan | null {
  const { location, location_match } = capture;
  if (!location) return null;
  const accuracy = location.accuracy_m ?? 0;
  const distance = location_match?.distance_m ?? null;
  const expected =
    expectedLocation !== undefined && distance !== null
      ? { ...expectedPoint(capture, expectedLocation, distance), tolerance: location_match?.tolerance_m ?? 0 }
      : null;
  const circles = [{ x: 0, y: 0, r: accuracy }, ...(expected ? [{ ...expected, r: expected.tolerance }] : [])];
  const bounds = (axis: 'x' | 'y') => {
    const low = Math.min(...circles.map(circle => circle[axis] - circle.r));
    const high = Math.max(...circles.map(circle => circle[axis] + circle.r));
    return { middle: (low + high) / 2, half: (high - low) / 2 };
  };
  const across = bounds('x');
  const up = bounds('y');
  const reach = Math.max(10, across.half, up.half) * 1.15;
  return {
    photo: { accuracy },
    expected,
    distance,
    reach,
    middle: { x: across.middle, y: up.middle },
    bar: roundBelow(reach / 2),
  };
}
