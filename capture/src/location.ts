import type { DeviceLocation } from '@firsthand/sdk/capture/wire.ts';

export type Locator = ReturnType<typeof createLocator>;

/** Reads the device's position after the person agreed. A refusal lasts for the whole visit. */
export function createLocator() {
  let answer: 'undecided' | 'yes' | 'no' = 'undecided';
  return {
    get undecided() {
      return answer === 'undecided';
    },
    decline(): void {
      answer = 'no';
    },
    allow(): void {
      answer = 'yes';
    },
    /** Undefined when the person refuses, or the device has no position. */
    locate(): Promise<DeviceLocation | undefined> {
      if (answer !== 'yes' || !navigator.geolocation) return Promise.resolve(undefined);
      return new Promise(resolve => {
        navigator.geolocation.getCurrentPosition(
          ({ coords }) =>
            resolve({ latitude: coords.latitude, longitude: coords.longitude, accuracy_m: Math.ceil(coords.accuracy) }),
          error => {
            if (error.code === error.PERMISSION_DENIED) answer = 'no';
            resolve(undefined);
          },
          { enableHighAccuracy: true, timeout: 15_000, maximumAge: 30_000 },
        );
      });
    },
  };
}
