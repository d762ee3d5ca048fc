import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import type { Address, Resolve } from './allowed-address.ts';

/** Concurrent lookups of one account. Further lookups of this account wait; other accounts do not. */
const PER_TENANT = 8;
const ANSWER_MS = 2_000;
const TRIES = 2;
/** After one kind of address arrives, the other kind has this long (RFC 8305 names 50 ms). */
const OTHER_KIND_MS = 250;
const HOSTS_FILE = '/etc/hosts';
const HOSTS_KEPT_MS = 10_000;

export interface NamesOptions {
  /** Addresses of name servers, with a port where it is not 53. Empty: the system's name servers. */
  servers: readonly string[];
  hostsFile?: string;
}

/**
 * Resolves host names for webhooks with c-ares, which waits on sockets. `dns.lookup` would hold one of the process's
 * four file threads for as long as a name server takes. Each account has its own channel and its own bound, so slow
 * names of one account delay no other. Names in the hosts file come first. Search domains are not tried.
 */
export function createNames({ servers, hostsFile = HOSTS_FILE }: NamesOptions): Resolve {
  const tenants = new Map<string, Tenant>();
  let hosts: { at: number; read: Promise<Map<string, Address[]>> } | null = null;

  const hostsNow = () => {
    const now = performance.now();
    if (!hosts || now - hosts.at > HOSTS_KEPT_MS) hosts = { at: now, read: readHosts(hostsFile) };
    return hosts.read;
  };

  return async (hostname, tenantId) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const listed = (await hostsNow()).get(name);
    if (listed) return listed;
    // RFC 6761, 6.3: never ask a name server for these names.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    const tenant = tenants.get(tenantId) ?? newTenant(servers);
    tenants.set(tenantId, tenant);
    try {
      return await lookUp(tenant, name);
    } finally {
      if (tenant.asked.size === 0) tenants.delete(tenantId);
    }
  };
}

const LOOPBACK: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** One account's look-ups in this process. */
interface Tenant {
  resolver: Resolver;
  running: number;
  waiting: (() => void)[];
  /** Lookups under way or waiting, by name. Requests for the same name share the answer. */
  asked: Map<string, Promise<Address[]>>;
}

function newTenant(servers: readonly string[]): Tenant {
  const resolver = new Resolver({ timeout: ANSWER_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return { resolver, running: 0, waiting: [], asked: new Map() };
}

function lookUp(tenant: Tenant, name: string): Promise<Address[]> {
  const known = tenant.asked.get(name);
  if (known) return known;
  const answer = inTurn(tenant, () => ask(tenant.resolver, name)).finally(() => tenant.asked.delete(name));
  tenant.asked.set(name, answer);
  return answer;
}

async function inTurn<T>(tenant: Tenant, work: () => Promise<T>): Promise<T> {
  if (tenant.running >= PER_TENANT) await new Promise<void>(resolve => tenant.waiting.push(resolve));
  else tenant.running += 1;
  try {
    return await work();
  } finally {
    const next = tenant.waiting.shift();
    if (next) next();
    else tenant.running -= 1;
  }
}

/** Returns every address that the name servers give. Throws `ENOTFOUND`, or `EAI_AGAIN` when they did not answer. */
async function ask(resolver: Resolver, name: string): Promise<Address[]> {
  const found: Address[] = [];
  const failures: NodeJS.ErrnoException[] = [];
  const kinds = ([4, 6] as const).map(async family => {
    try {
      const given = await (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name));
      found.push(...given.map(address => ({ address, family })));
    } catch (error) {
      failures.push(error as NodeJS.ErrnoException);
    }
  });
  await Promise.race(kinds);
  await (found.length > 0 ? Promise.race([Promise.all(kinds), sleep(OTHER_KIND_MS)]) : Promise.all(kinds));
  if (found.length > 0) return found.toSorted((a, b) => a.family - b.family);
  const unknown = failures.every(({ code }) => code === 'ENOTFOUND' || code === 'ENODATA');
  throw Object.assign(new Error(`${name} does not resolve`, { cause: failures[0] }), {
    code: unknown ? 'ENOTFOUND' : 'EAI_AGAIN',
  });
}

/** Reads the names of a hosts file; an unreadable file has none. */
async function readHosts(file: string): Promise<Map<string, Address[]>> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const hosts = new Map<string, Address[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!ipaddr.isValid(address)) continue;
    const family = ipaddr.parse(address).kind() === 'ipv4' ? 4 : 6;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }]);
    }
  }
  return hosts;
}
