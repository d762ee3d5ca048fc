import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the element told the page around it: the event's type and detail. */
export type Told = { type: string; [member: string]: unknown };

/** A site of its own origin. `127.0.0.1` is another site than the service's `localhost`, so the browser keeps their storage apart. */
export async function startSite(page: () => string): Promise<{ origin: string; server: Server }> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(page());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** A page with the element. Its events stand in `told`, the messages behind them in `messages`. */
export const pageAround = (o: {
  serviceUrl: string;
  token: string;
  attributes?: string;
}) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Claim 4711</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <style>body{margin:0;font:16px/1.5 system-ui;background:#fff;color:#222}header,footer{padding:16px;background:#eef2f5}main{padding:0}h1{font-size:1.25rem;margin:0}a{color:#0b57d0}</style>
    <script src="${o.serviceUrl}/embed.js"></script>
    <script>addEventListener('message', event => (globalThis.messages ??= []).push({ origin: event.origin, data: event.data }));</script>
    </head><body><header><h1>Your claim 4711</h1><a href="#before">Help</a></header>
    <main><firsthand-capture token="${o.token}" label="Photos for your claim" ${o.attributes ?? ''}></firsthand-capture></main>
    <footer><a href="#after">Imprint</a></footer>
    <script>
      const element = document.querySelector('firsthand-capture');
      globalThis.told = [];
      for (const type of ['ready', 'step', 'completed', 'abandoned', 'error'])
        element.addEventListener(type, event => told.push({ type, ...event.detail }));
    </script></body></html>`;
