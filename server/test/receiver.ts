import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhookEvent } from '@firsthand/contract/webhooks.ts';

export interface ReceivedWebhook {
  id: string;
  headers: IncomingHttpHeaders;
  raw: string;
  event: WebhookEvent;
  /** Milliseconds since 1970. */
  at: number;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** Requests whose answer is not complete. */
  open(): number;
  /** The most that were open at once. */
  mostOpen(): number;
  close(): Promise<void>;
}

/** A real server for webhooks; `answer` ends the response, now, later or never. 204 unless given. */
export async function receiveWebhooks(
  answer: (response: ServerResponse, webhook: ReceivedWebhook) => void = response => void response.writeHead(204).end(),
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => {
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8');
      const webhook: ReceivedWebhook = {
        id: String(request.headers['webhook-id']),
        headers: request.headers,
        raw,
        event: JSON.parse(raw),
        at: Date.now(),
      };
      received.push(webhook);
      answer(response, webhook);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    open: () => open,
    mostOpen: () => most,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
