import type { DeviceLocation } from '@firsthand/sdk/capture/wire.ts';

export type Locator = ReturnType<typeof createLocator>;

/** The device's position, asked for once the person has said yes; a no holds for the whole visit. */
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
    /** Undefined when the person, the browser or the sky does not give one. */
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
