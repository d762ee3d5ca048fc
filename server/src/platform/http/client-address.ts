import type { FastifyInstance } from 'fastify';
import { canonicalAddress, forwardedAddress, isWithin } from '../lib/addresses.ts';

/**
 * Makes `request.ip` the address that the trusted proxies report, in its one form, before anything reads it. Each trusted
 * proxy is believed about the entry before its own; the walk ends at the first address that is no trusted proxy, and at an
 * entry that is no address: its proxy then counts as the sender, so nonsense never gets limits of its own.
 */
export function readClientAddresses(app: FastifyInstance, trusted: readonly string[]): void {
  app.addHook('onRequest', async request => {
    const { headers, socket } = request.raw;
    const entries = entriesOf(headers['x-forwarded-for'], headers.forwarded);
    let address = canonicalAddress(socket.remoteAddress ?? '');
    while (address !== null && isWithin(trusted, address)) {
      const before = forwardedAddress(entries.pop() ?? '');
      if (before === null) break;
      address = before;
    }
    if (address !== null) Object.defineProperty(request, 'ip', { value: address });
  });
}

/** The entries of X-Forwarded-For, or those of Forwarded (RFC 7239) where there is none; the nearest last. */
function entriesOf(list: string | string[] | undefined, forwarded: string | undefined): string[] {
  if (list !== undefined) return String(list).split(',');
  const elements = forwarded?.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
  return elements.map(element => /(?:^|;)\s*for\s*=\s*("[^"]*"|[^;\s]*)/i.exec(element)?.[1] ?? '');
}
