import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, getCACertificates } from 'node:tls';
import pg from 'pg';

// TLS as libpq does it: https://www.postgresql.org/docs/current/libpq-ssl.html. The driver's own reading of the same
// parameters differs: it checks the host name in every mode and knows neither `allow` nor `prefer`.

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'] as const;
type Mode = (typeof MODES)[number];

/** The parameters of a URL that are files, with the variable and the file in ~/.postgresql that libpq takes instead. */
const FILES = {
  sslrootcert: ['PGSSLROOTCERT', 'root.crt'],
  sslcert: ['PGSSLCERT', 'postgresql.crt'],
  sslkey: ['PGSSLKEY', 'postgresql.key'],
  sslcrl: ['PGSSLCRL', 'root.crl'],
} as const;
type File = keyof typeof FILES;
const FILE_NAMES = Object.keys(FILES) as File[];

const splitQuery = (url: string): [start: string, parameters: URLSearchParams] => {
  const at = url.indexOf('?');
  return at < 0 ? [url, new URLSearchParams()] : [url.slice(0, at), new URLSearchParams(url.slice(at + 1))];
};
const withQuery = (start: string, parameters: URLSearchParams): string =>
  parameters.size > 0 ? `${start}?${parameters}` : start;

/** The URL with what the variables of libpq say about TLS and the URL does not. */
export function withVariables(url: string, text: (name: string) => string | null): string {
  const [start, parameters] = splitQuery(url);
  const before = parameters.size;
  const mode = text('PGSSLMODE');
  if (mode && !parameters.has('sslmode') && !parameters.has('ssl')) parameters.set('sslmode', mode);
  for (const name of FILE_NAMES) {
    const value = text(FILES[name][0]);
    if (value && !parameters.has(name)) parameters.set(name, value);
  }
  return parameters.size === before ? url : withQuery(start, parameters);
}

/** What is wrong with the URL's parameters of TLS; null: nothing. */
export function tlsFault(url: string): string | null {
  const [, parameters] = splitQuery(url);
  const mode = modeOf(parameters);
  if (!MODES.includes(mode)) return `an sslmode that is one of ${MODES.join(', ')}`;
  const system = parameters.get('sslrootcert') === 'system';
  if (system && mode !== 'verify-full') return 'sslmode=verify-full with sslrootcert=system';
  const missing = FILE_NAMES.find(
    name => parameters.get(name) && !(system && name === 'sslrootcert') && !existsSync(parameters.get(name)!),
  );
  return missing ? `the path of an existing file as ${missing}, not ${parameters.get(missing)}` : null;
}

/** `ssl` is how other drivers spell it. */
function modeOf(parameters: URLSearchParams): Mode {
  const mode = parameters.get('sslmode');
  if (mode) return mode as Mode;
  const ssl = parameters.get('ssl');
  if (ssl === 'false' || ssl === '0') return 'disable';
  if (parameters.get('sslrootcert') === 'system') return 'verify-full';
  return ssl !== null || parameters.get('sslnegotiation') === 'direct' ? 'require' : 'prefer';
}

function tlsOptions(mode: Mode, parameters: URLSearchParams): ConnectionOptions {
  const path = (name: File): string | null => {
    const usual = join(homedir(), '.postgresql', FILES[name][1]);
    return parameters.get(name) || (existsSync(usual) ? usual : null);
  };
  // Read for each connection: a certificate that was renewed counts from the next one on.
  const content = (name: File) => {
    const file = path(name);
    return file === null ? undefined : readFileSync(file);
  };
  const root = path('sslrootcert');
  const verifies = mode.startsWith('verify') || (mode === 'require' && root !== null);
  const ca =
    root === 'system' ? [...getCACertificates('default'), ...getCACertificates('system')] : content('sslrootcert');
  return {
    rejectUnauthorized: verifies,
    ...(verifies && ca ? { ca, crl: content('sslcrl') } : {}),
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    cert: content('sslcert'),
    key: content('sslkey'),
    passphrase: parameters.get('sslpassword') ?? undefined,
  };
}

