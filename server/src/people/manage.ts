import type { Invitation, Role } from '@firsthand/contract/people.ts';
import { one, type Tx } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { invalidField, Problem } from '../http/problem.ts';
import { addJob } from '../jobs/queue.ts';
import { newUlid } from '../lib/ids.ts';
import { type Activity, audit } from '../tenants/audit.ts';
import {
  addMembership,
  createPerson,
  findMember,
  hasOtherOwner,
  isMember,
  type KnownPerson,
  lockPeople,
  personByEmail,
  personByPhone,
  reclaim,
  sameEmail,
} from './persons.ts';
import { endSessions } from './sessions.ts';
import { mintLink } from './tokens.ts';

/**
 * Adds a person to an account. A new person gets a link by e-mail, or the caller gets it. A person whom this deployment
 * already knows signs in as before and never with a link that somebody else holds.
 */
export async function invite(
  tx: Tx,
  deps: Pick<Deps, 'clock' | 'origins' | 'mailer'>,
  activity: Activity,
  o: Invitation,
): Promise<{ personId: string; signInUrl: string | null }> {
  await lockPeople(tx, activity.tenantId);
  const known = await personOf(tx, activity.tenantId, o);
  const personId =
    known?.id ??
    (await createPerson(tx, { email: o.email, phone_e164: o.phone_e164, provenAt: null, at: activity.at }));
  if (known) await joinAnother(tx, known, o, activity.at);
  await addMembership(tx, { tenantId: activity.tenantId, personId, role: o.role, name: o.name, at: activity.at });
  const mailed = deps.mailer !== null && o.email !== undefined;
  await audit(tx, activity, {
    action: 'person.invited',
    target: personId,
    detail: { role: o.role, by: mailed ? 'mail' : known ? 'membership' : 'link' },
  });
  if (mailed)
    await askForMail(tx, { purpose: 'invitation', email: o.email!, tenantId: activity.tenantId, at: activity.at });
  const signInUrl =
    mailed || known
      ? null
      : await mintLink(tx, deps, { personId, purpose: 'invitation', tenantId: activity.tenantId, proves: false });
  return { personId, signInUrl };
}

/** Queues the mail with a link. The job looks up the person, so that known and unknown addresses cost the same here. */
export async function askForMail(
  tx: Tx,
  o: { purpose: 'magic_link' | 'invitation'; email: string; tenantId: string | null; at: Date },
): Promise<void> {
  const id = newUlid();
  await tx.query('insert into sign_in_mails (id, purpose, email, tenant_id, created_at) values ($1, $2, $3, $4, $5)', [
    id,
    o.purpose,
    sameEmail(o.email),
    o.tenantId,
    o.at,
  ]);
  await addJob(tx, 'mail_sign_in_link', { mail_id: id });
}

/** Finds the person of an invitation, if this deployment knows them and they have proved that the address is theirs. */
async function personOf(tx: Tx, tenantId: string, o: Invitation): Promise<KnownPerson | null> {
  const byEmail = o.email === undefined ? undefined : await personByEmail(tx, o.email);
  const byPhone = o.phone_e164 === undefined ? undefined : await personByPhone(tx, o.phone_e164);
  for (const person of [byEmail, byPhone]) {
    if (person && (await isMember(tx, tenantId, person.id))) {
      throw new Problem('already_member', 'This person is already a member of the account.');
    }
  }
  // A person whom another account added and who never proved the address loses the address but stays a member there.
  if (byEmail && !byEmail.proven) await tx.query('update persons set email = null where id = $1', [byEmail.id]);
  if (byPhone && !byPhone.proven) await tx.query('update persons set phone_e164 = null where id = $1', [byPhone.id]);
  const [email, phone] = [byEmail?.proven ? byEmail : null, byPhone?.proven ? byPhone : null];
  if (o.email !== undefined && o.phone_e164 !== undefined && email?.id !== phone?.id) {
    throw invalidField(
      email ? 'phone_e164' : 'email',
      'must be left out: the account knows this person by the other one only',
    );
  }
  return email ?? phone;
}

/**
 * Another account trusts this person by the address or number that it invited. Every other way in is removed, so that no
 * account can sign in as a person of another.
 */
async function joinAnother(tx: Tx, person: KnownPerson, o: Invitation, at: Date): Promise<void> {
  await reclaim(tx, person.id, at);
  await tx.query('update persons set email = $2, phone_e164 = $3 where id = $1', [
    person.id,
    o.email === undefined ? null : person.email,
    o.phone_e164 === undefined ? null : person.phone_e164,
  ]);
}

const lastOwner = () => new Problem('last_owner', 'An account needs at least one owner.');

/** Changes a member's role or name. A new role ends the person's sessions in the account. False if there is no such member. */
export async function changeMember(
  tx: Tx,
  activity: Activity,
  personId: string,
  change: { role?: Role; name?: string },
): Promise<boolean> {
  await lockPeople(tx, activity.tenantId);
  const before = await findMember(tx, activity.tenantId, personId);
  if (!before) return false;
  const after = { role: change.role ?? before.role, name: change.name ?? before.name };
  const demoted = before.role === 'owner' && after.role !== 'owner';
  if (demoted && !(await hasOtherOwner(tx, activity.tenantId, personId))) throw lastOwner();
  await tx.query('update memberships set role = $3, name = $4 where tenant_id = $1 and person_id = $2', [
    activity.tenantId,
    personId,
    after.role,
    after.name,
  ]);
  if (after.role !== before.role) {
    await endSessions(tx, activity.at, { personId, tenantId: activity.tenantId });
    await audit(tx, activity, {
      action: 'person.role_changed',
      target: personId,
      detail: { from: before.role, to: after.role },
    });
  }
  if (after.name !== before.name) await audit(tx, activity, { action: 'person.renamed', target: personId });
  return true;
}

/** Removes a member and ends their sessions in the account. False if there is no such member. */
export async function removeMember(tx: Tx, activity: Activity, personId: string): Promise<boolean> {
  await lockPeople(tx, activity.tenantId);
  const member = await findMember(tx, activity.tenantId, personId);
  if (!member) return false;
  if (member.role === 'owner' && !(await hasOtherOwner(tx, activity.tenantId, personId))) throw lastOwner();
  await tx.query('delete from memberships where tenant_id = $1 and person_id = $2', [activity.tenantId, personId]);
  await endSessions(tx, activity.at, { personId, tenantId: activity.tenantId });
  await tx.query('delete from sign_in_tokens where person_id = $1 and tenant_id = $2', [personId, activity.tenantId]);
  const elsewhere = await one(tx, 'select 1 from memberships where person_id = $1 limit 1', [personId]);
  if (!elsewhere) {
    // Keeps the row, because other rows name it, and the identities, so that a provider does not add the person again.
    await tx.query('update persons set email = null, phone_e164 = null, name = null, removed_at = $2 where id = $1', [
      personId,
      activity.at,
    ]);
    await reclaim(tx, personId, activity.at);
  }
  await audit(tx, activity, { action: 'person.removed', target: personId, detail: { role: member.role } });
  return true;
}
