import { comparableEmail } from '@firsthand/contract/base/email-address.ts';
import type { Invitation, Role } from '@firsthand/contract/people/people.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { Problem } from '../../platform/http/problem.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { newUlid } from '../../platform/lib/ids.ts';
import { type Activity, audit } from '../audit/audit.ts';
import { closePerson } from './openings.ts';
import { addMembership, createPerson, findMember, hasOtherOwner, lockPeople, memberWith } from './persons.ts';
import { endSessions } from './sessions.ts';
import { mintLink } from './tokens.ts';

/**
 * Invites a person to an account: by e-mail, or by a link that the caller hands over. Other accounts do not matter here,
 * so the answer never tells whether this deployment knows the address or number. The invitation waits until somebody
 * proves one of the contacts or opens the link.
 */
export async function invite(
  tx: Tx,
  deps: Pick<Deps, 'clock' | 'origins' | 'mailer'>,
  activity: Activity,
  o: Invitation,
): Promise<{ personId: string; signInUrl: string | null }> {
  const { tenantId, at } = activity;
  await lockPeople(tx, tenantId);
  const { email, phone_e164 } = o;
  if (await memberWith(tx, tenantId, { ...(email && { email }), ...(phone_e164 && { phone_e164 }) })) {
    throw new Problem('already_member', 'This person is already a member of the account.');
  }
  const personId = await createPerson(tx, { email: email ?? null, phone_e164: phone_e164 ?? null, at });
  await addMembership(tx, { tenantId, personId, role: o.role, name: o.name, at });
  const mailed = deps.mailer !== null && email !== undefined;
  await audit(tx, activity, {
    action: 'person.invited',
    target: personId,
    detail: { role: o.role, by: mailed ? 'mail' : 'link' },
  });
  if (mailed) await askForMail(tx, { purpose: 'invitation', email, tenantId, at });
  return { personId, signInUrl: mailed ? null : await mintLink(tx, deps, { personId, purpose: 'invitation' }) };
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
    comparableEmail(o.email),
    o.tenantId,
    o.at,
  ]);
  await addJob(tx, 'mail_sign_in_link', { mail_id: id });
}

const lastOwner = () => new Problem('last_owner', 'An account needs at least one owner.');

/**
 * Changes a member's role or name. A new role ends the person's sessions in the account. False if there is no such member.
 * `grantedRole`: what the account gave, where the identity provider gives the role; absent: the account gives it.
 */
export async function changeMember(
  tx: Tx,
  activity: Activity,
  personId: string,
  change: { role?: Role; name?: string; grantedRole?: Role; provider?: string },
): Promise<boolean> {
  await lockPeople(tx, activity.tenantId);
  const before = await findMember(tx, activity.tenantId, personId);
  if (!before) return false;
  const after = { role: change.role ?? before.role, name: change.name ?? before.name };
  const demoted = before.role === 'owner' && after.role !== 'owner';
  if (demoted && !(await hasOtherOwner(tx, activity.tenantId, personId))) throw lastOwner();
  await tx.query(
    'update memberships set role = $3, name = $4, granted_role = $5 where tenant_id = $1 and person_id = $2',
    [
      activity.tenantId,
      personId,
      after.role,
      after.name,
      change.role === undefined ? before.granted_role : (change.grantedRole ?? null),
    ],
  );
  if (after.role !== before.role) {
    await endSessions(tx, activity.at, { persons: [personId] });
    await audit(tx, activity, {
      action: 'person.role_changed',
      target: personId,
      detail: { from: before.role, to: after.role, ...(change.provider ? { provider: change.provider } : {}) },
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
  await closePerson(tx, personId, activity.at);
  // Keeps the row, because other rows name it, and the identities, so that a provider does not add the person again.
  await tx.query(
    'update persons set email = null, phone_e164 = null, name = null, removed_at = $2, removed_from = $3 where id = $1',
    [personId, activity.at, activity.tenantId],
  );
  await audit(tx, activity, { action: 'person.removed', target: personId, detail: { role: member.role } });
  return true;
}
