import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { listForms } from './forms.ts';
import { readStatements, type Statement } from './statements.ts';

/** PostgreSQL's types by OID, and what the driver reads them as. */
const READ_AS: Readonly<Record<number, string>> = {
  16: 'boolean',
  17: 'Buffer',
  20: 'string',
  21: 'number',
  23: 'number',
  25: 'string',
  700: 'number',
  701: 'number',
  1043: 'string',
  1114: 'Date',
  1184: 'Date',
  1700: 'string',
  1000: 'boolean[]',
  1001: 'Buffer[]',
  1005: 'number[]',
  1007: 'number[]',
  1009: 'string[]',
  1015: 'string[]',
  1016: 'string[]',
  1021: 'number[]',
  1022: 'number[]',
};
const JSON_OIDS = new Set([114, 3802]);

/** Columns that may be null in the table and never are in these answers. */
const NEVER_NULL: Readonly<Record<string, string>> = {
  'inspection/analysis/reverse/find-placed.ts corners': 'found by its words, which are written with its corners',
  'custody/bundles/stamp-log.ts response': 'asked for in the where clause',
  'inspection/cases/evidence.ts capture_id': 'the statement asks only for pictures of captures',
  'custody/erasure/retention.ts retention_days': 'the statement asks for accounts that have one',
  'record/evidence/log.ts sealed': 'a key in force has it; only a retired one is without',
  'delivery/notifications/outcome.ts public_type': 'written with every event',
  'desk/batches/run-batch.ts content': 'the statement asks for rows with content only',
  'delivery/webhooks/announce.ts public_type': 'written with every event',
  'delivery/webhooks/claim.ts body': 'an erasure ends the deliveries of the events that it empties',
  'delivery/webhooks/stream.ts body': 'the statement asks only for events with a body',
  'delivery/webhooks/stream.ts type': 'written with every event',
  'verification/captures/announce-film.ts announced_at': 'the statement before wrote it',
  'verification/captures/announce-film.ts image_sha256': 'written with it',
  'verification/captures/announce-film.ts trace_sha256': 'written with it',
};

/** Files with statements whose text depends on the request, and what varies. Their own tests run every form. */
const COMPUTED: Readonly<Record<string, string>> = {
  'platform/jobs/turns.ts': 'the table and the columns of a kind of work',
  'commands/rekey.ts': 'the names of the columns that hold secrets',
  'desk/system/sealed.ts': 'the same names',
  'platform/db/listen.ts': 'the names of the channels',
  'platform/db/migrate.ts': 'the migrations themselves',
  'platform/db/takeover.ts': 'the functions of the baseline',
  'platform/db/sql.ts': 'what opens a transaction',
  'identity/tenants/brands.ts': 'the columns that a request sets',
  'identity/tenants/settings.ts': 'the columns that a request sets',
  'verification/verifications/write.ts': 'the columns that a change sets',
  'delivery/webhooks/deliveries.ts': 'the filters of a list',
  'worker.ts': 'what each watched duty asks',
};

/** Files whose computed statements are checked in every form, and the type of their rows. */
const LIST = 'verification/verifications/sources.ts';
const IN_EVERY_FORM = [LIST, 'verification/verifications/search.ts'];

interface Column {
  name: string;
  dataTypeID: number;
  tableID: number;
  columnID: number;
}

/** Statements that begin or end something, or that the database cannot prepare. */
const UTILITY =
  /^\s*(begin|commit|rollback|set|listen|unlisten|notify|create|drop|alter|vacuum|analyze|lock|explain)\b/i;

let database: TestDatabase;
let client: pg.Client;
let statements: Statement[];
let nullable: Set<string>;

/** Parses and describes a statement without running it: the driver's interface for queries of one's own. */
class Description {
  readonly #text: string;
  readonly #done: (fault: Error | null, columns: Column[]) => void;
  #columns: Column[] = [];
  #fault: Error | null = null;

