import ipaddr from 'ipaddr.js';

/** One address in the one form in which it is a key and is shown: IPv4 also where IPv6 wraps it, no zone. Null: it is none. */
export function canonicalAddress(text: string): string | null {
  const bare = text.replace(/%.*$/, '');
  if (!ipaddr.IPv6.isValid(bare) && !ipaddr.IPv4.isValidFourPartDecimal(bare)) return null;
  return ipaddr.process(bare).toString();
}

/**
 * The address in one entry of a proxy's list: `203.0.113.7`, `203.0.113.7:4711` (Azure Application Gateway, IIS),
 * `2001:db8::7`, `[2001:db8::7]:4711`, each also in quotes. Null for names such as `unknown`.
 */
export function forwardedAddress(entry: string): string | null {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const bracketed = /^\[([^\]]+)\](?::\w+)?$/.exec(text)?.[1];
  return canonicalAddress(bracketed ?? text.replace(/^([\d.]+):\w+$/, '$1'));
}

/** Whether an address lies in one of the ranges, each an address or CIDR. */
export function isWithin(ranges: readonly string[], address: string): boolean {
  const parsed = ipaddr.process(address);
  return ranges.some(range => {
    const [network, bits] = range.includes('/') ? ipaddr.parseCIDR(range) : [ipaddr.process(range), undefined];
    if (network.kind() !== parsed.kind()) return false;
    return parsed.match(network, bits ?? (network.kind() === 'ipv4' ? 32 : 128));
  });
}
