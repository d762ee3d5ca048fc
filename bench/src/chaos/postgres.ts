import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
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

const SETTINGS = {
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
  const account = process.getuid?.() === 0 ? await namedAccount() : null;
  const home = await realpath(await mkdtemp(join(tmpdir(), 'fh-chaos-pg-')));
  await chmod(home, 0o755);
  const member = async (name: string): Promise<Member> => ({
    folder: join(home, name),
    port: await freePort(),
    server: null,
  });
  const pair = new PostgresPair({ bin, account, home }, await member('a'), await member('b'));
  try {
    await pair.start();
  } catch (error) {
    await pair.stop();
    throw error;
  }
  return pair;
}

const urlOf = ({ port }: Member, database = NAME) => `postgresql://${NAME}@127.0.0.1:${port}/${database}`;

async function say(member: Member, ...statements: string[]): Promise<void> {
  const pool = createPool(urlOf(member, 'postgres'), 1, () => {});
  try {
    for (const sql of statements) await pool.query(sql);
  } finally {
    await pool.end();
  }
}

/** Debian's PostgreSQL: a primary, and a standby that has every commit before the primary acknowledges it. */
export class PostgresPair {
  /** Names both servers. */
  readonly url: string;
  readonly #o: { bin: string; account: Account; home: string };
  #primary: Member;
  #standby: Member;

  constructor(o: { bin: string; account: Account; home: string }, primary: Member, standby: Member) {
    this.#o = o;
    this.#primary = primary;
    this.#standby = standby;
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(',');
    this.url = `postgresql://${NAME}@${hosts}/${NAME}?target_session_attrs=read-write`;
  }

  async start(): Promise<void> {
    await give(this.#o.home, this.#o.account);
    const { folder } = this.#primary;
    await this.#call('initdb', ['-D', folder, '-U', NAME, '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8']);
    await this.#launch(this.#primary);
    await say(this.#primary, `create database ${NAME}`);
    await this.rejoin();
  }

  /** Asks the primary to stop, without waiting for its clients, and starts it again. */
  async restartPrimary(): Promise<void> {
    this.#primary.server!.process.kill('SIGINT');
    await this.#primary.server!.exited;
    await this.#launch(this.#primary);
  }

  /** Kills every process of the primary at once. */
  async killPrimary(): Promise<void> {
    const { process: postmaster, exited } = this.#primary.server!;
    for (const pid of [postmaster.pid!, ...(await childrenOf(postmaster.pid!))]) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended with its parent.
      }
    }
    await exited;
    this.#primary.server = null;
  }

  async promote(): Promise<void> {
    await say(
      this.#standby,
      // Until another standby follows, a commit waits for nobody.
      'select pg_promote()',
      'alter system reset synchronous_standby_names',
      'select pg_reload_conf()',
    );
    [this.#primary, this.#standby] = [this.#standby, this.#primary];
  }

  /** Makes the other server a standby of the primary, from a copy of it. */
  async rejoin(): Promise<void> {
    const { folder } = this.#standby;
    await rm(folder, { recursive: true, force: true });
    const source = `host=127.0.0.1 port=${this.#primary.port} user=${NAME} application_name=standby`;
    await this.#call('pg_basebackup', ['-D', folder, '-d', source, '-R', '-X', 'stream', '-c', 'fast']);
    await this.#launch(this.#standby);
    const asStandby = `alter system set synchronous_standby_names = 'standby'`;
    await say(this.#primary, asStandby, 'select pg_reload_conf()');
  }

  async stop(): Promise<void> {
    await Promise.all([this.#primary, this.#standby].map(({ server }) => server?.stop()));
    await rm(this.#o.home, { recursive: true, force: true });
  }

  async #call(program: string, args: string[]): Promise<void> {
    const { code, text } = await run(join(this.#o.bin, program), args, this.#o.account, '/');
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${text}`);
  }

  async #launch(member: Member): Promise<void> {
    const { bin, account } = this.#o;
    const binaries = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
    member.server = launch(member.folder, binaries, account, { ...SETTINGS, port: `${member.port}` }, log);
    await untilReady(urlOf(member, 'postgres'), member.server);
  }
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
