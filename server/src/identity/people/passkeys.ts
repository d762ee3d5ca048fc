import { AddPasskey, Nothing, Passkey, PasskeyOptions } from '@firsthand/contract/people/people.ts';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { many, one, type Queryable, type Tx, transaction, violates } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { created, noContent, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { type PersonPrincipal, personOf } from '../../platform/http/principal.ts';
import { invalidField, notFound, unauthorized } from '../../platform/http/problem.ts';
import { newId } from '../../platform/lib/ids.ts';
import { type Activity, activityOf, audit } from '../audit/audit.ts';
import { acceptedPersons, closePasskeys, openingsOfSession } from './openings.ts';
import { CEREMONY_MS, newChallenge, relyingParty, takeChallenge, webAuthn } from './passkey-challenges.ts';

const MAX_PASSKEYS = 20;

interface PasskeyRow {
  id: string;
  name: string;
  credential_id: string;
  transports: string[];
  created_at: Date;
  last_used_at: Date | null;
}

/** The passkeys that open this person. */
export const listPasskeys = (db: Queryable, personId: string) =>
  many<PasskeyRow>(
    db,
    `select k.id, k.name, k.credential_id, k.transports, k.created_at, k.last_used_at
     from passkeys k join passkey_persons o on o.passkey_id = k.id where o.person_id = $1 order by k.id desc`,
    [personId],
  );

export const presentPasskey = (row: Pick<PasskeyRow, 'id' | 'name' | 'created_at' | 'last_used_at'>): Passkey => ({
  id: row.id,
  name: row.name,
  created_at: row.created_at.toISOString(),
  ...(row.last_used_at ? { last_used_at: row.last_used_at.toISOString() } : {}),
});

// A passkey grants all of the person's rights, so adding or removing one needs a recent sign-in.
const common = { tag: 'Me', credentials: ['session'], recent: true } as const;

export const passkeyCreationOptions = tenantEndpoint({
  operationId: 'createPasskeyOptions',
  summary: 'Begin to add a passkey',
  description: 'Answers `PublicKeyCredentialCreationOptionsJSON`, for `navigator.credentials.create`.',
  ...common,
  body: Nothing,
  bodyOptional: true,
  responses: { 200: PasskeyOptions },
  async handler({ deps, principal }) {
    const { userId } = personOf(principal);
    const person = await one<{ name: string | null; email: string | null; phone_e164: string | null }>(
      deps.db,
      'select name, email, phone_e164 from persons where id = $1',
      [userId],
    );
    const userName = person?.email ?? person?.phone_e164 ?? person?.name ?? userId;
    const { rpID } = relyingParty(deps);
    const { generateRegistrationOptions } = await webAuthn();
    const options = await generateRegistrationOptions({
      rpID,
      rpName: 'Firsthand',
      userID: new Uint8Array(Buffer.from(userId)),
      userName,
      userDisplayName: person?.name ?? userName,
      challenge: await newChallenge(deps, userId),
      timeout: CEREMONY_MS,
      attestationType: 'none',
      excludeCredentials: (await listPasskeys(deps.db, userId)).map(row => ({
        id: row.credential_id,
        transports: row.transports as never,
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    return ok(options);
  },
});

export const addPasskey = tenantEndpoint({
  operationId: 'addPasskey',
  summary: 'Add a passkey',
  description:
    '`response` is the `RegistrationResponseJSON` of the browser. The passkey opens the accounts that this session opens, ' +
    'without invitations that wait.',
  ...common,
  body: AddPasskey,
  responses: { 201: Passkey },
  async handler(call) {
    const { deps, body } = call;
    const person = personOf(call.principal);
    const activity = activityOf(call);
    const response = body.response as unknown as RegistrationResponseJSON;
    const credential = await verifiedCredential(deps, response, person.userId, activity.at);
    const row = {
      id: newId('psk', activity.at.getTime()),
      name: body.name,
      created_at: activity.at,
      last_used_at: null,
    };
    await transaction(deps.db, tx => insertPasskey(tx, person, row, credential, activity)).catch((error: unknown) => {
      throw violates(error, 'passkeys_credential_id_key')
        ? invalidField('response', 'duplicate', 'is a passkey that is already registered')
        : error;
    });
    return created(presentPasskey(row));
  },
});

/** The credential of a browser's answer to our options. Throws `invalid_request` for any other answer. */
async function verifiedCredential(
  deps: Pick<Deps, 'db' | 'log' | 'origins'>,
  response: RegistrationResponseJSON,
  userId: string,
  now: Date,
) {
  const refused = (cause?: unknown) => {
    deps.log.info({ err: cause }, 'a passkey was refused');
    const message = 'does not belong to options of the last ten minutes; ask for new options';
    return invalidField('response', 'unknown_reference', message);
  };
  const { rpID, origin } = relyingParty(deps);
  const expectedChallenge = await takeChallenge(deps.db, response.response.clientDataJSON, userId, now);
  if (expectedChallenge === null) throw refused();
  const { verifyRegistrationResponse } = await webAuthn();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, clientExtensionResults: response.clientExtensionResults ?? {} },
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
  }).catch((error: unknown) => {
    throw refused(error);
  });
  if (!verified) throw refused();
  return registrationInfo.credential;
}

/** Adds a passkey that opens what the session opens. */
async function insertPasskey(
  tx: Tx,
  { userId, sessionId }: PersonPrincipal,
  { id, name }: Pick<PasskeyRow, 'id' | 'name'>,
  credential: Awaited<ReturnType<typeof verifiedCredential>>,
  activity: Activity,
): Promise<void> {
  await tx.query('select 1 from persons where id = $1 for update', [userId]);
  // The proof of an address may have ended this session while the request was on its way.
  const opens = (await openingsOfSession(tx, sessionId)).filter(({ accepted }) => accepted);
  if (opens.length === 0) throw unauthorized();
  if ((await listPasskeys(tx, userId)).length >= MAX_PASSKEYS) {
    const message = `cannot be added: you have ${MAX_PASSKEYS} passkeys, the maximum; remove one first`;
    throw invalidField('name', 'too_many', message, { max: MAX_PASSKEYS });
  }
  const { counter, publicKey, transports = [] } = credential;
  await tx.query(
    `insert into passkeys (id, person_id, name, credential_id, public_key, counter, transports, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, userId, name, credential.id, Buffer.from(publicKey), counter, transports, activity.at],
  );
  await tx.query(
    `insert into passkey_persons (passkey_id, person_id, proof)
     select $1, o.person_id, o.proof from unnest($2::text[], $3::text[]) as o (person_id, proof)`,
    [id, opens.map(({ personId }) => personId), opens.map(({ proof }) => proof)],
  );
  await audit(tx, activity, { action: 'passkey.added', target: id, detail: { name } });
}

export const deletePasskey = tenantEndpoint({
  operationId: 'deletePasskey',
  summary: 'Remove a passkey',
  description:
    'It opens no account of this session from this answer on, and ends altogether if it opens no other. Sessions it opened go on.',
  ...common,
  exists: async ({ deps, principal, params }) =>
    (await listPasskeys(deps.db, personOf(principal).userId)).some(({ id }) => id === params.id),
  responses: { 204: null },
  async handler(call) {
    const { userId, sessionId } = personOf(call.principal);
    await transaction(call.deps.db, async tx => {
      const row = (await listPasskeys(tx, userId)).find(({ id }) => id === call.params.id);
      if (!row) throw notFound();
      await closePasskeys(tx, [row.id], await acceptedPersons(tx, sessionId));
      await audit(tx, activityOf(call), {
        action: 'passkey.removed',
        target: call.params.id!,
        detail: { name: row.name },
      });
    });
    return noContent;
  },
});
