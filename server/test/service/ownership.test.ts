import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase } from '../support/database.ts';
import { functionsOf } from '../support/schema.ts';

const SOURCES = join(import.meta.dirname, '..', '..', 'src');

/** The one room of `server/src` that writes each table. A room may read any table. */
const OWNER: Readonly<Record<string, string>> = {
  api_keys: 'tenants',
  app_attest_keys: 'captures',
  audit_log: 'audit',
  batch_rows: 'batches',
  batches: 'batches',
  bot_signatures: 'auth',
  brands: 'tenants',
  bulk_act_items: 'bulk',
  bulk_acts: 'bulk',
  captures: 'captures',
  challenges: 'captures',
  chat_webhooks: 'notifications',
  credential_keys: 'credentials',
  erasure_segments: 'erasure',
  erasures: 'erasure',
  event_outbox: 'events',
  events: 'events',
  evidence_bundles: 'bundles',
  evidence_keys: 'evidence',
  evidence_logs: 'evidence',
  evidence_pending: 'evidence',
  evidence_stamps: 'bundles',
  evidence_statements: 'evidence',
  evidence_tiles: 'evidence',
  evidence_witnesses: 'evidence',
  example_pictures: 'tenants',
  film_keys: 'captures',
  film_prints: 'captures',
  geocodes: 'checks',
  idempotency_keys: 'http',
  link_messages: 'notifications',
  link_template_versions: 'templates',
  link_templates: 'templates',
  memberships: 'people',
  migrations: 'db',
  one_time_codes: 'people',
  passkey_challenges: 'people',
  passkey_persons: 'people',
  passkeys: 'people',
  person_identities: 'people',
  persons: 'people',
  provider_flows: 'people',
  rate_windows: 'limits',
  reverse_entries: 'analysis',
  reverse_lists: 'analysis',
  reverse_pictures: 'analysis',
  reverse_scopes: 'analysis',
  reverse_slots: 'analysis',
  review_comments: 'reviews',
  reviews: 'reviews',
  session_persons: 'people',
  sessions: 'people',
  sign_in_mails: 'people',
  sign_in_tokens: 'people',
  slow_jobs: 'jobs',
  statistics: 'statistics',
  statistics_position: 'statistics',
  tenants: 'tenants',
  turn_clocks: 'jobs',
  turn_lanes: 'jobs',
  upload_addresses: 'captures',
  verification_changes: 'changes',
  verification_metadata: 'verifications',
  verification_search: 'verifications',
  verifications: 'verifications',
  webhook_claims: 'webhooks',
  webhook_deliveries: 'webhooks',
  webhook_endpoints: 'webhooks',
  webhook_queue: 'webhooks',
  webhook_secrets: 'tenants',
  witness_keys: 'evidence',
  witnessed_logs: 'evidence',
  worker_nodes: 'jobs',
};

const WRITE = /\b(?:insert\s+into|delete\s+from|update)\s+(?:only\s+)?([a-z_]+)\b(?=[\s(]|$)/g;
/** Words that follow `update` where no table does: `for update of`, `do update set`. */
const KEYWORDS = new Set(['of', 'set', 'skip', 'nowait']);

const READ = /\b(?:from|join)\s+(?:only\s+)?([a-z_]+)\b/g;

interface Write {
  table: string;
  folder: string;
  file: string;
}

/** The room of a file: `db` of `platform/db/sql.ts`. */
const roomOf = (path: string): string => path.split('/')[1] ?? path;

/** The strings of a file, where SQL stands. Comments speak English. */
function literalsOf(file: string): string[] {
  const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return code.match(/`[^`]*`|'[^'\n]*'/g) ?? [];
}

function writesOf(file: string): Write[] {
  const path = relative(SOURCES, file);
  return literalsOf(file).flatMap(sql => tablesIn(sql).map(table => ({ table, folder: roomOf(path), file: path })));
}

/** The tables that a piece of SQL writes. */
const tablesIn = (sql: string): string[] =>
  [...sql.matchAll(WRITE)].flatMap(([, table]) => (KEYWORDS.has(table!) ? [] : [table!]));

const files = globSync('**/*.ts', { cwd: SOURCES })
  .filter(file => !file.endsWith('.test.ts'))
  .map(file => join(SOURCES, file));
const writes = files.flatMap(writesOf);

/**
 * The room whose tables each trigger function of the database writes. Triggers write what must follow every change of a row, also by a node of
 * another version.
 */
const TRIGGER_FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  forget_film_keys: ['captures'],
  index_verification: ['verifications'],
  note_change: ['changes'],
  note_furthest: [],
};

let functions: Awaited<ReturnType<typeof functionsOf>>;
let tables: string[];
beforeAll(async () => {
  const database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url });
  try {
    await client.connect();
    functions = await functionsOf(client);
    const { rows } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
    );
    tables = rows.map(({ name }) => name);
  } finally {
    await client.end();
    await database.drop();
  }
});

describe('trigger function', () => {
  it('of the schema has an owner, and no other function of the database writes but the limiter', () => {
    const triggers = functions.filter(({ trigger }) => trigger).map(({ name }) => name);
    expect(triggers).toEqual(Object.keys(TRIGGER_FUNCTIONS));
    const writing = functions.filter(({ sql, trigger }) => !trigger && tablesIn(sql).length > 0);
    expect(writing.map(({ name }) => name)).toEqual(['take_permits']);
  });

  it.each(Object.entries(TRIGGER_FUNCTIONS))('%s writes only tables of %j', (name, rooms) => {
    const owners = tablesIn(functions.find(found => found.name === name)!.sql).map(table => OWNER[table]);
    expect([...new Set(owners)].toSorted()).toEqual(rooms);
  });
});

describe('table', () => {
  it.each(Object.entries(OWNER))('%s is written only by %s', (table, owner) => {
    const others = writes.filter(write => write.table === table && write.folder !== owner);
    expect(others.map(({ file }) => file)).toEqual([]);
  });

  it('of another room is not even read by platform/http', () => {
    const foreign = files.flatMap(file => {
      const path = relative(SOURCES, file);
      if (!path.startsWith('platform/http/')) return [];
      const tables = literalsOf(file).flatMap(sql => [...sql.matchAll(READ)].map(([, table]) => table!));
      return tables.filter(table => (OWNER[table] ?? 'http') !== 'http').map(table => `${path} reads ${table}`);
    });
    expect(foreign).toEqual([]);
  });

  it('of the schema has an owner', () => {
    expect(tables).toEqual(Object.keys(OWNER));
  });

  it('with an owner is written somewhere, so the search finds writes', () => {
    const unwritten = Object.keys(OWNER).filter(table => !writes.some(write => write.table === table));
    // Triggers write what a search reads.
    expect(unwritten.filter(table => !table.startsWith('evidence_'))).toEqual([
      'verification_metadata',
      'verification_search',
    ]);
  });
});
