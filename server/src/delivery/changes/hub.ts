import { deleteInBatches, SWEEP_BATCH } from '../../platform/db/batches.ts';
import { createWakeup, type Listener, startListening } from '../../platform/db/listen.ts';
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
export async function endOfChanges(db: Queryable): Promise<string> {
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
export function createHub(deps: Pick<Deps, 'db' | 'direct' | 'log'>) {
  const subscribers = new Set<Subscriber>();
  const wakeup = createWakeup();
  /** Where the next look begins; null while nobody subscribes. */
  let position: string | null = null;
  let starting: Promise<void> | null = null;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    const listener: Listener = startListening(deps, { [WEBHOOKS_CHANNEL]: () => wakeup.wake() });
    while (subscribers.size > 0) {
      wakeup.clear();
      try {
        const end = await endOfChanges(deps.db);
        const rows = await changesFrom(deps.db, position!, end);
        for (const subscriber of subscribers) {
          for (const row of rows) {
            if (subscriber.scopes.includes(row.scope)) note(subscriber, row.verification_id, row.scope);
          }
          subscriber.position = end;
        }
        position = end;
      } catch (error) {
        deps.log.warn({ err: error }, 'changes could not be read; looking again');
      }
      await wakeup.wait(LOOK_MS);
    }
    position = null;
    await listener.stop();
  }

  async function start(): Promise<void> {
    try {
      const end = await endOfChanges(deps.db);
      await running;
      position = end;
      running = run();
    } finally {
      starting = null;
    }
  }

  return {
    /** Begins to tell a subscriber what changes. `position` of the subscriber says from where on. */
    async add(subscriber: Subscriber): Promise<void> {
      subscribers.add(subscriber);
      if (position === null) {
        starting ??= start();
        await starting;
      }
      subscriber.position = position!;
    },
    remove(subscriber: Subscriber): void {
      subscribers.delete(subscriber);
      if (subscribers.size === 0) wakeup.wake();
    },
    /** Resolves when nothing listens any more. */
    async close(): Promise<void> {
      subscribers.clear();
      wakeup.wake();
      await starting?.catch(() => {});
      await running;
    },
  };
}
export type Hub = ReturnType<typeof createHub>;

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
