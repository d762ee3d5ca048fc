import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type NameServer, startNameServer } from '../../../test/support/name-server.ts';
import { createNames } from './dns.ts';

let server: NameServer | undefined;
afterEach(() => server?.close());

const V4 = { address: '127.0.0.1', family: 4 };

it('createNames uses the configured name servers, and asks once for simultaneous lookups', async () => {
  server = await startNameServer(() => 100);
  const resolve = createNames({ servers: [server.address] });
  const answers = await Promise.all(Array.from({ length: 20 }, () => resolve('one.example', 'a')));
  expect(answers.every(answer => JSON.stringify(answer) === JSON.stringify([V4]))).toBe(true);
  // One question for each kind of address.
  expect(server.asked).toEqual(['one.example', 'one.example']);
});

it('createNames never asks a name server for localhost or names of the hosts file', async () => {
  server = await startNameServer(() => null);
  const folder = await mkdtemp(join(tmpdir(), 'fh-hosts-'));
  try {
    const hostsFile = join(folder, 'hosts');
    await writeFile(
      hostsFile,
      '10.1.2.3 inside.example Inside # ours\nfd00::1\tinside.example\n# 10.0.0.1 none.example\n',
    );
    const resolve = createNames({ servers: [server.address], hostsFile });
    expect(await resolve('INSIDE.example.', 'a')).toEqual([
      { address: '10.1.2.3', family: 4 },
      { address: 'fd00::1', family: 6 },
    ]);
    expect(await resolve('inside', 'a')).toHaveLength(1);
    expect((await resolve('localhost', 'a'))[0]).toEqual(V4);
    expect((await createNames({ servers: [] })('localhost', 'a'))[0]).toEqual(V4);
    expect(server.asked).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('createNames limits each account to eight lookups, and no account waits for another', async () => {
  server = await startNameServer(name => (name.endsWith('.slow.example') ? null : 0));
  const resolve = createNames({ servers: [server.address] });
  const ended: unknown[] = [];
  for (let n = 0; n < 40; n += 1) resolve(`n${n}.slow.example`, 'slow').catch((error: unknown) => ended.push(error));
  await expect.poll(() => server?.mostOpen()).toBe(8);
  for (let n = 0; n < 50; n += 1) expect(await resolve(`n${n}.fast.example`, 'fast')).toEqual([V4]);
  // The first eight slow names are still waiting for an answer, so no fast one waited for them.
  expect(ended).toEqual([]);
  await expect.poll(() => ended.length).toBeGreaterThan(0);
  expect(ended[0]).toMatchObject({ code: 'EAI_AGAIN' });
});
