import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { bold, dim } from '@firsthand/cli/print.ts';
import { ownerLink } from '../identity/tenants/create.ts';
import type { FirstRun } from '../identity/tenants/first-run.ts';
import { one, type Queryable, transaction } from '../platform/db/sql.ts';
import type { Deps } from '../platform/deps.ts';
import { PROGRAM } from '../platform/lib/program.ts';
import { issue } from '../verification/verifications/issue.ts';

/**
 * Prints where the service is and how to begin. With `secrets` also its keys at the first start, a capture link and the way into the
 * dashboard; otherwise where these are, because each of them is a credential.
 */
export async function greet(deps: Deps, firstRun: FirstRun | null, secrets: boolean): Promise<void> {
  console.log(['', `${bold('Firsthand')} is ready at ${bold(deps.origins.public)}`, ''].join('\n'));
  if (secrets) await greetWithSecrets(deps, firstRun);
  else await greetForLog(deps);
}

async function greetWithSecrets(deps: Deps, firstRun: FirstRun | null): Promise<void> {
  const lines: string[] = [];
  const file = firstRunFile(deps);
  if (firstRun) {
    lines.push(
      `  Live key        ${firstRun.pk_live}`,
      `  Test key        ${firstRun.pk_test}`,
      `  Secret key      ${firstRun.rk_secret}`,
      `  Webhook secret  ${firstRun.webhook_secret}`,
      dim(`  saved in ${file}`),
      '',
    );
  } else if (existsSync(file)) {
    lines.push(dim(`  Your keys are in ${file}`), '');
  }
  const link = await freshLink(deps);
  lines.push(`  Capture link    ${bold(link)}`);
  const signIn = firstRun?.dashboard_url ?? (await unusedOwnerLink(deps));
  lines.push(`  Dashboard       ${signIn ?? `${deps.origins.public}/dashboard`}`);
  if (signIn) lines.push(dim('                  signs you in once, within 24 hours; then add a passkey'));
  lines.push(`  Guides and API  ${deps.origins.public}/docs`, '');
  lines.push(`  Open the capture link, or run the whole flow from another terminal:  ${demoCommand(deps)}`, '');
  console.log(lines.join('\n'));
  if (!/^https?:\/\/(localhost|127\.|\[::1\])/.test(link)) {
    const { default: qrcode } = await import('qrcode');
    console.log(await qrcode.toString(link, { type: 'terminal', small: true }));
  }
}

/** The same for a log: no key, no secret, no link that opens anything. */
async function greetForLog(deps: Deps): Promise<void> {
  const lines: string[] = [];
  const file = firstRunFile(deps);
  const found = await stat(file).catch(() => null);
  if (found) {
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    lines.push(`  Keys, webhook secret and first sign-in link are in ${file} (mode ${mode}), not in this output.`, '');
  }
  const owner = await unusedOwner(deps.db);
  if (owner) {
    const command = `${PROGRAM} sign-in-link --tenant ${owner.tenant_id}`;
    lines.push(`  Nobody has signed in yet. For a new link, with the settings of this service:  ${command}`, '');
  }
  lines.push(`  Dashboard       ${deps.origins.public}/dashboard`, `  Guides and API  ${deps.origins.public}/docs`, '');
  console.log(lines.join('\n'));
}

const firstRunFile = ({ config }: Deps): string => join(config.dataDir, 'first-run.json');

/** The command for another terminal, which does not have the settings of this one. */
function demoCommand({ config, origins }: Deps): string {
  const folder = relative(process.cwd(), config.dataDir);
  const isBelow = folder !== '' && !folder.startsWith('..');
  const settings = folder === 'data' ? '' : `DATA_DIR=${isBelow ? folder : config.dataDir} `;
  const url = origins.public === 'http://localhost:8080' ? '' : ` --url ${origins.public}`;
  return `${settings}${PROGRAM} demo${url}`;
}

/** The first tenant's owner, as long as nobody has signed in there. */
const unusedOwner = (db: Queryable): Promise<{ person_id: string; tenant_id: string } | undefined> =>
  one(
    db,
    `select m.person_id, m.tenant_id from memberships m
     where m.tenant_id = (select id from tenants where not is_trial order by id limit 1) and m.role = 'owner'
       and not exists (select 1 from memberships o join persons q on q.id = o.person_id
                       where o.tenant_id = m.tenant_id and q.last_sign_in_at is not null)
     order by m.created_at limit 1`,
  );

/** Returns a new sign-in link for the first tenant's owner. Null after the first sign-in there. */
const unusedOwnerLink = (deps: Pick<Deps, 'db' | 'origins' | 'clock'>): Promise<string | null> =>
  transaction(deps.db, async tx => {
    const owner = await unusedOwner(tx);
    return owner ? ownerLink(tx, deps, owner.person_id) : null;
  });

/** Creates a test verification of the first tenant for trying the capture page. */
async function freshLink(deps: Pick<Deps, 'db' | 'origins' | 'clock'>): Promise<string> {
  const { rows } = await deps.db.query<{ id: string }>('select id from tenants where not is_trial order by id limit 1');
  const tenantId = rows[0]!.id;
  const row = await transaction(deps.db, tx =>
    issue(tx, deps, { tenantId, livemode: false, request: { expires_in_seconds: 86_400 } }),
  );
  return `${deps.origins.capture}/v/${row.id}`;
}