/** The way to one server, with TLS or without. */
export interface Route {
  config(): pg.ClientConfig;
  /** Whether {@link config} now asks for TLS. */
  tls(): boolean;
  /** The server refused a client that asked for TLS, or did not. True if the other way, which {@link config} gives from now on, is left. */
  refused(error: unknown, tls: boolean): boolean;
}

export function routeTo(url: string): Route {
  const [start, parameters] = splitQuery(url);
  const mode = modeOf(parameters);
  const kept = new URLSearchParams(parameters);
  for (const name of ['sslmode', 'ssl', 'sslnegotiation', 'sslpassword', 'uselibpqcompat', ...FILE_NAMES])
    kept.delete(name);
  const connectionString = withQuery(start, kept);
  const socket = new pg.Client({ connectionString, ssl: false, sslnegotiation: 'postgres' }).host.startsWith('/');
  const either = !socket && (mode === 'allow' || mode === 'prefer');
  let tls = !socket && mode !== 'disable' && mode !== 'allow';
  let turned = false;
  return {
    config() {
      if (!tls) return { connectionString, ssl: false, sslnegotiation: 'postgres' };
      const ssl = tlsOptions(mode, parameters);
      const sslnegotiation = parameters.get('sslnegotiation') === 'direct' ? 'direct' : 'postgres';
      return {
        connectionString,
        ssl,
        sslnegotiation,
        ...(either ? { connection: new MaybeTls({ ssl, keepAlive: true }) } : {}),
      };
    },
    tls: () => tls,
    refused(error, asked) {
      if (!either || !isAboutTls(error)) return false;
      // Another client has found the other way meanwhile.
      if (asked !== tls) return true;
      if (turned) return false;
      turned = true;
      tls = !tls;
      return true;
    },
  };
}

/** A connection that goes on without TLS if the server offers none. */
class MaybeTls extends (pg.Connection as unknown as new (
  config: object,
) => pg.Connection & {
  connect(port: number, host: string): void;
  attachListeners(stream: unknown): void;
}) {
  override connect(port: number, host: string): void {
    super.connect(port, host);
    const [onAnswer] = this.stream.rawListeners('data') as ((answer: Buffer) => void)[];
    this.stream.off('data', onAnswer!);
    this.stream.once('data', (answer: Buffer) => {
      if (answer.toString() !== 'N') return onAnswer!(answer);
      this.attachListeners(this.stream);
      this.emit('sslconnect');
    });
  }
}

/** SQLSTATE: pg_hba.conf has no entry for a connection of this kind. */
const NO_ENTRY = '28000';

function isAboutTls(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return error instanceof pg.DatabaseError ? code === NO_ENTRY : /^ERR_(SSL|TLS|OSSL)|^EPROTO$/.test(code);
}

const NO_TLS = 'The server does not support SSL connections';
/** OpenSSL's names for certificates that it does not trust. */
const UNTRUSTED = /^(CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/;

/** Why no connection with TLS came about, and what to do; null for other errors. */
export function tlsAdvice(error: Error): string | null {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (error.message === NO_TLS) return 'it offers no TLS, and sslmode asks for it';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `${error.message.replace(/\.$/, '')}; use a name of the certificate, or sslmode=verify-ca`;
  }
  if (code.startsWith('CERT_HAS_EXPIRED')) return 'its certificate has expired';
  if (UNTRUSTED.test(code)) {
    return `${error.message}; set sslrootcert in DATABASE_URL to the certificate of its authority`;
  }
  return isAboutTls(error) && !(error instanceof pg.DatabaseError) ? error.message : null;
}

type StartupSettings = Record<string, string>;

/** A client whose dates come in the form that the driver reads, whatever the database, the role or the server says. */
export class Client extends pg.Client {
  getStartupConf(): StartupSettings {
    const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf(): StartupSettings };
    return { ...getStartupConf.call(this), DateStyle: 'ISO, MDY' };
  }
}
