import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { give, namedAccount } from 'firsthand/platform/db/account.ts';
import type { Account } from 'firsthand/platform/db/binaries.ts';
import { createPool } from 'firsthand/platform/db/pool.ts';
import { launch, run, type Server, untilReady } from 'firsthand/platform/db/process.ts';
import { createLog } from 'firsthand/platform/lib/log.ts';
import { freePort } from '../../../server/test/support/service-process.ts';

const NAME = 'firsthand';
const log = createLog('silent');

interface Member {
  folder: string;
  port: number;
  server: Server | null;
}

/** Debian's PostgreSQL: a primary, and a standby that has every commit before the primary acknowledges it. */
export interface PostgresPair {
  /** Names both servers. */
  url: string;
  /** Asks the primary to stop, without waiting for its clients, and starts it again. */
  restartPrimary(): Promise<void>;
  /** Kills every process of the primary at once. */
  killPrimary(): Promise<void>;
  promote(): Promise<void>;
  /** Makes the server that was killed a standby of the new primary, from a copy of it. */
  rejoin(): Promise<void>;
  stop(): Promise<void>;
}

/** The folder of PostgreSQL's programs where Debian's packages put them, newest version first. */
export function debianPostgres(): string | null {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  const newest = versions.map(Number).toSorted((a, b) => b - a)[0];
  return newest === undefined ? null : join(root, `${newest}`, 'bin');
}

export const postgresVersion = (): string =>
  spawnSync(join(debianPostgres()!, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout.trim();

export async function startPostgresPair(): Promise<PostgresPair> {
  const bin = debianPostgres();
  if (!bin) throw new Error('PostgreSQL is missing: apt-get install postgresql');
  const account: Account = process.getuid?.() === 0 ? await namedAccount() : null;
  const home = await realpath(await mkdtemp(join(tmpdir(), 'fh-chaos-pg-')));
  await chmod(home, 0o755);
  const binaries = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '120',
    max_wal_senders: '6',
    wal_sender_timeout: '5s',
    hot_standby: 'on',
    timezone: 'UTC',
    // The kernel outlives every process that is killed here, so a flush would test nothing.
    fsync: 'off',
  };
  const urlOf = ({ port }: Member, database = NAME) => `postgresql://${NAME}@127.0.0.1:${port}/${database}`;
  const call = async (program: string, args: string[]) => {
    const { code, text } = await run(join(bin, program), args, account, '/');
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${text}`);
  };
  const start = async (member: Member) => {
    member.server = launch(member.folder, binaries, account, { ...settings, port: `${member.port}` }, log);
    await untilReady(urlOf(member, 'postgres'), member.server);
  };
  const say = async (member: Member, ...statements: string[]) => {
    const pool = createPool(urlOf(member, 'postgres'), 1, () => {});
    try {
      for (const sql of statements) await pool.query(sql);
    } finally {
      await pool.end();
    }
  };
  /** Fills an empty folder with a copy of the primary and starts a standby on it. */
  const follow = async (standby: Member, of: Member) => {
    await rm(standby.folder, { recursive: true, force: true });
    const source = `host=127.0.0.1 port=${of.port} user=${NAME} application_name=standby`;
    await call('pg_basebackup', ['-D', standby.folder, '-d', source, '-R', '-X', 'stream', '-c', 'fast']);
    await start(standby);
    await say(of, `alter system set synchronous_standby_names = 'standby'`, 'select pg_reload_conf()');
  };

  const member = async (name: string): Promise<Member> => ({
    folder: join(home, name),
    port: await freePort(),
    server: null,
  });
  const members = [await member('a'), await member('b')] as const;
  let [primary, standby]: readonly Member[] = members as readonly [Member, Member];
  const stop = async () => {
    await Promise.all(members.map(each => each.server?.stop()));
    await rm(home, { recursive: true, force: true });
  };
  try {
    await mkdir(home, { recursive: true });
    await give(home, account);
    await call('initdb', ['-D', primary!.folder, '-U', NAME, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8']);
    await start(primary!);
    await say(primary!, `create database ${NAME}`);
    await follow(standby!, primary!);
  } catch (error) {
    await stop();
    throw error;
  }
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `postgresql://${NAME}@${hosts}/${NAME}?target_session_attrs=read-write`,
    async restartPrimary() {
      primary!.server!.process.kill('SIGINT');
      await primary!.server!.exited;
      await start(primary!);
    },
    async killPrimary() {
      const { process: postmaster, exited } = primary!.server!;
      const all = [postmaster.pid!, ...(await childrenOf(postmaster.pid!))];
      for (const pid of all) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended with its parent.
        }
      }
      await exited;
      primary!.server = null;
    },
    async promote() {
      await say(
        standby!,
        // Until another standby follows, a commit waits for nobody.
        'select pg_promote()',
        'alter system reset synchronous_standby_names',
        'select pg_reload_conf()',
      );
      [primary, standby] = [standby, primary];
    },
    rejoin: () => follow(standby!, primary!),
    stop,
  };
}

async function childrenOf(parent: number): Promise<number[]> {
  const found = await Promise.all(
    (await readdir('/proc'))
      .filter(entry => /^\d+$/.test(entry))
      .map(async pid => {
        const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent ? [Number(pid)] : [];
      }),
  );
  return found.flat();
}
