import type { Role } from '@firsthand/contract/people.ts';
import { one, type Tx, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { invite, removeMember } from '../people/manage.ts';
import { findMember, giveEmail, listMembers, personByEmail, presentPerson } from '../people/persons.ts';
import { mintLink } from '../people/tokens.ts';
import type { Activity } from '../tenants/audit.ts';
import { audit } from '../tenants/audit.ts';
import { checkId, checkValue, UsageError } from './arguments.ts';
import { table } from './print.ts';
import { tenantOf } from './tenant-of.ts';
import { withDeps } from './tenants.ts';

const activity = (deps: Deps, tenantId: string): Activity => ({
  tenantId,
  actor: { kind: 'command_line' },
  at: deps.clock.now(),
});

/**
 * Returns the person with this address. For an unknown address, assigns it to the oldest owner without any way to sign in, so that an owner
 * who lost the first link can return.
 */
async function personFor(tx: Tx, email: string, at: Date): Promise<string | null> {
  const known = await personByEmail(tx, email);
  if (known) return known.id;
  const nameless = await one<{ id: string }>(
    tx,
    `select p.id from persons p join memberships m on m.person_id = p.id
     where m.role = 'owner' and p.email is null and p.phone_e164 is null and p.removed_at is null
       and not exists (select 1 from person_identities i where i.person_id = p.id)
     order by p.created_at limit 1 for update of p`,
  );
  if (!nameless) return null;
  await giveEmail(tx, nameless.id, email, at);
  return nameless.id;
}

/** `firsthand sign-in-link --email E`: prints a link that signs this person in once and expires after 24 hours. */
export async function signInLinkCommand(o: { email: string }): Promise<void> {
  checkValue('--email', 'email', o.email);
  return withDeps(async deps => {
    const link = await transaction(deps.db, async tx => {
      const personId = await personFor(tx, o.email, deps.clock.now());
      const membership =
        personId === null
          ? undefined
          : await one<{ tenant_id: string }>(
              tx,
              'select tenant_id from memberships where person_id = $1 order by created_at limit 1',
              [personId],
            );
      if (personId === null || !membership) {
        throw new Error(`Nobody has the address ${o.email}. Invite them: firsthand people invite --email ${o.email}`);
      }
      await audit(tx, activity(deps, membership.tenant_id), { action: 'sign_in_link.created', target: personId });
      return mintLink(tx, deps, { personId, purpose: 'first_run', tenantId: null, proves: true });
    });
    console.log(link);
  });
}

/** `firsthand people list`: prints who may sign in. */
export const listPeopleCommand = (o: { tenant?: string }): Promise<void> =>
  withDeps(async deps => {
    const rows = await listMembers(deps.db, await tenantOf(deps, o.tenant), 10_000);
    console.log(
      table(
        ['Id', 'Role', 'Name', 'E-mail', 'Phone', 'Last sign-in'],
        rows.map(row => [
          row.id,
          row.role,
          row.name ?? '',
          row.email ?? '',
          row.phone_e164 ?? '',
          row.last_sign_in_at?.toISOString() ?? 'never',
        ]),
      ),
    );
  });

/** `firsthand people invite`: prints the person as JSON, with `sign_in_url` when no e-mail is sent. */
export async function invitePersonCommand(o: {
  tenant?: string;
  email?: string;
  phone?: string;
  name?: string;
  role: Role;
}): Promise<void> {
  if (o.email === undefined && o.phone === undefined) throw new UsageError('Give --email, --phone or both.');
  if (o.email !== undefined) checkValue('--email', 'email', o.email);
  if (o.phone !== undefined) checkValue('--phone', 'phone', o.phone);
  if (o.name !== undefined) checkValue('--name', 'personName', o.name);
  return withDeps(async deps => {
    const tenantId = await tenantOf(deps, o.tenant);
    const made = await transaction(deps.db, async tx => {
      const { personId, signInUrl } = await invite(tx, deps, activity(deps, tenantId), {
        role: o.role,
        ...(o.email === undefined ? {} : { email: o.email }),
        ...(o.phone === undefined ? {} : { phone_e164: o.phone }),
        ...(o.name === undefined ? {} : { name: o.name }),
      });
      const row = await findMember(tx, tenantId, personId);
      return { ...presentPerson(row!, true), ...(signInUrl === null ? {} : { sign_in_url: signInUrl }) };
    });
    console.log(JSON.stringify(made, null, 2));
  });
}

/** `firsthand people remove ID`: ends the person's sessions at once. */
export async function removePersonCommand(id: string, o: { tenant?: string }): Promise<void> {
  checkId('<id>', 'usr', id);
  return withDeps(async deps => {
    const tenantId = await tenantOf(deps, o.tenant);
    const removed = await transaction(deps.db, tx => removeMember(tx, activity(deps, tenantId), id));
    if (!removed) throw new Error(`The tenant ${tenantId} has no person ${id}.`);
    console.log(`${id} is removed. Their sessions have ended.`);
  });
}
