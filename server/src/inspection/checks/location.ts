import type { Capture } from '@firsthand/contract/verification/verification.ts';
import type { Deps } from '../../platform/deps.ts';
import type { CaptureRow } from '../../verification/verifications/row.ts';
import { comparePlaces, distanceM, MAX_TOLERANCE_M, type Place } from './distance.ts';
import { geocode } from './geocode.ts';

type LocationMatch = NonNullable<Capture['location_match']>;

/**
 * Compares the device's position with the expected place. Null when no place is expected. A mock position is
 * `rejected`. A missing position, or an address that no geocoder can resolve, is `ungeocoded`. Only the device's GPS
 * makes `verified`, and the answer says who sent it. A position in the file that lies elsewhere counts against it.
 */
export async function matchLocation(
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'clock'>,
  expected: string | undefined,
  { location: device, location_source: source }: Pick<CaptureRow, 'location' | 'location_source'>,
  inFile?: Place,
): Promise<LocationMatch | null> {
  if (expected === undefined) return null;
  if (device?.simulated) return { result: 'rejected' };
  if (!device && !inFile) return { result: 'ungeocoded' };
  try {
    const declared = await geocode(deps, expected);
    if (!declared) return { result: 'ungeocoded' };
    const file = inFile ? { exif_distance_m: Math.round(distanceM(inFile, declared) * 10) / 10 } : {};
    if (!device) return { result: 'ungeocoded', ...file };
    const match = comparePlaces(device, declared);
    // A phone writes the last fix it had into the file, so a file a little off contradicts nothing.
    const elsewhere = (file.exif_distance_m ?? 0) > MAX_TOLERANCE_M;
    return {
      ...match,
      ...(elsewhere ? { result: 'no_match' as const } : {}),
      ...(source === null ? {} : { source }),
      ...file,
    };
  } catch (error) {
    // The place is evidence beside the verdict, so the verdict must not wait for another company's server.
    deps.log.warn({ err: error }, 'the geocoder did not answer; the place stays ungeocoded');
    return { result: 'ungeocoded' };
  }
}
