import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const WRITES = ['create', 'send', 'decide'] as const;
export type Write = (typeof WRITES)[number];

/** What one client may use. A key never leaves the object that one connection or one request made. */
export interface Credentials {
  key: string;
  /** The session of a person, as the cookie's `name=value`. */
  session?: string;
}

export interface Settings {
  url: string;
  allowed: ReadonlySet<Write>;
  /** Of stdio. Over HTTP each request brings its own. */
  credentials: { key?: string; session?: string };
  /** Absent: stdio. */
  http?: { port: number; host: string; hosts: readonly string[]; origins: readonly string[] };
}

export class SettingsError extends Error {
  override name = 'SettingsError';
}

export const HELP = `usage: firsthand-mcp [--http PORT [--host ADDRESS] [--allow-host NAME]… [--allow-origin ORIGIN]…]

Serves the Model Context Protocol for a Firsthand service: over stdio, or over HTTP at /mcp.

  FIRSTHAND_URL         address of the service (default: http://localhost:8080)
  FIRSTHAND_KEY         pk_… or rk_secret_…; over HTTP each request sends its own as "Authorization: Bearer"
  FIRSTHAND_SESSION     the session that decides reviews; over HTTP the header Firsthand-Session
  FIRSTHAND_MCP_ALLOW   what may be changed: create,send,decide (default: nothing)
`;

export const VERSION = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

const KEY = /^(?:pk_(?:live|test)|rk_secret)_[\w-]+$/;
/** Only what looks like a key of ours is ever sent to the service. */
export const isKey = (text: string): boolean => KEY.test(text);

/** The cookie of a session that is given as its value, or with its name. */
export const sessionCookie = (text: string): string =>
  /^[\w-]+_session=/.test(text) ? text : `firsthand_session=${text}`;

export function readSettings(args: string[], env: NodeJS.ProcessEnv): Settings | 'help' | 'version' {
  const { values } = parse(args);
  if (values.help) return 'help';
  if (values.version) return 'version';
  const url = env.FIRSTHAND_URL?.trim() || 'http://localhost:8080';
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new SettingsError('FIRSTHAND_URL is no http address');
  const allowed = new Set<Write>();
  for (const word of (env.FIRSTHAND_MCP_ALLOW ?? '').split(',').map(part => part.trim())) {
    if (word === '') continue;
    if (!isWrite(word)) throw new SettingsError(`FIRSTHAND_MCP_ALLOW takes ${WRITES.join(', ')}, separated by commas`);
    allowed.add(word);
  }
  const common = { url: url.replace(/\/+$/, ''), allowed };
  if (values.http === undefined) return { ...common, credentials: ownCredentials(env) };
  const port = Number(values.http);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new SettingsError('--http takes a port');
  return {
    ...common,
    credentials: {},
    http: {
      port,
      host: values.host ?? '127.0.0.1',
      hosts: values['allow-host'] ?? [],
      origins: values['allow-origin'] ?? [],
    },
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        http: { type: 'string' },
        host: { type: 'string' },
        'allow-host': { type: 'string', multiple: true },
        'allow-origin': { type: 'string', multiple: true },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new SettingsError(`${(error as Error).message}\n\n${HELP}`);
  }
}

const isWrite = (word: string): word is Write => (WRITES as readonly string[]).includes(word);

function ownCredentials(env: NodeJS.ProcessEnv): Settings['credentials'] {
  const key = env.FIRSTHAND_KEY?.trim();
  const session = env.FIRSTHAND_SESSION?.trim();
  if (!key) throw new SettingsError('FIRSTHAND_KEY is missing: set it to a key of your account, pk_… or rk_secret_…');
  if (!isKey(key)) throw new SettingsError('FIRSTHAND_KEY is no key: it begins with pk_live_, pk_test_ or rk_secret_');
  return { key, ...(session ? { session: sessionCookie(session) } : {}) };
}
