import type { LocationResult } from '@firsthand/contract/verification/verification.ts';

/** Mean Earth radius of the IUGG, metres. */
const EARTH_RADIUS_M = 6_371_008.8;
const BASE_TOLERANCE_M = 150;
export const MAX_TOLERANCE_M = 1_000;

export interface Place {
  latitude: number;
  longitude: number;
}

/** Great-circle distance in metres (haversine). */
export function distanceM(a: Place, b: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const dLat = radians(b.latitude - a.latitude);
  const dLon = radians(b.longitude - a.longitude);
  const h =
    Math.sin(dLat / 2) ** 2 + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(dLon / 2) ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** min(150 m + reported accuracy, 1,000 m). */
export const toleranceM = (accuracyM: number | undefined): number =>
  Math.min(BASE_TOLERANCE_M + (accuracyM ?? 0), MAX_TOLERANCE_M);

/** Compares the device's position to the declared place. The caller knows both. */
export function comparePlaces(
  device: Place & { accuracy_m?: number },
  declared: Place,
): { result: LocationResult; distance_m: number; tolerance_m: number } {
  const distance = distanceM(device, declared);
  const tolerance = toleranceM(device.accuracy_m);
  return {
    result: distance <= tolerance ? 'verified' : 'no_match',
    distance_m: Math.round(distance * 10) / 10,
    tolerance_m: Math.round(tolerance * 10) / 10,
  };
}
