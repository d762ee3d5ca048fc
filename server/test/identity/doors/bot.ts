import { createHmac } from 'node:crypto';

export const BOT_SECRET = 'bot-secret-in-force-0001';
export const FORMER_BOT_SECRET = 'bot-secret-before-it-0002';

/** The headers of the messaging bot for these very bytes. */
export function signed(raw: string, o: { secret?: string; at?: number } = {}): Record<string, string> {
  const timestamp = String(o.at ?? Date.now());
  const signature = createHmac('sha256', o.secret ?? BOT_SECRET)
    .update(`${timestamp}.${raw}`)
    .digest('hex');
  return { 'x-bot-auth': signature, 'x-bot-auth-timestamp': timestamp };
}
