import { createHash } from 'node:crypto';
import type { AppAttest } from '@firsthand/react-native/phone.ts';
import { type Authority, makeDevice } from '../support/app-attest-device.ts';

type Device = Awaited<ReturnType<typeof makeDevice>>;

export interface Enclave extends AppAttest {
  /** Keys made so far. */
  made: number;
  /** Forgets all keys, as a reinstallation does. */
  reinstall(): void;
  /** The codes of errors that the next calls fail with. */
  failures: string[];
}

const fault = (code: string) => Object.assign(new Error(code), { code: `ERR_APP_INTEGRITY_${code}` });

/** App Attest of a phone as `@expo/app-integrity` passes it on: it hashes the text once, and a key is attested once. */
export function enclaveOf(authority: Authority, appId: string): Enclave {
  const keys = new Map<string, { device: Device; attested: boolean; counter: number }>();
  const hashOf = (text: string) => createHash('sha256').update(text).digest();
  const memberOf = (token: string, name: string) => (JSON.parse(token) as Record<string, string>)[name] ?? '';
  const keyOf = (keyId: string, attested: boolean) => {
    const failure = enclave.failures.shift();
    if (failure) throw fault(failure);
    const key = keys.get(keyId);
    if (key?.attested !== attested) throw fault('INVALID_KEY');
    return key;
  };
  const enclave: Enclave = {
    provider: 'app_attest',
    made: 0,
    failures: [],
    reinstall: () => keys.clear(),
    async generateKey() {
      const device = await makeDevice(authority, appId);
      keys.set(device.keyId, { device, attested: false, counter: 0 });
      enclave.made += 1;
      return device.keyId;
    },
    async attestKey(keyId, text) {
      const key = keyOf(keyId, false);
      key.attested = true;
      return memberOf(await key.device.attest(hashOf(text)), 'attestation');
    },
    async assert(keyId, text) {
      const key = keyOf(keyId, true);
      key.counter += 1;
      return memberOf(key.device.assert(hashOf(text), key.counter), 'assertion');
    },
  };
  return enclave;
}
