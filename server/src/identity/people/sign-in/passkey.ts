import { Me, Nothing, PasskeyAuthentication, PasskeyOptions } from '@firsthand/contract/people/people.ts';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { many, one, type Queryable, transaction } from '../../../platform/db/sql.ts';
import type { Deps } from '../../../platform/deps.ts';
import { ok, openEndpoint } from '../../../platform/http/endpoint.ts';
import { notConfigured, signInRefused } from '../../../platform/http/problem.ts';
import { answerSignedIn } from '../me.ts';
import type { Opening, Proof } from '../openings.ts';
import { CEREMONY_MS, newChallenge, relyingParty, takeChallenge, webAuthn } from '../passkey-challenges.ts';
import { openSession, recordFailure } from '../sessions.ts';
import { missingWays } from './ways.ts';

export const passkeyRequestOptions = openEndpoint({
  operationId: 'createPasskeySignInOptions',
  summary: 'Begin to sign in with a passkey',
  description:
    'Answers `PublicKeyCredentialRequestOptionsJSON`, for `navigator.credentials.get`. It names no passkey: the browser ' +
    'offers those it has.',
  tag: 'Sign-in',
  credentials: ['sign_in'],
  body: Nothing,
  bodyOptional: true,
  responses: { 200: PasskeyOptions },
  errors: ['not_configured'],
  async handler({ deps }) {
    const { passkey: missing } = missingWays(deps);
    if (missing !== undefined) throw notConfigured(missing);
    const { rpID } = relyingParty(deps);
    const { generateAuthenticationOptions } = await webAuthn();
    return ok(
      await generateAuthenticationOptions({
        rpID,
        challenge: await newChallenge(deps, null),
        timeout: CEREMONY_MS,
        userVerification: 'required',
      }),
    );
  },
});

interface PasskeyRow {
  id: string;
  person_id: string;
  credential_id: string;
  public_key: Buffer;
  counter: string;
}

export const redeemPasskey = openEndpoint({
  operationId: 'signInWithPasskey',
  summary: 'Sign in with a passkey',
  description: 'The body is the `AuthenticationResponseJSON` of the browser.',
  tag: 'Sign-in',
  credentials: ['sign_in'],
  addressLimit: 'sign_in',
  body: PasskeyAuthentication,
  responses: { 200: Me },
  errors: ['unauthorized'],
  async handler(call) {
    const { deps, request } = call;
    const response = call.body as unknown as AuthenticationResponseJSON;
    const now = deps.clock.now();
    const challenge = await takeChallenge(deps.db, response.response.clientDataJSON, null, now);
    const passkey = await one<PasskeyRow>(
      deps.db,
      'select id, person_id, credential_id, public_key, counter from passkeys where credential_id = $1',
      [response.id],
    );
    if (!passkey || challenge === null) throw signInRefused();
    await call.limitAccount('passkey', passkey.person_id);
    const counter = await counterOf(deps, response, passkey, challenge);
    const opened =
      counter === null
        ? null
        : await transaction(deps.db, async tx => {
            await tx.query('update passkeys set counter = $2, last_used_at = $3 where id = $1', [
              passkey.id,
              counter,
              now,
            ]);
            return openSession(tx, deps, request, {
              method: 'passkey',
              openings: await openedByPasskey(tx, passkey.id),
            });
          });
    if (opened) return answerSignedIn(call, opened);
    const detail = { method: 'passkey', reason: 'the signature does not hold' } as const;
    await recordFailure(deps, request, await openedByPasskey(deps.db, passkey.id), detail);
    throw signInRefused();
  },
});

const openedByPasskey = async (db: Queryable, passkeyId: string): Promise<Opening[]> =>
  (
    await many<{ person_id: string; proof: Proof }>(
      db,
      'select person_id, proof from passkey_persons where passkey_id = $1',
      [passkeyId],
    )
  ).map(row => ({ personId: row.person_id, proof: row.proof }));

/** Verifies the authenticator's answer and returns its new counter; null if any check fails. */
async function counterOf(
  deps: Pick<Deps, 'origins' | 'log'>,
  response: AuthenticationResponseJSON,
  passkey: PasskeyRow,
  expectedChallenge: string,
): Promise<number | null> {
  const { userHandle } = response.response;
  if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== passkey.person_id) return null;
  const { rpID, origin } = relyingParty(deps);
  try {
    const { verifyAuthenticationResponse } = await webAuthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...response, clientExtensionResults: response.clientExtensionResults ?? {} },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch (error) {
    deps.log.info({ err: error, passkey: passkey.id }, 'a sign-in with a passkey was refused');
    return null;
  }
}
