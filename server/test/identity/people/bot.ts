import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SentCode {
  type: string;
  phone_e164: string;
  code: string;
  expires_at: string;
}

/** A messaging bot that takes what carries our HMAC, in time, and nothing else. */
export async function openBot(secret: string) {
  const codes: SentCode[] = [];
  const refused: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const [given, timestamp] = ['x-bot-auth', 'x-bot-auth-timestamp'].map(name => String(request.headers[name]));
      const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest();
      const bytes = Buffer.from(given!, 'hex');
      const holds = bytes.length === expected.length && timingSafeEqual(bytes, expected);
      if (!holds || Math.abs(Date.now() - Number(timestamp)) > 300_000) {
        refused.push(raw.toString());
        response.writeHead(401).end();
        return;
      }
      codes.push(JSON.parse(raw.toString()));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/send`,
    codes,
    refused,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
