import pg from 'pg';

interface Host {
  host: string;
  port: string;
}

const SEARCH_MS = 3_000;
const SHAPE = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#@]+)((?:\/[^?#]*)?)(?:\?([^#]*))?$/;
const ONE = /^(\[[0-9a-fA-F:.]+\]|[^\s:[\],]+)(?::(\d{1,5}))?$/;

/**
 * Splits a connection URI into one URI for each host, in their order. Takes libpq's form with several hosts,
 * `postgresql://user:password@a:5432,b:5432/name`
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS). `target_session_attrs` may stand in
 * it and changes nothing: with several hosts, the one that accepts writes is used. Returns null for anything else.
 */
export function urlsOfHosts(url: string): string[] | null {
  const parts = SHAPE.exec(url);
  // A socket's folder stands in the query, with no host.
  if (!parts) return URL.canParse(url) ? [url] : null;
  const [, start, authority, path, query] = parts;
  const hosts: Host[] = [];
  for (const text of authority!.split(',')) {
    const one = ONE.exec(text);
    if (!one || Number(one[2] ?? 5432) > 65_535) return null;
    hosts.push({ host: one[1]!, port: one[2] ?? '5432' });
  }
  if (hosts.length === 1) return URL.canParse(url) ? [url] : null;
  const parameters = new URLSearchParams(query ?? '');
  parameters.delete('target_session_attrs');
  const rest = parameters.size > 0 ? `?${parameters}` : '';
  const urls = hosts.map(({ host, port }) => `${start}${host}:${port}${path}${rest}`);
  return urls.every(one => URL.canParse(one)) ? urls : null;
}

/** Finds the one of several servers that accepts writes. */
export interface Primary {
  /** The server found last; the first of the list before any was found. */
  url(): string;
  /** Resolves to the primary's URL. Asks the servers only after {@link lost}. @throws when no server accepts writes. */
  find(): Promise<string>;
  /** Asks all servers again, even if one is known. */
  search(): Promise<string>;
  /** The server may no longer be the primary: the next {@link find} asks again. */
  lost(): void;
}

export function createPrimary(urls: readonly string[]): Primary {
  let last = urls[0]!;
  let known = false;
  let searching: Promise<string> | null = null;

  function search(): Promise<string> {
    searching ??= Promise.any(urls.map(acceptsWrites))
      .then(url => {
        last = url;
        known = true;
        return url;
      })
      .finally(() => {
        searching = null;
      });
    return searching;
  }

  return {
    url: () => last,
    find: () => (known ? Promise.resolve(last) : search()),
    search,
    lost() {
      known = false;
    },
  };
}

/** Resolves to `url` if its server accepts writes, and rejects otherwise. */
async function acceptsWrites(url: string): Promise<string> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'firsthand probe',
    connectionTimeoutMillis: SEARCH_MS,
    query_timeout: SEARCH_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
    if (rows[0]?.standby !== false) throw new Error('a standby');
    return url;
  } finally {
    client.end().catch(() => {});
  }
}
