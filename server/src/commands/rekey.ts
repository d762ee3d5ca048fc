import { SEALED } from '../desk/system/sealed.ts';
import { many, transaction } from '../platform/db/sql.ts';
import type { Deps } from '../platform/deps.ts';
import { printJson, withDeps } from './tenants.ts';

/** Rows in one transaction. Small, so that locks are held only for milliseconds. */
const BATCH = 100;

export interface RekeyReport {
  rewritten: number;
  /** Rows that no key can decrypt. They stay unchanged. */
  unreadable: string[];
}

/**
 * Re-encrypts with the first key everything that another key encrypted. Safe beside a running service and safe to repeat: a row that
 * changes meanwhile is either found again or already uses the first key.
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

/** Returns false when no rows are left. */
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
      [keyring.prefixes[0], unreadable, BATCH],
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

/** `firsthand rekey`: prints a JSON report of re-encrypted and unreadable rows. Exits with 1 when any row is unreadable. */
export const rekeyCommand = (): Promise<void> =>
  withDeps(async deps => {
    const report = await rekey(deps);
    printJson(report);
    if (report.unreadable.length > 0) process.exitCode = 1;
  });
