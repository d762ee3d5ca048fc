import { table } from '@firsthand/cli/print.ts';
import { comparableEmail } from '@firsthand/contract/base/email-address.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import { audit } from '../identity/audit/audit.ts';
import { invite, removeMember } from '../identity/people/manage.ts';
import {
  findMember,
  giveEmail,
  listMembers,
  lockPeople,
  memberWith,
  presentPerson,
} from '../identity/people/persons.ts';
import { mintLink } from '../identity/people/tokens.ts';
import { many, type Tx, transaction } from '../platform/db/sql.ts';
import type { Deps } from '../platform/deps.ts';
import { checkId, checkValue, UsageError } from './arguments.ts';
import { checkTenant, tenantOf } from './tenant-of.ts';
import { activity, printJson, withDeps } from './tenants.ts';

interface Member {
  id: string;
  tenantId: string;
}

/** The one member that the options name. A miss or several are errors that say what to give instead. */
async function memberOf(
  deps: Pick<Deps, 'db'>,
  tx: Tx,
  o: { tenant?: string | undefined; email?: string | undefined; person?: string | undefined },
): Promise<Member> {
  if (o.email !== undefined && o.person !== undefined) throw new UsageError('Give --email or --person, not both.');
  if (o.tenant !== undefined) await tenantOf(deps, o.tenant);
  if (o.email === undefined && o.person === undefined) return onlyOwner(tx, await tenantOf(deps, o.tenant));
  const email = o.email === undefined ? null : comparableEmail(o.email);
  const found = await many<{ id: string; tenant_id: string; tenant_name: string }>(
    tx,
    `select p.id, m.tenant_id, t.name as tenant_name
     from persons p join memberships m on m.person_id = p.id join tenants t on t.id = m.tenant_id
     where (p.email = $1 or p.id = $2) and ($3::text is null or m.tenant_id = $3) order by m.tenant_id`,
    [email, o.person ?? null, o.tenant ?? null],
  );
  const [member] = found;
  if (!member) {
    const who = email === null ? `is ${o.person}` : `has the address ${email}`;
    const where = o.tenant === undefined ? '' : ` in ${o.tenant}`;
    throw new Error(
      `Nobody${where} ${who}. List the people of an account: firsthand people list --tenant <id>. ` +
        'For its owner without an address: firsthand sign-in-link --tenant <id>.',
    );
  }
  if (found.length > 1) {
    const list = found.map(row => `  ${row.tenant_id}  ${row.tenant_name}`);
    throw new Error(`${email} signs in to several accounts. Name one with --tenant:\n${list.join('\n')}`);
  }
  return { id: member.id, tenantId: member.tenant_id };
}

async function onlyOwner(tx: Tx, tenantId: string): Promise<Member> {
  const owners = await many<{ id: string; name: string | null; email: string | null }>(
    tx,
    `select p.id, coalesce(m.name, p.name) as name, p.email from persons p join memberships m on m.person_id = p.id
     where m.tenant_id = $1 and m.role = 'owner' order by m.created_at, p.id`,
    [tenantId],
  );
  const [owner] = owners;
  if (!owner) throw new Error(`The tenant ${tenantId} has no owner.`);
  if (owners.length > 1) {
    const list = owners.map(({ id, name, email }) => `  ${id}  ${[name, email].filter(Boolean).join(' ')}`.trimEnd());
    throw new Error(`The tenant ${tenantId} has several owners. Name one with --person:\n${list.join('\n')}`);
  }
  return { id: owner.id, tenantId };
}

/**
 * `firsthand sign-in-link`: prints a link that signs one person in once and expires after 24 hours. The person is named by
 * `--email` or `--person`, or is the only owner of the account.
 */
export async function signInLinkCommand(o: { tenant?: string; email?: string; person?: string }): Promise<void> {
  checkTenant(o);
  if (o.email !== undefined) checkValue('--email', 'email', o.email);
  if (o.person !== undefined) checkId('--person', 'usr', o.person);
  return withDeps(async deps => {
    const link = await transaction(deps.db, async tx => {
      const { id: personId, tenantId } = await memberOf(deps, tx, o);
      await audit(tx, activity(deps, tenantId), { action: 'sign_in_link.created', target: personId });
      return mintLink(tx, deps, { personId, purpose: 'first_run' });
    });
    console.log(link);
  });
}

/** `firsthand people set-email ID --email E`: gives an address to a person who has none. */
export async function setEmailCommand(id: string, o: { tenant?: string; email: string }): Promise<void> {
  checkTenant(o);
  checkId('<id>', 'usr', id);
  checkValue('--email', 'email', o.email);
  return withDeps(async deps => {
    const { email } = o;
    const tenantId = await transaction(deps.db, async tx => {
      const member = await memberOf(deps, tx, { person: id, tenant: o.tenant });
      await lockPeople(tx, member.tenantId);
      const row = await findMember(tx, member.tenantId, id);
      if (row?.email != null) throw new Error(`${id} already has the address ${row.email}.`);
      const other = await memberWith(tx, member.tenantId, { email });
      if (other) throw new Error(`${other.id} has this address in the same account.`);
      await giveEmail(tx, id, email);
      await audit(tx, activity(deps, member.tenantId), { action: 'person.email_set', target: id });
      return member.tenantId;
    });
    console.log(`${id} of ${tenantId} has the address ${email}.`);
  });
}

/** `firsthand people list`: prints who may sign in. */
export async function listPeopleCommand(o: { tenant?: string }): Promise<void> {
  checkTenant(o);
  return withDeps(async deps => {
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
}

/** `firsthand people invite`: prints the person as JSON, with `sign_in_url` when no e-mail is sent. */
export async function invitePersonCommand(o: {
  tenant?: string;
  email?: string;
  phone?: string;
  name?: string;
  role: Role;
}): Promise<void> {
  checkTenant(o);
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
    printJson(made);
  });
}

/** `firsthand people remove ID`: ends the person's sessions at once. */
export async function removePersonCommand(id: string, o: { tenant?: string }): Promise<void> {
  checkTenant(o);
  checkId('<id>', 'usr', id);
  return withDeps(async deps => {
    await transaction(deps.db, async tx => {
      const { tenantId } = await memberOf(deps, tx, { person: id, tenant: o.tenant });
      await removeMember(tx, activity(deps, tenantId), id);
    });
    console.log(`${id} is removed. Their sessions have ended.`);
  });
}
