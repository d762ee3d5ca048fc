import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { askJson, type NoAnswer } from './ask-json.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serving(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>(resolve => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const ask = (url: string, more: { timeoutMs?: number; maxBytes?: number; method?: string } = {}) => {
  const { timeoutMs = 5_000, maxBytes = 1_000, ...init } = more;
  return askJson(url, { ...init, maxBytes, signal: AbortSignal.timeout(timeoutMs) });
};
const fault = (code: NoAnswer['code']) => ({ name: 'NoAnswer', code }) satisfies Partial<NoAnswer>;

test('askJson returns status and JSON, whatever the status', async () => {
  const url = await serving((request, response) => {
    response.writeHead(request.method === 'POST' ? 400 : 200).end(JSON.stringify({ method: request.method }));
  });
  expect(await ask(url)).toEqual({ status: 200, body: { method: 'GET' } });
  expect(await ask(url, { method: 'POST' })).toEqual({ status: 400, body: { method: 'POST' } });
});

test('askJson distinguishes invalid JSON from an error status', async () => {
  let status = 200;
  const url = await serving((_, response) => response.writeHead(status).end('<html>'));
  await expect(ask(url)).rejects.toMatchObject(fault('not_json'));
  status = 502;
  expect(await ask(url)).toEqual({ status: 502, body: undefined });
});

test('askJson reads answers up to its limit, and no endless ones', async () => {
  let body = '"x"';
  const url = await serving((_, response) => {
    if (body) response.end(body);
    else {
      const more = setInterval(() => response.write('1'.repeat(400)), 1);
      response.on('close', () => clearInterval(more));
    }
  });
  expect(await ask(url, { maxBytes: 3 })).toEqual({ status: 200, body: 'x' });
  body = '"xy"';
  await expect(ask(url, { maxBytes: 3 })).rejects.toMatchObject(fault('too_long'));
  body = '';
  await expect(ask(url)).rejects.toMatchObject(fault('too_long'));
});

test('askJson waits for the last byte no longer than its timeout', async () => {
  const silent = await serving(() => {});
  await expect(ask(silent, { timeoutMs: 50 })).rejects.toMatchObject(fault('timeout'));
  server!.closeAllConnections();
  server!.close();
  const slow = await serving((_, response) => response.writeHead(200).write('{'));
  await expect(ask(slow, { timeoutMs: 50 })).rejects.toMatchObject(fault('timeout'));
});

test('askJson follows no redirect, and names unreachable and interrupted answers', async () => {
  let asked = 0;
  const url = await serving((request, response) => {
    asked += 1;
    if (request.url === '/') response.writeHead(307, { location: '/elsewhere' }).end();
    else response.writeHead(200, { 'content-length': '10' }).end('{', () => response.destroy());
  });
  await expect(ask(url)).rejects.toMatchObject(fault('unreachable'));
  expect(asked).toBe(1);
  await expect(ask(`${url}broken`)).rejects.toMatchObject(fault('unreachable'));
  server!.close();
  server!.closeAllConnections();
  await expect(ask(url)).rejects.toMatchObject(fault('unreachable'));
});
