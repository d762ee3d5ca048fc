import { Webhook } from 'standardwebhooks';

/** Headers of one attempt, by the Standard Webhooks specification: one signature for each secret that is valid now. */
export function signedHeaders(id: string, at: Date, body: string, secrets: readonly string[]): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'firsthand-webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map(secret => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
