import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const PREFIX = 'whsec_';

/** The HMAC key of a secret: its decoded base64 part. */
export const keyOf = (secret: string): KeyObject =>
  createSecretKey(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');

/**
 * Headers of one attempt, by the Standard Webhooks specification 1.0: HMAC-SHA256 over `id.timestamp.body`, one
 * signature for each secret that is valid now.
 */
export function signedHeaders(id: string, at: Date, body: string, keys: readonly KeyObject[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'firsthand-webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys
      .map(key => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`)
      .join(' '),
  };
}
