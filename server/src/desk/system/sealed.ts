import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';

/** All columns with text that the keyring encrypted. The first two hold the keys of the service itself, only the current ones. */
export const SEALED = [
  { table: 'evidence_keys', key: 'kid', column: 'sealed' },
  { table: 'credential_keys', key: 'id', column: 'sealed' },
  { table: 'witness_keys', key: 'name', column: 'sealed' },
  { table: 'webhook_secrets', key: 'id', column: 'sealed' },
  { table: 'chat_webhooks', key: 'tenant_id', column: 'sealed' },
  { table: 'evidence_statements', key: 'id', column: 'sealed' },
  { table: 'evidence_bundles', key: 'verification_id', column: 'sealed' },
] as const;

type Table = (typeof SEALED)[number]['table'];

/** A start looks only at the newest: a table of statements has millions of rows. */
const LOOKED_AT = 1_000;

/** Nothing decrypts what the service needs. */
export class WrongKeys extends Error {
  override name = 'WrongKeys';
}

/** How many rows of each table no key of the keyring opens. Tables without such rows are left out. */
export async function unopened(
  db: Queryable,
  { prefixes }: Deps['keyring'],
  limit: number | null = null,
): Promise<Map<Table, number>> {
  const counts = new Map<Table, number>();
  for (const { table, key, column } of SEALED) {
    const row = await one<{ count: number }>(
      db,
      `select count(*)::int as count from (select ${column} from ${table} order by ${key} desc limit $2) newest
       where not ${column} ^@ any($1::text[])`,
      [prefixes, limit],
    );
    if (row!.count > 0) counts.set(table, row!.count);
  }
  return counts;
}

/** `evidence_keys 2, webhook_secrets 1`. */
export const countsIn = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([table, count]) => `${table} ${count}`).join(', ');

/**
 * Throws {@link WrongKeys} if no key opens the service's own keys. Without ENCRYPTION_KEYS anything unopened is enough: the key in the
 * data folder was rotated away. Else logs what cannot be opened, and one account's lost secret does not stop the others.
 */
export async function requireKeys({ config, db, keyring, log }: Pick<Deps, 'config' | 'db' | 'keyring' | 'log'>) {
  const counts = await unopened(db, keyring, LOOKED_AT);
  if (counts.size === 0) return;
  const what = `what is stored (${countsIn(counts)})`;
  if (config.encryptionKeys === null) {
    throw new WrongKeys(
      `ENCRYPTION_KEYS is not set, and ${config.dataDir}/encryption.key does not open ${what}. Set ENCRYPTION_KEYS as it was.`,
    );
  }
  if (counts.has('evidence_keys') || counts.has('credential_keys')) {
    throw new WrongKeys(
      `ENCRYPTION_KEYS cannot open ${what}. Add the key that encrypted it at the end of ENCRYPTION_KEYS. ` +
        'If that key is lost, see "Rotate the encryption keys" in docs/operate.md.',
    );
  }
  log.error({ unopened: Object.fromEntries(counts) }, 'no key of ENCRYPTION_KEYS opens some of what is stored');
}
