import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BATCH_BODY_MAX_BYTES } from '@firsthand/contract/base/limits.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../support/service-process.ts';
import { blocksOf } from './blocks.ts';

const hasNginx = spawnSync('nginx', ['-v']).status === 0;
const page = await readFile(join(import.meta.dirname, '../../../../docs/proxy.md'), 'utf8');
const [host, path] = blocksOf(page)
  .filter(({ language }) => language === 'nginx')
  .map(({ text }) => text) as [string, string];

/** Answers what arrived: the size of the body and the headers. `/stream` sends a line, and the next one after a second. */
async function startUpstream(): Promise<Server> {
  const server = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += (chunk as Buffer).length;
    if (request.url?.endsWith('/stream')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: first\n\n');
      await sleep(1_000);
      response.end('data: second\n\n');
    } else response.end(JSON.stringify({ url: request.url, bytes, headers: request.headers }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}

interface Arrived {
  url: string;
  bytes: number;
  headers: IncomingHttpHeaders;
}

describe.skipIf(!hasNginx)('the nginx blocks of docs/proxy.md', () => {
  let folder: string;
  let upstream: Server;
  let nginx: ChildProcess;
  let [own, below] = ['', ''];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-nginx-'));
    upstream = await startUpstream();
    const to = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const [ownPort, belowPort] = [await freePort(), await freePort()];
    [own, below] = [`http://127.0.0.1:${ownPort}`, `http://127.0.0.1:${belowPort}`];
    const ours = (block: string) =>
      block.replaceAll('127.0.0.1:8080', () => to).replace(/^\s*ssl_certificate.*$/gm, '');
    const config = `
      daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr;
      events {}
      http {
        access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`).join('\n')}
        ${ours(host).replace('listen 443 ssl;', () => `listen 127.0.0.1:${ownPort};`)}
        server { listen 127.0.0.1:${belowPort}; ${ours(path)} }
      }`;
    await writeFile(join(folder, 'nginx.conf'), config);
    nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
    let complaints = '';
    nginx.stderr!.on('data', chunk => (complaints += chunk));
    for (let tries = 0; !(await fetch(own).catch(() => null)); tries += 1) {
      if (nginx.exitCode !== null || tries > 100) throw new Error(`nginx does not answer: ${complaints}`);
      await sleep(50);
    }
  });
  afterAll(async () => {
    nginx?.kill('SIGTERM');
    upstream?.closeAllConnections();
    upstream?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['a host of its own', () => own],
    ['a path', () => `${below}/photos`],
  ])('let the longest batch, the address and the host of a client through: %s', async (_, base) => {
    const answer = await fetch(`${base()}/v1/batches`, {
      method: 'POST',
      body: Buffer.alloc(BATCH_BODY_MAX_BYTES),
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
    expect(answer.status).toBe(200);
    const { url, bytes, headers } = (await answer.json()) as Arrived;
    expect([url, bytes]).toEqual(['/v1/batches', BATCH_BODY_MAX_BYTES]);
    expect(headers['x-forwarded-for']).toBe('203.0.113.7, 127.0.0.1');
    expect(headers.host).toBe('127.0.0.1');
  });

  it.each([
    ['a host of its own', () => own],
    ['a path', () => `${below}/photos`],
  ])('pass the first event of a stream on before the second is sent: %s', async (_, base) => {
    const began = Date.now();
    const { body } = await fetch(`${base()}/stream`);
    const reader = body!.getReader();
    const { value } = await reader.read();
    expect([Buffer.from(value!).toString(), Date.now() - began < 900]).toEqual(['data: first\n\n', true]);
    await reader.cancel();
  });
});
