// `npm run seed`: creates three tenants and forty verifications of every outcome over the API of the running service.
// Starts the service for that time if none runs. Writes the tenants' keys to DATA_DIR/seed.json.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bold, dim, table } from '@firsthand/cli/print.ts';
import { Firsthand } from '@firsthand/sdk';
import sharp from 'sharp';
import { showsSecrets } from '../server/src/commands/shows-secrets.ts';
import { withDeps } from '../server/src/commands/tenants.ts';
import { createTenant, type NewTenant } from '../server/src/identity/tenants/create.ts';
import { openDeps } from '../server/src/open.ts';
import { type Config, readConfig } from '../server/src/platform/config/config.ts';
import { loadEnvironment } from '../server/src/platform/config/environment.ts';
import { transaction } from '../server/src/platform/db/sql.ts';
import { createLog } from '../server/src/platform/lib/log.ts';
import { startService } from '../server/src/service.ts';
import { play } from './seed/play.ts';
import { type Scenario, type SeedTenant, TENANTS } from './seed/scenarios.ts';

/** This process draws the pictures and the service analyses them. Three at a time keep both busy. */
const AT_ONCE = 3;

type Seeded = NewTenant & { name: string };

const { values } = parseArgs({ options: { url: { type: 'string' }, again: { type: 'boolean', default: false } } });
const config = readConfig(loadEnvironment());
const file = join(config.dataDir, 'seed.json');
const before = await readFile(file, 'utf8').then(
  text => JSON.parse(text) as { tenants: Seeded[] },
  () => null,
);
if (before && !values.again) {
  if (showsSecrets(config.publicUrl)) show(before.tenants);
  console.log(`\nSeeded before; keys are kept in ${file}. npm run seed -- --again adds three more tenants.`);
} else {
  const service = await running(values.url ?? config.publicUrl ?? `http://localhost:${config.port}`);
  try {
    await seed(service.url);
  } finally {
    await service.stop();
  }
}

/** Returns the service at `url`. If nothing answers there, starts one on the same data folder. */
async function running(url: string): Promise<{ url: string; stop(): Promise<void> }> {
  const ready = await fetch(`${url}/readyz`).then(
    answer => answer.ok,
    () => false,
  );
  if (ready) return { url, stop: async () => {} };
  if (values.url) throw new Error(`No service is ready at ${url}.`);
  const own: Config = { ...config, port: 0, publicUrl: null, captureBaseUrl: null };
  const opened = await openDeps(own, createLog('error'), { database: 'own' });
  const service = await startService(opened, { http: true, worker: true });
  return { url: opened.deps.origins.public, stop: () => service.stop() };
}

async function seed(url: string): Promise<void> {
  const began = performance.now();
  const tenants: Seeded[] = [];
  for (const tenant of TENANTS) tenants.push(await makeTenant(url, tenant));
  await writeFile(`${file}.new`, `${JSON.stringify({ tenants }, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);

  const queue = TENANTS.flatMap((tenant, index) =>
    tenant.scenarios.map(scenario => ({ tenant: tenants[index]!, brand: tenant.slug, scenario })),
  ).map((item, seed) => ({ ...item, seed: seed + 1 }));
  const rows: string[][] = [];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const done = await play(url, next.tenant, next.brand, next.scenario, next.seed);
      rows[next.seed - 1] = [next.tenant.name, next.scenario.title, outcomeOf(next.scenario), done.id];
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (showsSecrets(config.publicUrl)) {
    // The id of a verification is its link.
    console.log(`${table(['Tenant', 'Scenario', 'Outcome', 'Verification'], rows)}\n`);
    show(tenants);
  }
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(dim(`\n${rows.length} verifications in ${seconds} s; keys are kept in ${file}`));
}

async function makeTenant(url: string, { name, slug, colors }: SeedTenant): Promise<Seeded> {
  const tenant = await withDeps(deps =>
    transaction(deps.db, tx => createTenant(tx, deps, name, { kind: 'command_line' })),
  );
  const client = new Firsthand(tenant.rk_secret, { baseUrl: url });
  const letter = `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="256" height="256" rx="56" fill="${colors.accent}"/><circle cx="128" cy="128" r="64" fill="none" stroke="#fff" stroke-width="24"/></svg>`;
  const logo = await sharp(Buffer.from(letter)).png().toBuffer();
  await client.brands.put(slug, { name, colors, logo_base64: logo.toString('base64') });
  await client.settings.update({ name, retention_days: 90 });
  await client.linkTemplates.create({ name: 'Front of the car', request: { brand_slug: slug, max_captures: 1 } });
  return { name, ...tenant };
}

function outcomeOf({ ends }: Scenario): string {
  return [ends.status, ends.label, ends.reason].filter(part => part !== undefined).join(' · ');
}

function show(tenants: readonly Seeded[]): void {
  for (const tenant of tenants) {
    console.log(`${bold(tenant.name)}  ${tenant.tenant_id}`);
    for (const name of ['pk_live', 'pk_test', 'rk_secret'] as const)
      console.log(`  ${name.padEnd(10)} ${tenant[name]}`);
  }
}
