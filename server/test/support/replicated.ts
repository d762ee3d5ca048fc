import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { chooseAccount, giveAll } from '../../src/platform/db/account.ts';
import { findBinaries } from '../../src/platform/db/binaries.ts';
import { createDatabase, initialise, ROLE } from '../../src/platform/db/cluster.ts';
import { launch, type Server, untilReady } from '../../src/platform/db/process.ts';
import { freePort } from './service-process.ts';

const log = pino({ level: 'silent' });

interface Node {
  folder: string;
  port: number;
  settings: Record<string, string>;
  server: Server | null;
}

export interface ReplicatedPostgres {
  /** One URL with both servers. */
  url: string;
  /** Kills the primary: nothing gets to finish. */
  killPrimary(): Promise<void>;
  /** Makes the standby the primary. */
  promote(): Promise<void>;
  /** Stops the primary, as `pg_ctl restart -m fast` does, and starts it again. */
  restartPrimary(): Promise<void>;
  stop(): Promise<void>;
}

/** A PostgreSQL primary with a synchronous standby, both on 127.0.0.1. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'fh-replicated-')));
  const account = await chooseAccount(join(home, 'primary'));
  const binaries = await findBinaries(account, home);
  const [port, standbyPort] = [await freePort(), await freePort()];
  const common = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    timezone: 'UTC',
  };
  const primary: Node = {
    folder: join(home, 'primary'),
    port,
    settings: { ...common, port: `${port}`, wal_level: 'replica', max_wal_senders: '4', wal_sender_timeout: '5s' },
    server: null,
  };
  const standby: Node = {
    folder: join(home, 'standby'),
    port: standbyPort,
    settings: {
      ...common,
      port: `${standbyPort}`,
      hot_standby: 'on',
      primary_conninfo: `host=127.0.0.1 port=${port} user=${ROLE} application_name=standby`,
    },
    server: null,
  };
  const urlOf = (node: Node, database = ROLE) => `postgresql://${ROLE}@127.0.0.1:${node.port}/${database}`;
  const start = async (node: Node) => {
    node.server = launch(node.folder, binaries, account, node.settings, log);
    await untilReady(urlOf(node, 'postgres'), node.server);
  };

  await initialise(home, primary.folder, binaries, account, log);
  await promisify(execFile)('cp', ['-a', primary.folder, standby.folder]);
  await writeFile(join(standby.folder, 'standby.signal'), '');
  await giveAll(standby.folder, account);
  await start(primary);
  await createDatabase(urlOf(primary, 'postgres'));
  await start(standby);
  // From here on a commit waits for the standby: what was acknowledged is on both.
  primary.settings.synchronous_standby_names = 'standby';
  await ask(urlOf(primary), "alter system set synchronous_standby_names = 'standby'");
  await ask(urlOf(primary), 'select pg_reload_conf()');

  return {
    url: `postgresql://${ROLE}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${ROLE}?target_session_attrs=read-write`,
    async killPrimary() {
      primary.server!.process.kill('SIGQUIT');
      await primary.server!.exited;
      primary.server = null;
    },
    promote: () => ask(urlOf(standby), 'select pg_promote()'),
    async restartPrimary() {
      primary.server!.process.kill('SIGINT');
      await primary.server!.exited;
      await start(primary);
    },
    async stop() {
      await Promise.all([primary, standby].map(node => node.server?.stop()));
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function ask(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
