import { many, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { withDeps } from './tenants.ts';

/** Every column that holds text sealed by the keyring. */
export const SEALED = [
  { table: 'evidence_bundles', key: 'verification_id', column: 'sealed' },
  { table: 'evidence_keys', key: 'kid', column: 'sealed' },
  { table: 'evidence_statements', key: 'id', column: 'sealed' },
  { table: 'settings', key: 'name', column: 'sealed' },
  { table: 'webhook_secrets', key: 'id', column: 'sealed' },
] as const;

/** Rows in one transaction: their locks are held for milliseconds. */
const BATCH = 100;

export interface RekeyReport {
  rewritten: number;
  /** Rows that no key opens: they stay as they are. */
  unreadable: string[];
}

/**
 * Encrypts whatever is sealed under another key anew under the first one. Safe beside a running service and safe to run again: a row
 * that is rewritten meanwhile is either found again or needs nothing.
 */
export async function rekey(deps: Pick<Deps, 'db' | 'keyring'>): Promise<RekeyReport> {
  const report: RekeyReport = { rewritten: 0, unreadable: [] };
  for (const place of SEALED) {
    const unreadable: string[] = [];
    while (await rekeyBatch(deps, place, unreadable, report));
    report.unreadable.push(...unreadable.map(key => `${place.table} ${key}`));
  }
  return report;
}

/** False when nothing was left to look at. */
async function rekeyBatch(
  { db, keyring }: Pick<Deps, 'db' | 'keyring'>,
  { table, key, column }: (typeof SEALED)[number],
  unreadable: string[],
  report: RekeyReport,
): Promise<boolean> {
  return transaction(db, async tx => {
    const rows = await many<{ key: string; sealed: string }>(
      tx,
      `select ${key}::text as key, ${column} as sealed from ${table}
       where not starts_with(${column}, $1) and ${key}::text <> all ($2) order by ${key} limit $3 for update`,
      [keyring.prefix, unreadable, BATCH],
    );
    for (const row of rows) {
      const sealed = reseal(keyring, row.sealed);
      if (sealed === null) {
        unreadable.push(row.key);
        continue;
      }
      await tx.query(`update ${table} set ${column} = $2 where ${key} = $1`, [row.key, sealed]);
      report.rewritten += 1;
    }
    return rows.length > 0;
  });
}

function reseal(keyring: Deps['keyring'], sealed: string): string | null {
  try {
    return keyring.encrypt(keyring.decrypt(sealed));
  } catch {
    return null;
  }
}

/** `firsthand rekey`: prints how many rows were rewritten and which could not be, as JSON. Exit code 1 when any could not. */
export const rekeyCommand = (): Promise<void> =>
  withDeps(async deps => {
    const report = await rekey(deps);
    console.log(JSON.stringify(report, null, 2));
    if (report.unreadable.length > 0) process.exitCode = 1;
  });
