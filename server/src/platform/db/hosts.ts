import pg from 'pg';
import { type Route, routeTo } from './connection.ts';

interface Host {
  host: string;
  port: string;
}

const SHAPE = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#@]+)((?:\/[^?#]*)?)(?:\?([^#]*))?$/;
/** A user without a host: it stands in the query, often as a folder of sockets. A URL parser wants one. */
const NO_HOST = /^(postgres(?:ql)?:\/\/[^@/?#]*@)(\/[^?#]*\?(?:[^#]*&)?host=)/;
/** No host before the path, and a list of hosts in the query. */
const SEVERAL_IN_QUERY = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?\/[^/?#]*)\?((?:[^#]*&)?host=[^&#]*(?:,|%2C)[^#]*)$/i;
const ONE = /^(\[[0-9a-fA-F:.]+\]|[^\s:[\],]+)(?::(\d{1,5}))?$/;

/**
 * Splits a connection URI into one URI for each host, in their order. Takes libpq's forms with several hosts,
 * `postgresql://user:password@a:5432,b:5432/name` and `postgresql:///name?host=a,b&port=5432`
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS). `target_session_attrs` may stand in
 * it and changes nothing: with several hosts, the one that accepts writes is used. Returns null for anything else.
 */
export function urlsOfHosts(text: string): string[] | null {
  const url = hostsFirst(text)?.replace(NO_HOST, '$1localhost$2');
  if (url === undefined) return null;
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

/** Moves several hosts from the query to where they stand otherwise. One port counts for all. Null: they fit no ports, or are no names. */
function hostsFirst(url: string): string | null {
  const [, start, query] = SEVERAL_IN_QUERY.exec(url) ?? [];
  if (start === undefined) return url;
  const parameters = new URLSearchParams(query);
  const hosts = parameters.get('host')!.split(',');
  const ports = parameters.get('port')?.split(',') ?? [];
  if ((ports.length > 1 && ports.length !== hosts.length) || hosts.some(host => host.startsWith('/'))) return null;
  parameters.delete('host');
  parameters.delete('port');
  const list = hosts.map((host, at) => {
    const port = ports[at] ?? ports[0];
    const name = host.includes(':') ? `[${host}]` : host;
    return port ? `${name}:${port}` : name;
  });
  const rest = parameters.size > 0 ? `?${parameters}` : '';
  return start.replace(/\/[^/]*$/, path => `${list}${path}${rest}`);
}

/** The server to use: the only one, or of several the one that accepts writes. */
export interface Primary {
  /** The way to the server found last; to the first of the list before any was found. */
  route(): Route;
  /** Resolves when the server is known. Asks the servers only after {@link lost}. @throws when none accepts writes. */
  find(): Promise<void>;
  /** Asks all servers, even if one is known. */
  search(): Promise<void>;
  /** Ends a search that gets no answer: it rejects. */
  abandon(): void;
  /** The server may no longer be the primary: the next {@link find} asks again. False if there is no other. */
  lost(): boolean;
}

export function createPrimary(urls: readonly string[]): Primary {
  const routes = urls.map(routeTo);
  const several = routes.length > 1;
  let last = routes[0]!;
  let known = !several;
  let searching: Promise<void> | null = null;
  const asked = new Set<pg.Client>();
  const abandon = () => {
    for (const client of asked) destroy(client);
  };

  async function ask(route: Route): Promise<Route> {
    const tls = route.tls();
    const client = new pg.Client({ ...route.config(), application_name: 'firsthand probe' });
    client.on('error', () => {});
    asked.add(client);
    try {
      await client.connect();
      const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      if (several && rows[0]?.standby !== false) throw new Error('a standby');
    } catch (error) {
      if (route.refused(error, tls)) return ask(route);
      // From the only server an error is an answer too.
      if (several || !(error instanceof pg.DatabaseError)) throw error;
    } finally {
      asked.delete(client);
      client.end().catch(() => {});
    }
    return route;
  }

  function search(): Promise<void> {
    searching ??= Promise.any(routes.map(ask))
      .then(route => {
        last = route;
        known = true;
      })
      .finally(() => {
        searching = null;
        abandon();
      });
    return searching;
  }

  return {
    route: () => last,
    find: () => (known ? Promise.resolve() : search()),
    search,
    abandon,
    lost() {
      known = !several;
      return several;
    },
  };
}

/** Closes the connection without telling the server. */
export const destroy = (client: pg.Client): void =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
