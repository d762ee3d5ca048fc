import type { Capture, GeoPoint } from '@firsthand/contract/verification.ts';
import type { Deps } from '../deps.ts';
import { comparePlaces } from './distance.ts';
import { geocode } from './geocode.ts';

/**
 * Compares the device's position with the expected place. Null when no place is expected. A mock position is
 * `rejected`. A missing position, or an address that no geocoder can resolve, is `ungeocoded`. Only the device's GPS
 * counts.
 */
export async function matchLocation(
  deps: Deps,
  expected: string | undefined,
  device: GeoPoint | null,
): Promise<Capture['location_match'] | null> {
  if (expected === undefined) return null;
  if (!device) return { result: 'ungeocoded' };
  if (device.simulated) return { result: 'rejected' };
  try {
    const declared = await geocode(deps, expected);
    return declared ? comparePlaces(device, declared) : { result: 'ungeocoded' };
  } catch (error) {
    // The place is evidence beside the verdict, so the verdict must not wait for another company's server.
    deps.log.warn({ err: error }, 'the geocoder did not answer; the place stays ungeocoded');
    return { result: 'ungeocoded' };
  }
}
