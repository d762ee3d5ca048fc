import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/platform/config/config.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { runHere } from '../support/run-here.ts';
import { startTlsPostgres, type TlsPostgres } from '../support/tls-postgres.ts';

const KEYS = { ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64') };
let secured: TlsPostgres;
let bare: TlsPostgres;
beforeAll(async () => {
  secured = await startTlsPostgres(true);
  bare = await startTlsPostgres(false);
});
afterAll(async () => {
  await secured?.stop();
  await bare?.stop();
});

/** `tls` or `plain`: how a pool of this DATABASE_URL connects; else the reason why it does not. */
async function way(server: TlsPostgres, user: string, host: string, query: string, env: Record<string, string> = {}) {
  const file = (text: string) => text.replaceAll('FOLDER', () => server.folder);
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, file(value)]));
  const DATABASE_URL = `postgresql://${user}@${host}:${server.port}/firsthand${file(query)}`;
  const { databaseUrl } = readConfig({ ...KEYS, DATABASE_URL, ...variables });
  const pool = createPool(databaseUrl!, 4, () => {});
  const ask = async () =>
    (await pool.query<{ ssl: boolean }>('select ssl from pg_stat_ssl where pid = pg_backend_pid()')).rows[0]!.ssl;
  try {
    // Several at once: each finds its way.
    const found = new Set(await Promise.all([ask(), ask(), ask()]));
    return [...found].map(ssl => (ssl ? 'tls' : 'plain')).join();
  } catch (error) {
    return (error as Error).message;
  } finally {
    await pool.end();
  }
}

const CA = 'sslrootcert=FOLDER/ca.crt';
const OTHER = 'sslrootcert=FOLDER/other.crt';
const CERTIFICATE = 'sslcert=FOLDER/certified.crt&sslkey=FOLDER/certified.key';
const UNTRUSTED = /set sslrootcert in DATABASE_URL/;
const NAME = /use a name of the certificate, or sslmode=verify-ca/;

describe('a PostgreSQL with TLS and a certificate of a private authority', () => {
  it.each([
    ['', 'tls'],
    ['?sslmode=disable', 'plain'],
    ['?sslmode=allow', 'plain'],
    ['?sslmode=prefer', 'tls'],
    ['?sslmode=require', 'tls'],
    ['?sslmode=no-verify', 'tls'],
    ['?ssl=true', 'tls'],
    ['?sslnegotiation=direct', 'tls'],
    [`?sslmode=require&${CA}`, 'tls'],
    [`?sslmode=require&${OTHER}`, UNTRUSTED],
    [`?sslmode=verify-ca&${CA}`, 'tls'],
    [`?sslmode=verify-ca&${OTHER}`, UNTRUSTED],
    ['?sslmode=verify-full', UNTRUSTED],
    [`?sslmode=verify-full&${CA}`, NAME],
    ['?sslrootcert=system', UNTRUSTED],
  ])('is reached by its address with "%s": %s', async (query, expected) => {
    const found = await way(secured, 'firsthand', '127.0.0.1', query);
    expect(found).toMatch(typeof expected === 'string' ? new RegExp(`^${expected}$`) : expected);
  });

  it('is reached with verify-full by the name in its certificate, and by the variables of libpq', async () => {
    expect(await way(secured, 'firsthand', 'localhost', `?sslmode=verify-full&${CA}`)).toBe('tls');
    const variables = { PGSSLMODE: 'verify-full', PGSSLROOTCERT: 'FOLDER/ca.crt' };
    expect(await way(secured, 'firsthand', 'localhost', '', variables)).toBe('tls');
    expect(await way(secured, 'firsthand', '127.0.0.1', '', variables)).toMatch(NAME);
    expect(await way(secured, 'firsthand', '127.0.0.1', '?sslmode=disable', variables)).toBe('plain');
  });

  it('takes a client certificate where it asks for one', async () => {
    expect(await way(secured, 'certified', '127.0.0.1', `?sslmode=require&${CERTIFICATE}`)).toBe('tls');
    const variables = { PGSSLCERT: 'FOLDER/certified.crt', PGSSLKEY: 'FOLDER/certified.key' };
    expect(await way(secured, 'certified', '127.0.0.1', '', variables)).toBe('tls');
    expect(await way(secured, 'certified', '127.0.0.1', '?sslmode=require')).toMatch(/client certificate/);
  });

  it.each([
    ['plain', '', 'plain'],
    ['plain', '?sslmode=prefer', 'plain'],
    ['plain', '?sslmode=allow', 'plain'],
    ['secure', '', 'tls'],
    ['secure', '?sslmode=allow', 'tls'],
  ])('lets %s in with "%s" the other way if it refuses the first', async (user, query, expected) => {
    expect(await way(secured, user, '127.0.0.1', query)).toBe(expected);
  });

  it.each([
    ['plain', '?sslmode=require', /no pg_hba\.conf entry/],
    ['secure', '?sslmode=disable', /no pg_hba\.conf entry/],
  ])('refuses %s with "%s"', async (user, query, expected) => {
    expect(await way(secured, user, '127.0.0.1', query)).toMatch(expected);
  });
});

describe('a PostgreSQL without TLS', () => {
  it.each([
    ['', 'plain'],
    ['?sslmode=prefer', 'plain'],
    ['?sslmode=allow', 'plain'],
    ['?sslmode=disable', 'plain'],
    ['?sslmode=require', 'the database cannot be used: it offers no TLS, and sslmode asks for it'],
  ])('with "%s": %s', async (query, expected) => {
    expect(await way(bare, 'firsthand', '127.0.0.1', query)).toBe(expected);
  });

  it.each([
    (sockets: string, port: number) => `postgresql://firsthand:secret@/firsthand?host=${sockets}&port=${port}`,
    (sockets: string, port: number) => `postgresql:///firsthand?host=${sockets}&port=${port}&user=firsthand`,
    (sockets: string, port: number) =>
      `postgresql://firsthand@${encodeURIComponent(sockets)}:${port}/firsthand?sslmode=require`,
  ])('is migrated through its socket, whatever is said of TLS', async urlOf => {
    const DATABASE_URL = urlOf(bare.sockets, bare.port);
    const env = { ...KEYS, DATABASE_URL, DATA_DIR: join(bare.folder, 'service'), PGSSLMODE: 'require' };
    expect(await runHere(['migrate'], env)).toEqual({ code: 0, out: 'The database is up to date.\n', err: '' });
  });
});

describe('DATABASE_URL', () => {
  it.each([
    ['?sslmode=sometimes', 'DATABASE_URL takes an sslmode that is one of disable, allow, prefer, require,'],
    [
      '?sslrootcert=/nowhere/ca.crt',
      'DATABASE_URL takes the path of an existing file as sslrootcert, not /nowhere/ca.crt',
    ],
    ['?sslmode=require&sslrootcert=system', 'DATABASE_URL takes sslmode=verify-full with sslrootcert=system'],
  ])('with "%s" stops the start: %s', (query, words) => {
    expect(() => readConfig({ ...KEYS, DATABASE_URL: `postgresql://u:p@h/db${query}` })).toThrow(words);
  });
});
