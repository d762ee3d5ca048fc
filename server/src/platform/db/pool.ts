import pg from 'pg';
import { tracedStatement } from '../lib/tracing.ts';
import { Client, tlsAdvice } from './connection.ts';
import { createPrimary, destroy, type Primary, urlsOfHosts } from './hosts.ts';

/** The database gave no usable answer: it is silent, unreachable or full, or the statement ran out of time. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
  /** The job queue retries after this code. It ends the process after a code it does not know. */
  readonly code = 'ETIMEDOUT';
}

/** Milliseconds; 0 is no limit. */
export interface DatabaseTimeouts {
  /** The wait for a new or free connection. */
  connectMs: number;
  statementMs: number;
  /** One wait for a lock. */
  lockMs: number;
  /** The pause between two statements of a transaction. */
  idleTransactionMs: number;
}

/** For migrations and commands, which may take as long as they need. */
export const UNHURRIED: DatabaseTimeouts = { connectMs: 10_000, statementMs: 0, lockMs: 0, idleTransactionMs: 0 };

/** SQLSTATE of a write on a standby: a primary became one, or the primary is elsewhere by now. */
const READ_ONLY = '25006';
/**
 * SQLSTATEs after which the same request may succeed later: connection lost, server shutting down or starting up, no
 * free connection, lock timeout, statement or transaction timeout, a server that is no longer the primary.
 */
const LATER = /^(08...|57P0[1235]|53300|55P03|57014|25P0[34]|25006)$/;
/** Messages of `pg` when a connection ends and the system names no error. */
const ENDED = /^(Connection terminated|Client was closed|Client has encountered a connection error|timeout e)/;

function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const tls = tlsAdvice(error);
  const later = error instanceof pg.DatabaseError ? LATER.test(error.code ?? '') : isUnreachable(error);
  return tls !== null || later
    ? new DatabaseUnavailable(`the database cannot be used: ${tls ?? error.message}`, { cause: error })
    : error;
}

/** The server cannot be written to any more, or this connection to it is gone: it may no longer be the primary. */
function lostItsServer(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return error.code === READ_ONLY || /^(08...|57P0[123])$/.test(error.code ?? '');
  return error instanceof DatabaseUnavailable ? lostItsServer(error.cause) : isUnreachable(error);
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && ((error as NodeJS.ErrnoException).syscall !== undefined || ENDED.test(error.message));

const TICK_MS = 250;
/** After a wait this long, the watch checks whether the database answers at all. */
const SUSPECT_TICKS = 4;
/**
 * The database answers if a new connection and `select 1` succeed within this time. Waiting callers then keep waiting.
 */
const PROBE_TICKS = 8;
const BETWEEN_PROBES_TICKS = 4;
/** The server ends a statement at its limit. If it is this late, the connection is dead. */
const GRACE_TICKS = 8;

/** One wait for the database. */
interface Wait {
  ticks: number;
  /** The wait gives up after this many ticks, even if the database answers others. */
  limit: number;
  giveUp(error: DatabaseUnavailable): void;
}

/**
 * Tells a slow statement from a database that stopped answering, because a stopped server enforces none of its own
 * timeouts. Counts time in ticks that ran, so a busy event loop of our own never looks like a silent database.
 */
function createWatch(primary: Primary, heard: (silent: boolean) => void) {
  const waits = new Set<Wait>();
  let probe: { ticks: number } | null = null;
  let rest = 0;
  let silent = false;

  function startProbe(): void {
    const current = { ticks: 0 };
    probe = current;
    const before = primary.route();
    const ended = (answers: boolean) => {
      if (probe !== current) return;
      endProbe(answers);
      // Who waits for a server that was replaced gives up at once.
      if (primary.route() !== before) giveUpAll(new DatabaseUnavailable('the database moved to another server'));
    };
    primary.search().then(
      () => ended(true),
      () => ended(false),
    );
  }

  function giveUpAll(error: DatabaseUnavailable): void {
    for (const wait of [...waits]) wait.giveUp(error);
  }

  function endProbe(answers: boolean): void {
    probe = null;
    rest = BETWEEN_PROBES_TICKS;
    if (silent === answers) {
      silent = !answers;
      heard(silent);
    }
    if (answers) return;
    primary.abandon();
    giveUpAll(new DatabaseUnavailable('the database does not answer'));
  }

  function tick(): void {
    for (const wait of [...waits]) {
      wait.ticks += 1;
      if (wait.ticks > wait.limit) wait.giveUp(new DatabaseUnavailable('the database did not answer in time'));
    }
    if (probe) {
      probe.ticks += 1;
      if (probe.ticks >= PROBE_TICKS) endProbe(false);
      return;
    }
    rest -= 1;
    if (rest > 0) return;
    if (silent || [...waits].some(wait => wait.ticks >= SUSPECT_TICKS)) startProbe();
  }

  const timer = setInterval(tick, TICK_MS).unref();
  return {
    silent: () => silent,
    add(wait: Omit<Wait, 'ticks'>): () => void {
      const added = { ...wait, ticks: 0 };
      waits.add(added);
      return () => void waits.delete(added);
    },
    close(): void {
      clearInterval(timer);
      probe = null;
      primary.abandon();
    },
  };
}

type Watch = ReturnType<typeof createWatch>;

/** A client with watched queries, whose errors say whether a retry makes sense. */
function watchedClient(
  watch: Watch,
  timeouts: DatabaseTimeouts,
  primary: Primary,
  lost: (error: unknown) => void,
): typeof pg.Client {
  const limit = timeouts.statementMs === 0 ? Number.POSITIVE_INFINITY : timeouts.statementMs / TICK_MS + GRACE_TICKS;
  return class extends Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, ...primary.route().config() });
    }
    // The type cannot distinguish the many forms of `query`.
    // biome-ignore lint/suspicious/noExplicitAny: see above
    override query(...of: any[]): any {
      const asked = tracedStatement(of[0], () => (super.query as (...of: unknown[]) => unknown).apply(this, of));
      if (!(asked instanceof Promise)) return asked;
      let gaveUp: DatabaseUnavailable | undefined;
      const done = watch.add({
        limit,
        giveUp: error => {
          gaveUp = error;
          destroy(this);
        },
      });
      return asked.then(
        result => {
          done();
          return result;
        },
        error => {
          done();
          lost(error);
          throw gaveUp ?? asUnavailable(error);
        },
      );
    }
  };
}

