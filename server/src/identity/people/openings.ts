import { comparableEmail } from '@firsthand/contract/base/email-address.ts';
import { many, one, type Queryable, type Tx } from '../../platform/db/sql.ts';

/**
 * Why a way in opens a person: the sign-in proved the person's e-mail address or phone number; the account handed over
 * a link (`link`); the operator did (`operator`); or the account lets in whoever a provider signs in (`provider`).
 */
export type Proof = 'email' | 'phone_e164' | 'link' | 'operator' | 'provider';

/** A person that a session, a passkey or a provider's identity opens. A person belongs to one account. */
export interface Opening {
  personId: string;
  proof: Proof;
}

export type Contact = { email: string } | { phone_e164: string };

/** An opening of a person who is a member of an account. */
export interface Place extends Opening {
  tenantId: string;
  /** False for an invitation that nobody has accepted yet by the proof of this opening. */
  accepted: boolean;
  livemode: boolean | null;
}

interface PlaceRow {
  person_id: string;
  proof: Proof;
  tenant_id: string;
  accepted: boolean;
  last_livemode: boolean | null;
}

const placeOf = (row: PlaceRow): Place => ({
  personId: row.person_id,
  proof: row.proof,
  tenantId: row.tenant_id,
  accepted: row.accepted,
  livemode: row.last_livemode,
});

/** SQL: somebody has signed in as the person `p` by the proof of the opening `o` before. */
const ACCEPTED = `(case o.proof when 'email' then p.email_proven_at is not null
  when 'phone_e164' then p.phone_proven_at is not null else true end)`;

/** SQL: accepted ones first, of these the one used last. */
const BEST_FIRST = `${ACCEPTED} desc, p.last_sign_in_at desc nulls last, m.created_at, p.id`;

/** The persons with this address or number: at most one in each account. */
export async function openedBy(db: Queryable, contact: Contact): Promise<Opening[]> {
  const [proof, email, phone] =
    'email' in contact
      ? (['email', comparableEmail(contact.email), null] as const)
      : (['phone_e164', null, contact.phone_e164] as const);
  const rows = await many<{ person_id: string }>(
    db,
    `select m.person_id from persons p join memberships m on m.person_id = p.id
     where (p.email = $1 or p.phone_e164 = $2) and p.removed_at is null`,
    [email, phone],
  );
  return rows.map(row => ({ personId: row.person_id, proof }));
}

/** The accounts of some openings, the one to begin with first: `prefer`, else an accepted one, else an invitation. */
export async function placesOf(
  db: Queryable,
  openings: readonly Opening[],
  prefer: string | null = null,
): Promise<Place[]> {
  const rows = await many<PlaceRow>(
    db,
    `select o.person_id, o.proof, m.tenant_id, p.last_livemode, ${ACCEPTED} as accepted
     from unnest($1::text[], $2::text[]) as o (person_id, proof)
       join persons p on p.id = o.person_id and p.removed_at is null join memberships m on m.person_id = p.id
     order by (p.id = $3) desc nulls last, ${BEST_FIRST}`,
    [openings.map(({ personId }) => personId), openings.map(({ proof }) => proof), prefer],
  );
  return rows.map(placeOf);
}

/** The openings of an open session, its own person's first. Empty if the session has ended. */
export async function openingsOfSession(db: Queryable, sessionId: string): Promise<Place[]> {
  const rows = await many<PlaceRow>(
    db,
    `select o.person_id, o.proof, m.tenant_id, p.last_livemode, ${ACCEPTED} as accepted
     from sessions s join session_persons o on o.session_id = s.id
       join persons p on p.id = o.person_id and p.removed_at is null join memberships m on m.person_id = p.id
     where s.id = $1 and s.ended_at is null
     order by (p.id = s.person_id) desc, ${BEST_FIRST}`,
    [sessionId],
  );
  return rows.map(placeOf);
}

/** The persons that this session's owner has accepted: theirs are the sessions and passkeys that they may end. */
export const acceptedPersons = async (db: Queryable, sessionId: string): Promise<string[]> =>
  (await openingsOfSession(db, sessionId)).filter(({ accepted }) => accepted).map(({ personId }) => personId);

/**
 * Locks a person who is about to be signed in, and notes the proof. The first proof of a contact removes what a link of
 * the account opened: until then nobody knew whose link it was. False for a person who was removed meanwhile.
 */
export async function enterBy(tx: Tx, { personId, proof }: Opening, at: Date): Promise<boolean> {
  const person = await one<{ email_proven: boolean; phone_proven: boolean }>(
    tx,
    `select email_proven_at is not null as email_proven, phone_proven_at is not null as phone_proven from persons
     where id = $1 and removed_at is null for update`,
    [personId],
  );
  if (!person) return false;
  if (proof === 'email' && !person.email_proven) {
    await tx.query('update persons set email_proven_at = $2 where id = $1', [personId, at]);
    await endHandedOver(tx, personId, at);
  }
  if (proof === 'phone_e164' && !person.phone_proven) {
    await tx.query('update persons set phone_proven_at = $2 where id = $1', [personId, at]);
    await endHandedOver(tx, personId, at);
  }
  return true;
}

/** Ends what opens a person by a link that the account handed over. */
async function endHandedOver(tx: Tx, personId: string, at: Date): Promise<void> {
  await tx.query(
    `update sessions s set ended_at = $2 from session_persons o
     where s.person_id = $1 and s.ended_at is null and o.session_id = s.id and o.person_id = $1 and o.proof = 'link'`,
    [personId, at],
  );
  await tx.query(`delete from session_persons where person_id = $1 and proof = 'link'`, [personId]);
  await tx.query(
    `delete from sign_in_tokens where person_id = $1 and email is null and purpose = 'invitation' and used_at is null`,
    [personId],
  );
  await closePasskeys(tx, await passkeysOf(tx, personId, 'link'), [personId]);
}

/** Ends every way into an account as this person. What the same ways open elsewhere stays. */
export async function closePerson(tx: Tx, personId: string, at: Date): Promise<void> {
  await tx.query('update sessions set ended_at = $2 where person_id = $1 and ended_at is null', [personId, at]);
  await tx.query('delete from session_persons where person_id = $1', [personId]);
  await tx.query('delete from sign_in_tokens where person_id = $1', [personId]);
  // Links to an address that is now nobody's keep no trace of it.
  await tx.query(
    `delete from sign_in_tokens t using persons p
     where p.id = $1 and t.email = p.email and not exists (select 1 from persons o where o.email = p.email and o.id <> $1)`,
    [personId],
  );
  await closePasskeys(tx, await passkeysOf(tx, personId), [personId]);
}

const passkeysOf = async (tx: Tx, personId: string, proof: Proof | null = null): Promise<string[]> =>
  (
    await many<{ passkey_id: string }>(
      tx,
      'select passkey_id from passkey_persons where person_id = $1 and ($2::text is null or proof = $2)',
      [personId, proof],
    )
  ).map(row => row.passkey_id);

/** Takes persons from what passkeys open, and deletes the passkeys that then open nobody. */
export async function closePasskeys(tx: Tx, passkeys: readonly string[], persons: readonly string[]): Promise<void> {
  await tx.query('delete from passkey_persons where passkey_id = any($1) and person_id = any($2)', [passkeys, persons]);
  await tx.query(
    `delete from passkeys k where id = any($1)
       and not exists (select 1 from passkey_persons o where o.passkey_id = k.id)`,
    [passkeys],
  );
}
