import { createHmac } from 'node:crypto';
import { request } from 'undici';
import type { Deps } from '../../platform/deps.ts';

const TIMEOUT_MS = 10_000;

/** Asks the messaging bot at `url` to send a message. Throws unless it takes it. */
export async function askBot(
  deps: Pick<Deps, 'config' | 'clock'>,
  url: string,
  message: { type: string; phone_e164: string; [member: string]: unknown },
): Promise<void> {
  const body = JSON.stringify(message);
  const timestamp = String(deps.clock.now().getTime());
  const signature = createHmac('sha256', deps.config.botSecrets[0]!).update(`${timestamp}.${body}`).digest('hex');
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-bot-auth': signature, 'x-bot-auth-timestamp': timestamp },
    body,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  await answer.body.dump();
  if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`BOT_URL answered ${answer.statusCode}`);
}
