import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createChance } from '../support/chance.ts';
import { createLoad } from '../support/crash-load.ts';
import { freshDatabase } from '../support/database.ts';
import { PHONES } from '../support/phones.ts';
import { firstRunOf, freePort, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const chance = createChance();

const CHAOS_MS = 12_000;
/** Everything that was acknowledged is checked at the end, with its bundle: without pauses that takes longer than the kills. */
const PAUSE_MS = 600;

describe('service killed at random moments', () => {
  let dataDir: string;
  let port: number;
  let url: string;
  let service: ServiceProcess;
  let workers: ServiceProcess[];
  let receiver: WebhookReceiver;
  let chaos: boolean;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fh-crash-'));
    port = await freePort();
    url = `http://localhost:${port}`;
    chaos = true;
    workers = [];
    // A receiver in trouble of its own now and then: what it refused must come again, under the same id.
    receiver = await receiveWebhooks(response => void response.writeHead(chaos && chance() < 0.1 ? 503 : 204).end());
  });
  afterEach(async () => {
    for (const each of [service, ...workers]) await each?.kill();
    await receiver?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('loses nothing that it acknowledged and does nothing twice', async () => {
    const start = () => {
      service = startServiceProcess({ dataDir, port, env: PHONES });
    };
    // The very first start is killed, too: while the database is created, migrated, or given its first tenant.
    for (const delay of [300, 1_500, 2_500]) {
      start();
      await sleep(delay);
      await service.kill();
    }
    start();
    await service.ready();

    const load = createLoad({ url, receiver, output: () => service.output(), pauseMs: PAUSE_MS });
    let kills = 0;
    await load.during(await firstRunOf(dataDir), async lost => {
      const deadline = Date.now() + CHAOS_MS;
      while ((Date.now() < deadline || kills < 5 || load.kept.length < 9) && !lost()) {
        const whileStarting = chance() < 0.25;
        if (!whileStarting) await service.ready();
        await sleep(chance() * (whileStarting ? 1_500 : 3_000));
        await service.kill();
        kills += 1;
        // Half the time the database dies with it, as under a kill of everything; else it is left without its parent.
        if (chance() < 0.5) await killDatabase();
        start();
      }
      await service.ready();
    });
    chaos = false;

    await load.expectKept();
    expect(await service.stop()).toBe(0);
    console.log(`${kills + 3} kills, ${load.summary()}`);
    expect(kills).toBeGreaterThan(4);
    expect(load.kept.length).toBeGreaterThan(8);
  }, 600_000);

  test('loses nothing and does nothing twice when it is an API and two workers, killed one by one', async () => {
    const database = await freshDatabase();
    const env = {
      ...PHONES,
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      DRAIN_SECONDS: '0',
    };
    const node = (command: 'serve' | 'work') => startServiceProcess({ dataDir, port, command, env });
    service = node('serve');
    await service.ready();
    workers.push(node('work'), node('work'));
    const output = () => [service, ...workers].map(each => each.output()).join('\n');

    const load = createLoad({ url, receiver, output, pauseMs: PAUSE_MS });
    const victims = ['work', 'work', 'serve', 'work', 'work', 'serve', 'work'] as const;
    let kills = 0;
    await load.during(await firstRunOf(dataDir), async lost => {
      for (const [turn, victim] of victims.entries()) {
        if (lost()) return;
        await sleep(500 + chance() * 3_000);
        kills += 1;
        if (victim === 'serve') {
          await service.kill();
          service = node('serve');
          await service.ready();
        } else {
          await workers[turn % 2]!.kill();
          workers[turn % 2] = node('work');
        }
      }
    });
    chaos = false;

    await load.expectKept();
    for (const each of [service, ...workers]) expect(await each.stop(), each.output()).toBe(0);
    await database.drop();
    console.log(`${kills} kills, ${load.summary()}`);
    expect(kills).toBe(victims.length);
    expect(load.kept.length).toBeGreaterThan(4);
  }, 600_000);

  async function killDatabase(): Promise<void> {
    const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number(text.split('\n')[0]);
    if (pid > 1) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It had ended.
      }
    }
  }
});
