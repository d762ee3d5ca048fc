import type { IncomingHttpHeaders } from 'node:http';
import type { Attestation, LocationSource } from '@firsthand/contract/verification/verification.ts';
import type { Origins } from '../../platform/deps.ts';
import { attestsPicture } from './attestation/binding.ts';

/**
 * Says who sent a position, as far as the request shows. Nothing proves that a position came from our page: browsers send no signature,
 * and whatever the page could add a program could read from the page. `page` therefore says only that the request has the headers that a
 * browser adds by itself and no script of another page can set.
 */
export function locationSourceOf(
  headers: IncomingHttpHeaders,
  origins: Pick<Origins, 'capture' | 'public'>,
  attestation: Attestation | null,
): LocationSource {
  if (attestsPicture(attestation)) return 'app';
  return fromPage(headers, origins) ? 'page' : 'program';
}

function fromPage(headers: IncomingHttpHeaders, origins: Pick<Origins, 'capture' | 'public'>): boolean {
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  // A phone may reach a laptop under another name than the configured one.
  const here = [origins.capture, origins.public].some(known => new URL(known).origin === origin);
  if (!here && new URL(origin).host !== headers.host) return false;
  // Browsers send these headers only over https and to localhost.
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  if (site === undefined) return new URL(origin).protocol === 'http:';
  return (site === 'same-origin' || site === 'same-site') && mode === 'cors';
}
