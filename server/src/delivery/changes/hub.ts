import { deleteInBatches, SWEEP_BATCH } from '../../platform/db/batches.ts';
import { createWakeup, startListening } from '../../platform/db/listen.ts';
import { many, one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { WEBHOOKS_CHANNEL } from '../../record/events/record.ts';

/** The hub looks when an event was recorded, and this often anyway: some changes have no event. */
const LOOK_MS = 1_000;
/** A reader that falls behind by more is told to load everything again. */
const MAX_WAITING = 1_000;
/** For so long a reader may have been away. */
export const KEPT_MS = 15 * 60_000;

/** Changes that one open stream has not sent yet. */
export interface Subscriber {
  scopes: readonly string[];
  /** Ids of verifications, with their scope. */
  waiting: Map<string, string>;
  /** More has changed than is remembered. */
  lost: boolean;
  /** Every change before this transaction was told. */
  position: string;
  wake(): void;
}

/** Where every earlier transaction has ended: what it changed was seen or never will be. */
async function endOfChanges(db: Queryable): Promise<string> {
  return (await one<{ xmin: string }>(db, 'select pg_snapshot_xmin(pg_current_snapshot())::text as xmin'))!.xmin;
}

interface ChangeRow {
  recorded_in: string;
  scope: string;
  verification_id: string;
}

/** Changes recorded from one transaction on, up to the end, in order. */
const changesFrom = (db: Queryable, from: string, end: string): Promise<ChangeRow[]> =>
  many<ChangeRow>(
    db,
    `select recorded_in::text as recorded_in, scope, verification_id from verification_changes
     where recorded_in >= $1::text::xid8 and recorded_in < $2::text::xid8 order by verification_changes.recorded_in`,
    [from, end],
  );

/** Changes of some scopes that somebody missed; one more than a reader remembers, at most. */
export const missedChanges = (db: Queryable, scopes: readonly string[], from: string, end: string) =>
  many<{ scope: string; verification_id: string }>(
    db,
    `select distinct scope, verification_id from verification_changes
     where recorded_in >= $1::text::xid8 and recorded_in < $2::text::xid8 and scope = any($3) limit $4`,
    [from, end, scopes, MAX_WAITING + 1],
  );

export function note(subscriber: Subscriber, id: string, scope: string): void {
  if (subscriber.waiting.size >= MAX_WAITING && !subscriber.waiting.has(id)) {
    subscriber.lost = true;
    subscriber.waiting.clear();
  }
  subscriber.waiting.set(id, scope);
  subscriber.wake();
}

/**
 * Tells the open streams of this process what changes, on whatever node. One connection listens and one query reads for
 * all of them, for as long as any is open.
 */
export class Hub {
  readonly #deps: Pick<Deps, 'db' | 'direct' | 'log'>;
  readonly #subscribers = new Set<Subscriber>();
  readonly #wakeup = createWakeup();
  /** Where the next look begins; null while nobody subscribes. */
  #position: string | null = null;
  #starting: Promise<void> | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(deps: Pick<Deps, 'db' | 'direct' | 'log'>) {
    this.#deps = deps;
  }

  /** Begins to tell a subscriber what changes. `position` of the subscriber says from where on. */
  async add(subscriber: Subscriber): Promise<void> {
    this.#subscribers.add(subscriber);
    if (this.#position === null) {
      this.#starting ??= this.#start();
      await this.#starting;
    }
    subscriber.position = this.#position!;
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size === 0) this.#wakeup.wake();
  }

  /** Resolves when nothing listens any more. */
  async close(): Promise<void> {
    this.#subscribers.clear();
    this.#wakeup.wake();
    await this.#starting?.catch(() => {});
    await this.#running;
  }

  async #start(): Promise<void> {
    try {
      const end = await endOfChanges(this.#deps.db);
      await this.#running;
      this.#running = this.#run(end);
    } finally {
      this.#starting = null;
    }
  }

  async #run(from: string): Promise<void> {
    this.#position = from;
    const listener = startListening(this.#deps, { [WEBHOOKS_CHANNEL]: this.#wakeup.wake });
    while (this.#subscribers.size > 0) {
      this.#wakeup.clear();
      try {
        this.#position = await this.#tell(this.#position);
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'changes could not be read; looking again');
      }
      await this.#wakeup.wait(LOOK_MS);
    }
    this.#position = null;
    await listener.stop();
  }

  /** Tells the changes from a transaction on, and returns where they end. */
  async #tell(from: string): Promise<string> {
    const end = await endOfChanges(this.#deps.db);
    const rows = await changesFrom(this.#deps.db, from, end);
    for (const subscriber of this.#subscribers) {
      for (const row of rows) {
        if (subscriber.scopes.includes(row.scope)) note(subscriber, row.verification_id, row.scope);
      }
      subscriber.position = end;
    }
    return end;
  }
}

/** Deletes changes that nobody resumes from any more and that statistics have counted. */
export async function forgetChanges({ db }: Pick<Deps, 'db'>): Promise<void> {
  await deleteInBatches(() =>
    db.query(
      `delete from verification_changes where ctid in (
         select ctid from verification_changes where at < now() - $1 * interval '1 millisecond'
           and recorded_in < (select upto from statistics_position) limit $2)`,
      [KEPT_MS, SWEEP_BATCH],
    ),
  );
}

/** Deletes all changes: a reader that resumes loads everything again. */
export const forgetAllChanges = (tx: Queryable) => tx.query('delete from verification_changes');
