import type { Me, PasskeyAuthentication } from '@firsthand/contract/people/people.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';
import { useEffect, useRef } from 'react';
import { call } from '../../base/api/call.ts';

/** The browser's dialog was closed, or it had no passkey to offer. */
export class NoPasskeyUsed extends Error {
  override name = 'NoPasskeyUsed';
}
/** This device holds a passkey of this person already. */
export class PasskeyThere extends Error {
  override name = 'PasskeyThere';
}

export const passkeysHere = browserSupportsWebAuthn();

/** Half of the ten minutes that the service's challenge stands. */
const RENEW_MS = 5 * 60_000;

const requestOptions = async () =>
  (await call('POST /v1/auth/passkey/options', { body: {} })) as unknown as PublicKeyCredentialRequestOptionsJSON;

async function authenticate(useBrowserAutofill: boolean): Promise<Me> {
  const optionsJSON = await requestOptions();
  const body = await startAuthentication({ optionsJSON, useBrowserAutofill }).catch((error: unknown) => {
    throw error instanceof Error && /NotAllowed|Abort/.test(`${error.name} ${(error.cause as Error)?.name}`)
      ? new NoPasskeyUsed()
      : error;
  });
  return call('POST /v1/auth/passkey/redeem', { body: body as unknown as PasskeyAuthentication });
}

/** Asks for a passkey in the browser's dialog. */
export const signInWithPasskey = (): Promise<Me> => authenticate(false);

/** Makes a passkey on a device of the person's choice, and keeps it under `name`. */
export async function addPasskey(name: string) {
  const optionsJSON = (await call('POST /v1/me/passkeys/options', {
    body: {},
  })) as unknown as PublicKeyCredentialCreationOptionsJSON;
  const response = await startRegistration({ optionsJSON }).catch((error: unknown) => {
    const names = error instanceof Error ? `${error.name} ${(error.cause as Error)?.name}` : '';
    if (names.includes('InvalidState')) throw new PasskeyThere();
    throw /NotAllowed|Abort/.test(names) ? new NoPasskeyUsed() : error;
  });
  return call('POST /v1/me/passkeys', { body: { name, response: response as never } });
}

/**
 * While the page is open, the browser offers its passkeys in the field that is marked `webauthn`. `offered`: there is such a
 * field.
 */
export function usePasskeyAutofill(offered: boolean, onSignedIn: (me: Me) => void, onError: (error: unknown) => void) {
  const told = useRef({ onSignedIn, onError });
  told.current = { onSignedIn, onError };
  useEffect(() => {
    if (!offered) return undefined;
    let over = false;
    const wait = async () => {
      if (over || !(await browserSupportsWebAuthnAutofill())) return;
      try {
        const me = await authenticate(true);
        if (!over) told.current.onSignedIn(me);
      } catch (error) {
        // The person chose another way, or the service was not to be reached: the button says so when it is pressed.
        if (!over && error instanceof ApiError) told.current.onError(error);
      }
    };
    void wait();
    const renewal = setInterval(() => void wait(), RENEW_MS);
    return () => {
      over = true;
      clearInterval(renewal);
      WebAuthnAbortService.cancelCeremony();
    };
  }, [offered]);
}
