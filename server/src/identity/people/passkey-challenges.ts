import { randomBytes } from 'node:crypto';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { sha256 } from '../../platform/lib/keyring.ts';

const LIFE_MS = 10 * 60_000;
/** How long the browser waits for the person's passkey. */
export const CEREMONY_MS = 5 * 60_000;

/** Loads the passkey library at its first use. Loading takes a tenth of a second, which every start would pay otherwise. */
export const webAuthn = () => import('@simplewebauthn/server');

/** The host and origin that passkeys are bound to, as the browser sees this deployment. */
export function relyingParty({ origins }: Pick<Deps, 'origins'>) {
  const { hostname, origin } = new URL(origins.public);
  return { rpID: hostname, origin };
}

/** Makes a challenge that one answer can use. `personId`: the owner of the new passkey; null: for signing in. */
export async function newChallenge(
  deps: Pick<Deps, 'db' | 'clock'>,
  personId: string | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(randomBytes(32));
  await deps.db.query('insert into passkey_challenges (digest, person_id, expires_at) values ($1, $2, $3)', [
    digestOf(Buffer.from(challenge).toString('base64url')),
    personId,
    new Date(deps.clock.now().getTime() + LIFE_MS),
  ]);
  return challenge;
}

/** Uses up and returns the challenge that the browser's answer signed. Null if it is not ours, not this person's, or used. */
export async function takeChallenge(
  db: Queryable,
  clientDataJSON: string,
  personId: string | null,
  now: Date,
): Promise<string | null> {
  const challenge = challengeOf(clientDataJSON);
  if (challenge === null) return null;
  const taken = await one(
    db,
    `delete from passkey_challenges where digest = $1 and person_id is not distinct from $2 and expires_at > $3
     returning 1 as taken`,
    [digestOf(challenge), personId, now],
  );
  return taken ? challenge : null;
}

const digestOf = (challenge: string): Buffer => sha256(challenge);

function challengeOf(clientDataJSON: string): string | null {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    const challenge = (data as { challenge?: unknown } | null)?.challenge;
    return typeof challenge === 'string' && challenge.length <= 200 ? challenge : null;
  } catch {
    return null;
  }
}
