import { createHmac, timingSafeEqual } from 'node:crypto';
import { bodyOf, openServer } from '../../support/local-server.ts';

export interface SentCode {
  type: string;
  phone_e164: string;
  code: string;
  expires_at: string;
}

export interface SentLinkText {
  type: 'capture_link';
  phone_e164: string;
  text: string;
  link: string;
  locale: string;
  reminder: boolean;
  expires_at: string;
}

/** A messaging bot that takes what carries our HMAC, in time, and nothing else. */
export async function openBot(secret: string) {
  const codes: SentCode[] = [];
  const links: SentLinkText[] = [];
  const refused: string[] = [];
  const { url, close } = await openServer(async (request, response) => {
    const raw = await bodyOf(request);
    const [given, timestamp] = ['x-bot-auth', 'x-bot-auth-timestamp'].map(name => String(request.headers[name]));
    const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest();
    const bytes = Buffer.from(given!, 'hex');
    const holds = bytes.length === expected.length && timingSafeEqual(bytes, expected);
    if (!holds || Math.abs(Date.now() - Number(timestamp)) > 300_000) {
      refused.push(raw.toString());
      response.writeHead(401).end();
      return;
    }
    const message = JSON.parse(raw.toString());
    (message.type === 'capture_link' ? links : codes).push(message);
    response.writeHead(204).end();
  });
  return { url: `${url}/send`, codes, links, refused, close };
}
