import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VerificationEvent, WebhookEvent } from '@firsthand/sdk';

export interface ReceivedWebhook<E extends WebhookEvent = WebhookEvent> {
  id: string;
  headers: IncomingHttpHeaders;
  raw: string;
  /** Parsed when it is first read, so that a bench does not pay for it. */
  readonly event: E;
  /** Milliseconds since 1970 at which the request began. */
  at: number;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** The webhooks about one verification. */
  of(verificationId: string): ReceivedWebhook<VerificationEvent>[];
  /** Requests whose answer is not complete. */
  open(): number;
  /** The most that were open at once. */
  mostOpen(): number;
  close(): Promise<void>;
}

type Answer = (response: ServerResponse, webhook: ReceivedWebhook) => void;

/** Receives webhooks on this machine, for the demo, tests and benches. `answer` ends the response: now, later or never. */
export async function receiveWebhooks(
  answer: Answer = response => void response.writeHead(204).end(),
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => {
    const at = performance.timeOrigin + performance.now();
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8');
      let event: WebhookEvent | undefined;
      const webhook: ReceivedWebhook = {
        id: String(request.headers['webhook-id']),
        headers: request.headers,
        raw,
        get event() {
          event ??= JSON.parse(raw) as WebhookEvent;
          return event;
        },
        at,
      };
      received.push(webhook);
      answer(response, webhook);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const isAbout = (webhook: ReceivedWebhook, id: string): webhook is ReceivedWebhook<VerificationEvent> => {
    const { data } = webhook.event;
    return 'id' in data && data.id === id;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    of: id => received.filter(webhook => isAbout(webhook, id)),
    open: () => open,
    mostOpen: () => most,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
