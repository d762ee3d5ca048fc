import type { Role } from '@firsthand/contract/people/people.ts';
import { hasRole } from '@firsthand/contract/people/roles.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Actor } from '../audit/audit.ts';
import { isInForce } from './bearer.ts';

/**
 * True while whoever ordered long work may still do so: the key is in force, or the person has at least this role in the account.
 * A person who only signed out may.
 */
export async function isStillAllowed(db: Queryable, tenantId: string, actor: Actor, least: Role): Promise<boolean> {
  if (actor.kind === 'secret') return actor.id !== undefined && isInForce(db, actor.id);
  if (actor.kind !== 'session') return true;
  const member = await one<{ role: Role }>(db, 'select role from memberships where tenant_id = $1 and person_id = $2', [
    tenantId,
    actor.id ?? null,
  ]);
  return member !== undefined && hasRole(member.role, least);
}
