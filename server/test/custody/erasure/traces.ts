import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queryable } from '../../../src/platform/db/sql.ts';
import type { Keyring } from '../../../src/platform/lib/keyring.ts';

/** Where a mark was found. */
export interface Trace {
  mark: string;
  where: string;
}

/** Looks for marks in every row of every table of the database, the queue's own tables included, sealed columns opened. */
export async function tracesInDatabase(
  db: Queryable,
  keyring: Pick<Keyring, 'decrypt'>,
  marks: readonly string[],
): Promise<Trace[]> {
  const { rows: tables } = await db.query<{ schema: string; name: string }>(
    `select schemaname as schema, tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const traces: Trace[] = [];
  for (const { schema, name } of tables) {
    const { rows } = await db.query<{ text: string }>(`select t::text as text from "${schema}"."${name}" t`);
    for (const { text } of rows) {
      // Bytes show as hexadecimal digits, sealed text as a token.
      const sealed = [...text.matchAll(/v1\.[0-9a-f]{8}\.[\w-]+\.[\w-]+/g)].map(([token]) => opened(keyring, token));
      const bytes = [...text.matchAll(/\\x([0-9a-f]{2,})/g)].map(([, digits]) =>
        Buffer.from(digits!, 'hex').toString('latin1'),
      );
      const base64 = sealed.flatMap(plain =>
        [...plain.matchAll(/"content":"([A-Za-z0-9+/=]+)"/g)].map(([, content]) =>
          Buffer.from(content!, 'base64').toString('utf8'),
        ),
      );
      traces.push(...found([text, ...sealed, ...bytes, ...base64].join('\n'), marks, `${schema}.${name}`));
    }
  }
  return traces;
}

function opened(keyring: Pick<Keyring, 'decrypt'>, token: string): string {
  try {
    return keyring.decrypt(token);
  } catch {
    return '';
  }
}

/** Looks for marks in every file below a folder, names included. What goes while it looks is gone. */
export async function tracesInFolder(folder: string, marks: readonly string[]): Promise<Trace[]> {
  const traces: Trace[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) traces.push(...(await tracesInFolder(path, marks)));
    else {
      const bytes = await readFile(path).catch(() => Buffer.alloc(0));
      traces.push(...found(`${path}\n${bytes.toString('latin1')}\n${bytes.toString('utf8')}`, marks, path));
    }
  }
  return traces;
}

export const found = (text: string, marks: readonly string[], where: string): Trace[] =>
  marks.filter(mark => text.includes(mark)).map(mark => ({ mark, where }));
