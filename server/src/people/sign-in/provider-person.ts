import type { Role } from '@firsthand/contract/people.ts';
import { ROLES } from '@firsthand/contract/roles.ts';
import type { FastifyRequest } from 'fastify';
import type { ProviderConfig } from '../../config/sign-in.ts';
import { one, type Tx } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { type Activity, audit, originOf } from '../../tenants/audit.ts';
import { tenantExists } from '../../tenants/exists.ts';
import { changeMember } from '../manage.ts';
import {
  addMembership,
  createPerson,
  findMember,
  hasOtherOwner,
  isMember,
  type KnownPerson,
  personByEmail,
  reclaim,
} from '../persons.ts';
import { membershipFor } from '../sessions.ts';
import { type Claims, claimOf } from './provider-client.ts';

interface Arriving {
  deps: Pick<Deps, 'clock' | 'log'>;
  request: FastifyRequest;
  provider: ProviderConfig;
  issuer: string;
  claims: Claims;
}

/** Accepts an address only if the provider says with a plain `true` that it verified it. */
const verifiedEmail = ({ email, email_verified }: Claims): string | null =>
  email_verified === true && typeof email === 'string' && email.length <= 254 && email.includes('@')
    ? email.toLowerCase()
    : null;

const nameOf = ({ name }: Claims): string | null =>
  typeof name === 'string' && /\S/.test(name) ? name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 120) : null;

/** The highest role that the provider's claim maps to; null if it maps to none. */
export function roleOf(provider: ProviderConfig, claims: Claims): Role | null {
  if (provider.roleClaim === null) return null;
  const value = claimOf(claims, provider.roleClaim);
  const values = Array.isArray(value) ? value : [value];
  const roles = values.flatMap(item => (typeof item === 'string' ? (provider.roles.get(item) ?? []) : []));
  return ROLES.findLast(role => roles.includes(role)) ?? null;
}

/**
 * Finds the person of a provider's answer by issuer and `sub`, else by a verified address. Else adds a new member, if the
 * provider's people may join by themselves. Null for a person without an invitation.
 */
export async function personOfProvider(tx: Tx, o: Arriving): Promise<string | null> {
  const now = o.deps.clock.now();
  const identity = await one<{ person_id: string; removed: boolean }>(
    tx,
    `select i.person_id, p.removed_at is not null as removed
     from person_identities i join persons p on p.id = i.person_id where i.issuer = $1 and i.subject = $2`,
    [o.issuer, o.claims.sub],
  );
  const personId =
    identity && !identity.removed ? identity.person_id : await newcomer(tx, o, identity !== undefined, now);
  if (personId !== null) await takeRole(tx, o, personId, now);
  return personId;
}

async function newcomer(tx: Tx, o: Arriving, wasRemoved: boolean, now: Date): Promise<string | null> {
  const { provider, claims } = o;
  const email = verifiedEmail(claims);
  const known = email === null ? undefined : await personByEmail(tx, email);
  const joins = await joinedTenant(tx, o);
  if (known) {
    await link(tx, o, known.id, now);
    if (joins && !(await isMember(tx, joins.tenantId, known.id))) await joinAsKnown(tx, o, known, joins, now);
    return known.id;
  }
  // A removed person needs a new invitation.
  if (!joins || wasRemoved) return null;
  const personId = await createPerson(tx, { name: nameOf(claims), email, provenAt: now, at: now });
  await addMembership(tx, { ...joins, personId, at: now });
  await link(tx, o, personId, now);
  await audit(tx, activity(o, joins.tenantId, now), {
    action: 'person.joined',
    target: personId,
    detail: { role: joins.role, provider: provider.name },
  });
  return personId;
}

async function joinedTenant(tx: Tx, { deps, provider, claims }: Arriving) {
  if (!provider.autoJoin) return null;
  const { tenantId } = provider.autoJoin;
  if (!(await tenantExists(tx, tenantId))) {
    deps.log.error({ provider: provider.name, tenant: tenantId }, 'the account of AUTO_JOIN does not exist');
    return null;
  }
  return { tenantId, role: roleOf(provider, claims) ?? provider.autoJoin.role };
}

/** Adds a person of other accounts to this one, by the address that the provider verified. Their other ways in do not count here. */
async function joinAsKnown(
  tx: Tx,
  o: Arriving,
  person: KnownPerson,
  joins: { tenantId: string; role: Role },
  now: Date,
): Promise<void> {
  await reclaim(tx, person.id, now);
  await tx.query('update persons set phone_e164 = null where id = $1', [person.id]);
  await addMembership(tx, { ...joins, personId: person.id, at: now });
  await audit(tx, activity(o, joins.tenantId, now), {
    action: 'person.joined',
    target: person.id,
    detail: { role: joins.role, provider: o.provider.name },
  });
}

async function link(tx: Tx, o: Arriving, personId: string, now: Date): Promise<void> {
  await tx.query(
    `insert into person_identities (issuer, subject, person_id, provider, created_at) values ($1, $2, $3, $4, $5)
     on conflict (issuer, subject) do update set person_id = excluded.person_id`,
    [o.issuer, o.claims.sub, personId, o.provider.name, now],
  );
}

/** Updates the person's role from the provider at each sign-in, if the provider states one. The last owner stays an owner. */
async function takeRole(tx: Tx, o: Arriving, personId: string, now: Date): Promise<void> {
  const role = roleOf(o.provider, o.claims);
  if (role === null) return;
  const tenantId = o.provider.autoJoin?.tenantId ?? (await membershipFor(tx, personId, null))?.tenant_id;
  const member = tenantId && (await findMember(tx, tenantId, personId));
  if (!member || member.role === role) return;
  if (member.role === 'owner' && !(await hasOtherOwner(tx, tenantId, personId))) {
    o.deps.log.warn({ person: personId, role }, 'the last owner keeps the role, whatever the provider says');
    return;
  }
  await changeMember(tx, activity(o, tenantId, now), personId, { role });
}

const activity = (o: Arriving, tenantId: string, at: Date): Activity => ({
  tenantId,
  actor: { kind: 'system' },
  at,
  ...originOf(o.request),
});
