import { Platform } from 'react-native';
import type { Integrity } from './phone.ts';

export type IntegrityOptions = {
  /** The number of the Google Cloud project that is linked to the app in the Play Console. Without it, Android attests nothing. */
  cloudProjectNumber?: string;
};

/**
 * App Attest and Play Integrity by `@expo/app-integrity`, for `expoPhone`. Loads the module at the first photo. Where the app was built
 * without it, as Expo Go is, photos go without an attestation.
 */
export function appIntegrity({ cloudProjectNumber }: IntegrityOptions = {}): () => Promise<Integrity | null> {
  return async () => {
    if (Platform.OS === 'android' && cloudProjectNumber === undefined) return null;
    const module = await import('@expo/app-integrity');
    if (Platform.OS === 'android' && cloudProjectNumber !== undefined) {
      return {
        provider: 'play_integrity',
        prepare: () => module.prepareIntegrityTokenProviderAsync(cloudProjectNumber),
        request: requestHash => module.requestIntegrityCheckAsync(requestHash),
      };
    }
    if (Platform.OS !== 'ios' || !module.isSupported) return null;
    return {
      provider: 'app_attest',
      generateKey: () => module.generateKeyAsync(),
      attestKey: (keyId, text) => module.attestKeyAsync(keyId, text),
      assert: (keyId, text) => module.generateAssertionAsync(keyId, text),
    };
  };
}
