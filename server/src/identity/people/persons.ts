import { comparableEmail } from '@firsthand/contract/base/email-address.ts';
import type { Person, Role } from '@firsthand/contract/people/people.ts';
import { many, one, type Queryable, type Tx } from '../../platform/db/sql.ts';
import { newId } from '../../platform/lib/ids.ts';

/** Makes a person of one account. `provenBy`: the contact that the person has just proved. */
export async function createPerson(
  tx: Queryable,
  o: { name?: string | null; email?: string | null; phone_e164?: string | null; provenBy?: 'email'; at: Date },
): Promise<string> {
  const id = newId('usr', o.at.getTime());
  await tx.query(
    'insert into persons (id, name, email, email_proven_at, phone_e164, created_at) values ($1, $2, $3, $4, $5, $6)',
    [
      id,
      o.name ?? null,
      o.email ? comparableEmail(o.email) : null,
      o.provenBy === 'email' ? o.at : null,
      o.phone_e164 ?? null,
      o.at,
    ],
  );
  return id;
}

export async function addMembership(
  tx: Queryable,
  o: { tenantId: string; personId: string; role: Role; grantedRole?: Role; name?: string | null; at: Date },
): Promise<void> {
  await tx.query(
    'insert into memberships (tenant_id, person_id, role, granted_role, name, created_at) values ($1, $2, $3, $4, $5, $6)',
    [o.tenantId, o.personId, o.role, o.grantedRole ?? null, o.name ?? null, o.at],
  );
}

export const isMember = async (db: Queryable, tenantId: string, personId: string): Promise<boolean> =>
  (await one(db, 'select 1 from memberships where tenant_id = $1 and person_id = $2', [tenantId, personId])) !==
  undefined;

/** The owner of a new account. The person has no address yet and signs in with the operator's link. */
export async function createOwner(tx: Queryable, tenantId: string, at: Date): Promise<string> {
  const personId = await createPerson(tx, { at });
  await addMembership(tx, { tenantId, personId, role: 'owner', at });
  return personId;
}

/** Locks the people of an account, so that two changes cannot both remove the last owner. */
export const lockPeople = (tx: Tx, tenantId: string) =>
  one(tx, 'select 1 from tenants where id = $1 for no key update', [tenantId]);

/** Whether the account has an owner besides this person. */
export const hasOtherOwner = async (tx: Queryable, tenantId: string, personId: string): Promise<boolean> =>
  (await one(tx, `select 1 from memberships where tenant_id = $1 and role = 'owner' and person_id <> $2 limit 1`, [
    tenantId,
    personId,
  ])) !== undefined;

export interface PersonRow {
  id: string;
  name: string | null;
  email: string | null;
  phone_e164: string | null;
  role: Role;
  granted_role: Role | null;
  joined_at: Date;
  last_sign_in_at: Date | null;
}

const MEMBER = `select p.id, coalesce(m.name, p.name) as name, p.email, p.phone_e164, m.role, m.granted_role, m.created_at as joined_at,
    p.last_sign_in_at
  from memberships m join persons p on p.id = m.person_id where m.tenant_id = $1`;

export const findMember = (db: Queryable, tenantId: string, personId: string) =>
  one<PersonRow>(db, `${MEMBER} and p.id = $2`, [tenantId, personId]);

/** The people of an account, newest first, from `after` on if given. */
export const listMembers = (db: Queryable, tenantId: string, limit: number, after: string | null = null) =>
  many<PersonRow>(db, `${MEMBER} and ($2::text is null or p.id < $2) order by p.id desc limit $3`, [
    tenantId,
    after,
    limit,
  ]);

/** `full`: for people who manage people. Others see names and roles only. */
export const presentPerson = (row: PersonRow, full: boolean): Person => ({
  id: row.id,
  ...(row.name === null ? {} : { name: row.name }),
  ...(full && row.email !== null ? { email: row.email } : {}),
  ...(full && row.phone_e164 !== null ? { phone_e164: row.phone_e164 } : {}),
  role: row.role,
  created_at: row.joined_at.toISOString(),
  ...(row.last_sign_in_at && full ? { last_sign_in_at: row.last_sign_in_at.toISOString() } : {}),
});

/** The member of an account with this address or number. */
export const memberWith = (db: Queryable, tenantId: string, contact: { email?: string; phone_e164?: string }) =>
  one<PersonRow>(db, `${MEMBER} and (p.email = $2 or p.phone_e164 = $3)`, [
    tenantId,
    contact.email === undefined ? null : comparableEmail(contact.email),
    contact.phone_e164 ?? null,
  ]);

/** Sets the address of a person who has none. The person proves it with the next link that is mailed there. */
export const giveEmail = (tx: Tx, personId: string, email: string) =>
  tx.query('update persons set email = $2 where id = $1 and email is null', [personId, comparableEmail(email)]);
