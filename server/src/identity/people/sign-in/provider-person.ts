import type { Role } from '@firsthand/contract/people/people.ts';
import { ROLES } from '@firsthand/contract/people/roles.ts';
import type { FastifyRequest } from 'fastify';
import type { ProviderConfig } from '../../../platform/config/sign-in.ts';
import { many, type Queryable, type Tx } from '../../../platform/db/sql.ts';
import type { Deps } from '../../../platform/deps.ts';
import { type Activity, audit, originOf } from '../../audit/audit.ts';
import { changeMember } from '../manage.ts';
import { type Opening, openedBy, type Proof, placesOf } from '../openings.ts';
import { addMembership, createPerson, findMember, hasOtherOwner, lockPeople } from '../persons.ts';
import { onlyTenant, tenantExists } from '../tenant-exists.ts';
import { claimIn, isWithheld, type Said, verifiedEmail } from './provider-client.ts';

interface Arriving {
  deps: Pick<Deps, 'clock' | 'log'>;
  request: FastifyRequest;
  provider: ProviderConfig;
  said: Said;
}

function nameOf(said: Said): string | null {
  const name = claimIn(said, 'name');
  return typeof name === 'string' && /\S/.test(name)
    ? name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 120)
    : null;
}

/** The highest role that the provider's claim maps to; null if it maps to none. */
export function roleOf(provider: ProviderConfig, said: Said): Role | null {
  if (provider.roleClaim === null) return null;
  const value = claimIn(said, provider.roleClaim);
  const values = Array.isArray(value) ? value : [value];
  const roles = values.flatMap(item => (typeof item === 'string' ? (provider.roles.get(item) ?? []) : []));
  return ROLES.findLast(role => roles.includes(role)) ?? null;
}

/**
 * The persons that a provider's answer opens: those whom its issuer and `sub` signed in before, and those with the address
 * that it verified now. Adds a person to the account of AUTO_JOIN. Empty for somebody without an invitation.
 */
export async function openedByProvider(tx: Tx, o: Arriving): Promise<Opening[]> {
  const { provider, said } = o;
  const now = o.deps.clock.now();
  const joins = await joinedTenant(tx, o);
  // Two first sign-ins at once must not add the same person twice.
  if (joins) await lockPeople(tx, joins.tenantId);
  const known = await many<{ person_id: string; proof: Proof; removed_from: string | null }>(
    tx,
    `select i.person_id, i.proof, p.removed_from from person_identities i join persons p on p.id = i.person_id
     where i.issuer = $1 and i.subject = $2`,
    [provider.issuer, said.sub],
  );
  const openings: Opening[] = known
    .filter(row => row.removed_from === null)
    .map(row => ({ personId: row.person_id, proof: row.proof }));
  const email = verifiedEmail(said);
  for (const opening of email === null ? [] : await openedBy(tx, { email })) {
    if (!openings.some(({ personId }) => personId === opening.personId)) openings.push(opening);
  }
  const isThere = (await placesOf(tx, openings)).some(({ tenantId }) => tenantId === joins?.tenantId);
  // A removed person needs a new invitation.
  if (joins && !isThere && !known.some(row => row.removed_from === joins.tenantId)) {
    openings.push(await join(tx, o, { ...joins, email, at: now }));
  }
  await takeRole(tx, o, openings, now);
  return openings;
}

async function joinedTenant(tx: Queryable, { deps, provider, said }: Arriving) {
  if (!provider.autoJoin) return null;
  const { tenantId } = provider.autoJoin;
  if (!(await tenantExists(tx, tenantId))) {
    deps.log.error({ provider: provider.name, tenant: tenantId }, 'the account of AUTO_JOIN does not exist');
    return null;
  }
  return { tenantId, role: roleOf(provider, said), grantedRole: provider.autoJoin.role };
}

async function join(
  tx: Tx,
  o: Arriving,
  {
    tenantId,
    email,
    at,
    ...joins
  }: { tenantId: string; role: Role | null; grantedRole: Role; email: string | null; at: Date },
): Promise<Opening> {
  const { provider, said } = o;
  const personId = await createPerson(tx, {
    name: nameOf(said),
    email,
    ...(email === null ? {} : { provenBy: 'email' }),
    at,
  });
  const role = joins.role ?? joins.grantedRole;
  await addMembership(tx, { tenantId, personId, role, ...(joins.role ? { grantedRole: joins.grantedRole } : {}), at });
  await tx.query(
    `insert into person_identities (issuer, subject, person_id, provider, proof, created_at)
     values ($1, $2, $3, $4, 'provider', $5)`,
    [provider.issuer, said.sub, personId, provider.name, at],
  );
  await audit(tx, activity(o, tenantId, at), {
    action: 'person.joined',
    target: personId,
    detail: { role, provider: provider.name },
  });
  return { personId, proof: 'provider' };
}

/**
 * Remembers the persons that this identity opens from now on, whatever becomes of its address: those whose invitation was
 * accepted with the address that it proved in this session.
 */
export async function linkIdentity(tx: Tx, o: Arriving, sessionId: string): Promise<void> {
  await tx.query(
    `insert into person_identities (issuer, subject, person_id, provider, proof, created_at)
     select $1, $2, s.person_id, $3, 'email', $4 from session_persons s join persons p on p.id = s.person_id
     where s.session_id = $5 and s.proof = 'email' and p.email = $6 and p.email_proven_at is not null
     on conflict do nothing`,
    [o.provider.issuer, o.said.sub, o.provider.name, o.deps.clock.now(), sessionId, verifiedEmail(o.said)],
  );
}

/**
 * Updates the role from the provider at each sign-in, in the account that the settings name, or in the only account of the
 * deployment. Somebody whose groups map to no role any more has again what the account gave: the role of the invitation or of
 * AUTO_JOIN. The last owner stays an owner.
 */
async function takeRole(tx: Tx, o: Arriving, openings: readonly Opening[], now: Date): Promise<void> {
  const { provider, deps } = o;
  if (provider.roleClaim === null || isWithheld(o.said, provider.roleClaim)) return;
  const mapped = roleOf(provider, o.said);
  const tenantId = provider.autoJoin?.tenantId ?? provider.roleTenant ?? (await onlyTenant(tx));
  if (tenantId === null) {
    if (mapped === null) return;
    deps.log.warn(
      { provider: provider.name },
      'ROLE_MAP changes no role: there are several accounts; name one in ROLE_TENANT or AUTO_JOIN',
    );
    return;
  }
  const place = (await placesOf(tx, openings)).find(candidate => candidate.tenantId === tenantId);
  if (!place) return;
  const { personId } = place;
  await lockPeople(tx, tenantId);
  const member = await findMember(tx, tenantId, personId);
  if (!member) return;
  const granted = member.granted_role ?? member.role;
  const role = mapped ?? granted;
  if (role === member.role) return;
  if (member.role === 'owner' && role !== 'owner' && !(await hasOtherOwner(tx, tenantId, personId))) {
    deps.log.warn({ person: personId, role }, 'the last owner keeps the role, whatever the provider says');
    return;
  }
  await changeMember(tx, activity(o, tenantId, now), personId, {
    role,
    provider: provider.name,
    ...(mapped === null ? {} : { grantedRole: granted }),
  });
}

const activity = (o: Arriving, tenantId: string, at: Date): Activity => ({
  tenantId,
  actor: { kind: 'system' },
  at,
  ...originOf(o.request),
});
