import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Deps } from '../../platform/deps.ts';
import { isWithin } from '../../platform/lib/addresses.ts';

/** An address that webhooks must not reach. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress';
  readonly code = 'FORBIDDEN_ADDRESS';
}

export interface Address {
  address: string;
  family: number;
}
/** Every address of a host, looked up for an account. Throws as `dns.lookup` does. */
export type Resolve = (hostname: string, tenantId: string) => Promise<Address[]>;

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '::1']);

/** Allows loopback while nothing outside this machine can reach the service: on a developer's laptop. */
const allowsLoopback = ({ config }: Pick<Deps, 'config'>): boolean =>
  LOOPBACK_HOSTS.has(config.host) && config.publicUrl === null && config.captureBaseUrl === null;

/** The only IPv6 block assigned to the public internet (RFC 4291, 2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** A public address that, inside a virtual machine, the host answers: Azure's metadata and health service. */
const HOST_SERVICES = new Set(['168.63.129.16']);

/** True when webhooks may go to this address: a public address, or one in WEBHOOK_ALLOW_CIDRS. */
export function mayReach(deps: Pick<Deps, 'config'>, address: string): boolean {
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  const isPublic = range === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST));
  if (isPublic && !HOST_SERVICES.has(parsed.toString())) return true;
  if (range === 'loopback' && allowsLoopback(deps)) return true;
  return isWithin(deps.config.webhookAllowCidrs, address);
}

/** Returns the literal address in a URL's hostname, or null for a name, which a socket looks up. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) ? bare : null;
}

/**
 * Returns the addresses of a name to open a connection to. One forbidden address forbids the name. Throws
 * {@link ForbiddenAddress}, or ENOTFOUND as a lookup does when there is no address.
 */
export function allowedOf(deps: Pick<Deps, 'config'>, hostname: string, addresses: Address[]): Address[] {
  if (addresses.length === 0) throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
  if (addresses.every(({ address }) => mayReach(deps, address))) return addresses;
  throw new ForbiddenAddress(`${hostname} is an address that webhooks may not reach`);
}