  constructor(text: string, done: (fault: Error | null, columns: Column[]) => void) {
    this.#text = text;
    this.#done = done;
  }
  submit(connection: pg.Connection): void {
    const { parse, describe: ask, sync } = connection as unknown as Record<string, (message?: object) => void>;
    parse!.call(connection, { name: '', text: this.#text, types: [] });
    ask!.call(connection, { type: 'S', name: '' });
    sync!.call(connection);
  }
  handleRowDescription({ fields }: { fields: Column[] }): void {
    this.#columns = fields;
  }
  handleError(error: Error): void {
    this.#fault = error;
  }
  handleReadyForQuery(): void {
    this.#done(this.#fault, this.#columns);
  }
}

/** The columns a statement answers with; rejects with what PostgreSQL says of a statement it refuses. */
const describeStatement = (text: string): Promise<Column[]> =>
  new Promise((resolve, reject) => {
    client.query(new Description(text, (fault, columns) => (fault ? reject(fault) : resolve(columns))));
  });

/** How a row type differs from what the statement answers with. */
function differences(row: Map<string, string>, columns: readonly Column[]): string[] {
  return [...row].flatMap(([name, kinds]) => {
    const column = columns.find(candidate => candidate.name === name);
    const claimed = new Set(kinds.split('|'));
    if (!column) return claimed.has('undefined') ? [] : [`${name}: no such column`];
    if (claimed.has('any')) return [];
    const faults: string[] = [];
    if (nullable.has(`${column.tableID}.${column.columnID}`) && !claimed.has('null'))
      faults.push(`${name}: may be null`);
    const read = READ_AS[column.dataTypeID];
    if (JSON_OIDS.has(column.dataTypeID)) return faults;
    if (read === undefined) return [...faults, `${name}: type ${column.dataTypeID} is not known here`];
    if (!claimed.has(read)) faults.push(`${name}: is ${read}, not ${kinds}`);
    return faults;
  });
}

beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ column: string }>(
    `select attrelid || '.' || attnum as column from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and attnum > 0 and not attnotnull`,
  );
  nullable = new Set(rows.map(({ column }) => column));
  statements = readStatements();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

describe('SQL in server/src', () => {
  it('fits the schema, and each row type fits its statement', async () => {
    const faults: string[] = [];
    let checked = 0;
    for (const { at, text, row } of statements) {
      if (text === null || UTILITY.test(text)) continue;
      checked += 1;
      try {
        const columns = await describeStatement(text);
        const file = at.replace(/:\d+$/, '');
        const found = row ? differences(row, columns) : [];
        faults.push(
          ...found
            .filter(fault => !(`${file} ${fault.replace(/: may be null$/, '')}` in NEVER_NULL))
            .map(fault => `${at} ${fault}`),
        );
      } catch (error) {
        faults.push(`${at} ${(error as Error).message}`);
      }
    }
    expect(faults).toEqual([]);
    expect(checked).toBeGreaterThan(80);
  });

  it('of the list of verifications fits the schema in every form', async () => {
    const rowOf = (member: string) => statements.find(({ at, row }) => at.startsWith(LIST) && row?.has(member))!.row!;
    const rows = { page: rowOf('place'), count: rowOf('n') };
    const forms = [...(await listForms())];
    const faults: string[] = [];
    for (const text of forms) {
      try {
        const columns = await describeStatement(text);
        const row = / as place/.test(text) ? rows.page : /^select count/.test(text) ? rows.count : null;
        if (row) faults.push(...differences(row, columns));
      } catch (error) {
        faults.push(`${(error as Error).message} in ${text}`);
      }
    }
    expect([...new Set(faults)]).toEqual([]);
    expect(forms.length).toBeGreaterThan(200);
  });

  it('is built at run time only in listed places', () => {
    const computed = statements.filter(({ text }) => text === null).map(({ at }) => at.replace(/:\d+$/, ''));
    expect([...new Set(computed)].sort()).toEqual([...Object.keys(COMPUTED), ...IN_EVERY_FORM].sort());
  });
});
