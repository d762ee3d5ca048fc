import { randomBytes } from 'node:crypto';
import type { Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { newId } from '../../platform/lib/ids.ts';
import { type Actor, audit } from '../audit/audit.ts';
import { createOwner } from '../people/persons.ts';
import { mintLink } from '../people/tokens.ts';
import { mintKey } from './keys.ts';

/** The credentials of a new tenant. Each secret is shown only once: by `create-tenant`, or in `first-run.json`. */
export interface NewTenant {
  tenant_id: string;
  pk_live: string;
  pk_test: string;
  rk_secret: string;
  webhook_secret: string;
}

/** Creates a link that signs a tenant's first owner in once and expires after 24 hours. */
export const ownerLink = (tx: Tx, deps: Pick<Deps, 'clock' | 'origins'>, ownerId: string) =>
  mintLink(tx, deps, { personId: ownerId, purpose: 'first_run' });

/** Creates a tenant with an owner, one key of each kind and a webhook secret. */
export async function createTenant(
  tx: Tx,
  deps: Pick<Deps, 'keyring' | 'clock'>,
  name: string,
  actor: Actor = { kind: 'system' },
): Promise<NewTenant & { owner_id: string }> {
  const now = deps.clock.now();
  const id = newId('tnt', now.getTime());
  await tx.query('insert into tenants (id, name, created_at) values ($1, $2, $3)', [id, name, now]);
  const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`;
  await tx.query('insert into webhook_secrets (tenant_id, sealed, created_at) values ($1, $2, $3)', [
    id,
    deps.keyring.encrypt(webhookSecret),
    now,
  ]);
  const [live, test, secret] = [
    await mintKey(tx, { tenantId: id, name: 'first live key', mode: 'live', now }),
    await mintKey(tx, { tenantId: id, name: 'first test key', mode: 'test', now }),
    await mintKey(tx, { tenantId: id, name: 'first secret key', mode: 'secret', now }),
  ];
  const ownerId = await createOwner(tx, id, now);
  await audit(tx, { tenantId: id, actor, at: now }, { action: 'tenant.created', target: id, detail: { name } });
  return {
    owner_id: ownerId,
    tenant_id: id,
    pk_live: live.plaintext,
    pk_test: test.plaintext,
    rk_secret: secret.plaintext,
    webhook_secret: webhookSecret,
  };
}

/** Inserts the tenant that owns all trials. A database has at most one. */
export async function insertTrialTenant(tx: Tx, at: Date): Promise<void> {
  await tx.query(
    `insert into tenants (id, name, is_trial, created_at) values ($1, 'Trials', true, $2)
     on conflict (is_trial) where is_trial do nothing`,
    [newId('tnt', at.getTime()), at],
  );
}