interface PoolOptions {
  timeouts?: DatabaseTimeouts;
  /** The URL leads to a pooler that gives each transaction another session (pgbouncer's transaction mode). */
  pooled?: boolean;
  /** Called with true when the database falls silent, and with false when it answers again. */
  onSilence?: (silent: boolean) => void;
}

/** graphile-worker takes the client that listens by callback. */
type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

/**
 * A pool that refuses at once, with {@link DatabaseUnavailable}, while the database is silent. It resumes by itself
 * when the database answers again.
 */
class WatchedPool extends pg.Pool {
  readonly #watch: Watch;
  /**
   * The number of silences and lost servers before each connection opened. A connection from before one may be dead on
   * the other side.
   */
  readonly #born = new WeakMap<pg.PoolClient, number>();
  #silences = 0;

  readonly #primary: Primary;
  /** The statement that opens a transaction on this pool. */
  readonly begin: string;

  constructor(url: string, max: number, onError: (error: Error) => void, o: PoolOptions) {
    const timeouts = o.timeouts ?? UNHURRIED;
    const primary = createPrimary(urlsOfHosts(url) ?? [url]);
    const settings = Object.entries({
      statement_timeout: timeouts.statementMs,
      lock_timeout: timeouts.lockMs,
      idle_in_transaction_session_timeout: timeouts.idleTransactionMs,
    }).filter(([, ms]) => ms > 0);
    const watch = createWatch(primary, silent => {
      if (silent) this.#silences += 1;
      o.onSilence?.(silent);
    });
    super({
      max,
      idleTimeoutMillis: 30_000,
      application_name: 'firsthand',
      keepAlive: true,
      connectionTimeoutMillis: timeouts.connectMs,
      ...(o.pooled ? {} : Object.fromEntries(settings)),
      Client: watchedClient(watch, timeouts, primary, error => this.#lost(error)),
    } as pg.PoolConfig);
    this.#watch = watch;
    this.#primary = primary;
    // A pooler hands each transaction another session, so a session's settings do not stay.
    this.begin = ['begin', ...(o.pooled ? settings.map(([name, ms]) => `set local ${name} = ${ms}`) : [])].join('; ');
    // An idle client that loses its server must not end the process. The next query gets a new client.
    this.on('error', error => {
      this.#lost(error);
      onError(error);
    });
    this.on('connect', client => {
      this.#born.set(client, this.#silences);
      // Neither must a client outside the pool that loses its server between two queries.
      client.on('error', onError);
    });
  }

  /** After some errors the connections so far may lead to a server that is no longer the primary. */
  #lost(error: unknown): void {
    if (lostItsServer(error) && this.#primary.lost()) this.#silences += 1;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const client = this.#connect();
    if (!callback) return client;
    client.then(
      made => callback(undefined, made, made.release.bind(made)),
      error => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  async #connect(): Promise<pg.PoolClient> {
    for (;;) {
      if (this.#watch.silent()) throw new DatabaseUnavailable('the database does not answer');
      const client = await this.#acquire();
      if (this.#born.get(client) === this.#silences) return client;
      client.release(true);
    }
  }

  #acquire(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      let over = false;
      const end = () => {
        over = true;
        done();
      };
      const done = this.#watch.add({
        limit: Number.POSITIVE_INFINITY,
        giveUp: error => {
          end();
          reject(error);
        },
      });
      const connected = this.#primary
        .find()
        .catch(cause => {
          throw new DatabaseUnavailable('no server of DATABASE_URL accepts writes', { cause });
        })
        .then(() => this.#open());
      connected.then(
        client => {
          if (over) return client.release();
          end();
          resolve(client);
        },
        error => {
          end();
          this.#lost(error);
          reject(asUnavailable(error));
        },
      );
    });
  }

  async #open(): Promise<pg.PoolClient> {
    const route = this.#primary.route();
    const tls = route.tls();
    try {
      return await super.connect();
    } catch (error) {
      if (route.refused(error, tls)) return this.#open();
      throw error;
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the many forms of `query`; ours is the one that answers with a promise
  override async query(...of: any[]): Promise<any> {
    const client = await this.connect();
    try {
      const result = await (client.query as (...of: unknown[]) => Promise<unknown>).apply(client, of);
      client.release();
      return result;
    } catch (error) {
      client.release(error instanceof DatabaseUnavailable);
      throw error;
    }
  }

  override async end(): Promise<void> {
    await super.end();
    this.#watch.close();
  }
}

/** Creates a pool. `onError` gets the errors of idle connections. */
export const createPool = (url: string, max: number, onError: (error: Error) => void, o: PoolOptions = {}): pg.Pool =>
  new WatchedPool(url, max, onError, o);
