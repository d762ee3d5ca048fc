import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import type { Deps } from '../deps.ts';

/** An address that webhooks must not reach. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress';
}

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '::1']);

/** Loopback is allowed while the service itself is reachable from nowhere else: on a developer's laptop. */
const allowsLoopback = ({ config }: Pick<Deps, 'config'>): boolean =>
  LOOPBACK_HOSTS.has(config.host) && config.publicUrl === null;

/** True when webhooks may go to this address: a public one, or one that WEBHOOK_ALLOW_CIDRS names. */
export function mayReach(deps: Pick<Deps, 'config'>, address: string): boolean {
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (range === 'unicast') return true;
  if (range === 'loopback' && allowsLoopback(deps)) return true;
  return deps.config.webhookAllowCidrs.some(cidr => {
    const [network, bits] = cidr.includes('/') ? ipaddr.parseCIDR(cidr) : [ipaddr.process(cidr), undefined];
    if (network.kind() !== parsed.kind()) return false;
    return parsed.match(network, bits ?? (network.kind() === 'ipv4' ? 32 : 128));
  });
}

/** Resolves a host to the one address that the attempt then uses, so that a second look-up cannot change it. */
export async function pin(deps: Pick<Deps, 'config'>, hostname: string): Promise<{ address: string; family: 4 | 6 }> {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const candidates = ipaddr.isValid(bare)
    ? [{ address: bare, family: ipaddr.parse(bare).kind() === 'ipv6' ? 6 : 4 }]
    : await lookup(bare, { all: true });
  const chosen = candidates.find(candidate => mayReach(deps, candidate.address));
  if (!chosen || !candidates.every(candidate => mayReach(deps, candidate.address))) {
    throw new ForbiddenAddress(`${hostname} is an address that webhooks may not reach`);
  }
  return { address: chosen.address, family: chosen.family === 6 ? 6 : 4 };
}
