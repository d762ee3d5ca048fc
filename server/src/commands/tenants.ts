import { table } from '@firsthand/cli/print.ts';
import type { KeyScope } from '@firsthand/contract/account/key-scopes.ts';
import { requireKeys } from '../desk/system/sealed.ts';
import { type Activity, audit } from '../identity/audit/audit.ts';
import { tenantExists } from '../identity/people/tenant-exists.ts';
import { listKeys, revokeKey } from '../identity/tenants/api-keys.ts';
import { createTenant, ownerLink } from '../identity/tenants/create.ts';
import { type KeyMode, mintKey, templateFault } from '../identity/tenants/keys.ts';
import { setLimit } from '../identity/tenants/settings.ts';
import { openDeps } from '../open.ts';
import { readConfig } from '../platform/config/config.ts';
import { loadEnvironment } from '../platform/config/environment.ts';
import { transaction } from '../platform/db/sql.ts';
import type { Deps } from '../platform/deps.ts';
import { createLog } from '../platform/lib/log.ts';
import { checkId, checkValue, UsageError } from './arguments.ts';

/** Runs `work` with open dependencies, whether or not a service is running. */
export async function withDeps<T>(work: (deps: Deps) => Promise<T>): Promise<T> {
  const opened = await openDeps(readConfig(loadEnvironment()), createLog('warn'), { database: 'join' });
  try {
    await opened.migrate();
    return await work(opened.deps);
  } finally {
    await opened.close();
  }
}

/** An action of the command line in an account. */
export const activity = (deps: Pick<Deps, 'clock'>, tenantId: string): Activity => ({
  tenantId,
  actor: { kind: 'command_line' },
  at: deps.clock.now(),
});

export const printJson = (value: object): void => console.log(JSON.stringify(value, null, 2));

const noTenant = (id: string) => new Error(`Tenant ${id} does not exist.`);
/** Throws unless there is such an account. */
export async function requireTenant(deps: Pick<Deps, 'db'>, id: string): Promise<void> {
  if (!(await tenantExists(deps.db, id))) throw noTenant(id);
}

/** `firsthand create-tenant NAME`: prints the same JSON as first-run.json. */
export async function createTenantCommand(name: string): Promise<void> {
  checkValue('<name>', 'name', name);
  return withDeps(async deps => {
    // A secret that a wrong key encrypts would be of no use to the service.
    await requireKeys(deps);
    const made = await transaction(deps.db, async tx => {
      const { owner_id: ownerId, ...tenant } = await createTenant(tx, deps, name, { kind: 'command_line' });
      return { ...tenant, dashboard_url: await ownerLink(tx, deps, ownerId) };
    });
    printJson(made);
  });
}

/** `firsthand mint-key --tenant ID --mode live|test|secret [--name N] [--scope create capture --template ID]`: prints the key once. */
export async function mintKeyCommand(o: {
  tenant: string;
  mode: KeyMode;
  name: string;
  scope?: readonly KeyScope[];
  template?: string;
}): Promise<void> {
  checkId('--tenant', 'tnt', o.tenant);
  checkValue('--name', 'name', o.name);
  const scopes = o.scope ? [...new Set(o.scope)] : null;
  if (scopes && o.mode === 'secret')
    throw new UsageError('--scope limits live and test keys. A secret key does everything.');
  if (scopes && !o.template)
    throw new UsageError('--scope needs --template: the link template that the key creates verifications from.');
  if (o.template && !scopes) throw new UsageError('--template goes with --scope.');
  if (o.template) checkId('--template', 'tpl', o.template);
  const app = scopes && o.template ? { scopes, templateId: o.template } : undefined;
  const shown = app ? { scopes: app.scopes, template_id: app.templateId } : {};
  return withDeps(async deps => {
    await requireTenant(deps, o.tenant);
    const key = await transaction(deps.db, async tx => {
      const { tenant: tenantId, name, mode } = o;
      const found = app && (await templateFault(tx, tenantId, app.templateId));
      if (found) throw new UsageError(`--template ${found.message}.`);
      const minted = await mintKey(tx, { tenantId, name, mode, now: deps.clock.now(), app });
      await audit(tx, activity(deps, o.tenant), {
        action: 'api_key.created',
        target: minted.id,
        detail: { name, mode, ...shown, prefix: minted.prefix },
      });
      return minted;
    });
    const member = o.mode === 'secret' ? 'rk_secret' : `pk_${o.mode}`;
    printJson({ tenant_id: o.tenant, id: key.id, ...shown, [member]: key.plaintext });
  });
}

/** `firsthand list-keys --tenant ID`: prints the active keys, never the keys themselves. */
export async function listKeysCommand(o: { tenant: string }): Promise<void> {
  checkId('--tenant', 'tnt', o.tenant);
  return withDeps(async deps => {
    await requireTenant(deps, o.tenant);
    const keys = await listKeys(deps.db, o.tenant, 1_000);
    console.log(
      table(
        ['Id', 'Begins with', 'Mode', 'Scopes', 'Link template', 'Name', 'Created', 'Last used'],
        keys.map(key => [
          key.id,
          key.prefix,
          key.livemode === null ? 'secret' : key.livemode ? 'live' : 'test',
          key.scopes?.join(', ') ?? 'all',
          key.template_id ?? '',
          key.name,
          key.created_at.toISOString(),
          key.last_used_at?.toISOString() ?? 'never',
        ]),
      ),
    );
  });
}

/** `firsthand revoke-key --tenant ID KEY_ID`: every node rejects the key at once. */
export async function revokeKeyCommand(id: string, o: { tenant: string }): Promise<void> {
  checkId('--tenant', 'tnt', o.tenant);
  checkId('<id>', 'key', id);
  return withDeps(async deps => {
    const done = await transaction(deps.db, tx => revokeKey(tx, activity(deps, o.tenant), id));
    if (!done) throw new Error(`Tenant ${o.tenant} has no active key ${id}.`);
    console.log(`Revoked key ${id}.`);
  });
}

/** `firsthand set-limit TENANT N|default`: requests per minute. Takes effect at once on every node. */
export async function setLimitCommand(tenant: string, limit: number | null): Promise<void> {
  checkId('<tenant>', 'tnt', tenant);
  return withDeps(async deps => {
    if (!(await transaction(deps.db, tx => setLimit(tx, activity(deps, tenant), limit)))) throw noTenant(tenant);
    const now = limit === null ? `${deps.config.rateLimitPerMinute} (the default)` : `${limit}`;
    console.log(`Tenant ${tenant} may now make ${now} requests per minute.`);
  });
}

export const migrateCommand = (): Promise<void> => withDeps(async () => console.log('The database is up to date.'));
