import { randomBytes } from 'node:crypto';
import { stampRequest, verifyStamp } from '@firsthand/stamps/rfc3161.ts';
import type { Deps } from '../../platform/deps.ts';
import { sha256 } from '../../platform/lib/keyring.ts';
import type { MadeStamp } from './head.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 65_536;

/**
 * Requests a time stamp of the log's signed note, or of other bytes, from the authority at `TSA_URL`, and verifies the response. Null
 * without an authority or a valid stamp; the bundle or photo is then issued without one.
 */
export async function stampOf(
  deps: Pick<Deps, 'config' | 'log'>,
  note: string | Uint8Array,
): Promise<MadeStamp | null> {
  const { tsaUrl } = deps.config;
  if (!tsaUrl) return null;
  const nonce = randomBytes(16);
  // Keeps the DER INTEGER positive and of constant length: clears the first bit and avoids a zero first byte.
  nonce[0] = (nonce[0]! & 0x7f) | 0x40;
  const message = Buffer.from(note);
  try {
    const answer = await fetch(tsaUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: Buffer.from(stampRequest(sha256(message), nonce)),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`the authority answered ${answer.status}`);
    const response = Buffer.from(await answer.arrayBuffer());
    if (response.length > MAX_BYTES) throw new Error(`the authority answered ${response.length} bytes`);
    const stamp = await verifyStamp({ response: new Uint8Array(response), message, nonce });
    return { response, stamp };
  } catch (error) {
    // The address may carry a key of the authority.
    deps.log.warn({ err: error, tsa: new URL(tsaUrl).host }, 'no time stamp; the bundle is issued without one');
    return null;
  }
}
