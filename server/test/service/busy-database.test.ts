import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase } from '../support/database.ts';
import { freePort, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let dataDir: string;
let service: ServiceProcess | undefined;

beforeAll(async () => {
  database = await freshDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'fh-busy-'));
});
afterAll(async () => {
  await service?.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

test('a start waits for a database that does not answer its first connections', async () => {
  const real = new URL(database.url);
  const folder = real.searchParams.get('host');
  const port = Number(real.port || 5432);
  let asked = 0;
  const slow = createServer(socket => {
    socket.on('error', () => {});
    asked += 1;
    if (asked <= 2) return;
    const server = folder?.startsWith('/')
      ? connect(`${folder}/.s.PGSQL.${port}`)
      : connect(port, folder ?? real.hostname);
    server.on('error', () => socket.destroy());
    server.on('close', () => socket.destroy());
    socket.on('close', () => server.destroy());
    socket.pipe(server).pipe(socket);
  });
  await new Promise<void>(resolve => slow.listen(0, '127.0.0.1', resolve));
  const url = new URL(database.url);
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${(slow.address() as AddressInfo).port}`;
  service = startServiceProcess({
    dataDir,
    port: await freePort(),
    command: 'serve',
    env: {
      DATABASE_URL: url.href,
      DATABASE_CONNECT_SECONDS: '0.5',
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      DRAIN_SECONDS: '0',
    },
  });
  await service.ready();
  expect(asked).toBeGreaterThan(2);
  expect(service.output()).toContain('the database does not answer yet; trying again');
  expect(await service.stop()).toBe(0);
  service = undefined;
  slow.close();
});
