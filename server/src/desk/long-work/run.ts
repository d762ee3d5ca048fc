import type { Role } from '@firsthand/contract/people/people.ts';
import pg from 'pg';
import { type Actor, audit } from '../../identity/audit/audit.ts';
import { isStillAllowed } from '../../identity/auth/still-allowed.ts';
import { type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { Problem } from '../../platform/http/problem.ts';

/** A job hands on after this long, so that long work keeps no other job waiting and a stopping process waits for none. */
const LASTS_MS = 2_000;

/** The row of one long work: a batch, or a bulk action. */
export interface LongWorkRow {
  id: string;
  tenant_id: string;
  state: string;
}

export interface Result<Item> {
  item: Item;
  /** The verification that was made, if any. */
  madeId: string | null;
  /** A code of the API, or {@link LongWork.unstorable}; null when the item is done. */
  error: string | null;
}

/** Work on many items, one after another, in the background. Its room owns its tables. */
export interface LongWork<Row extends LongWorkRow, Item> {
  /** Begins the names of its lines in the audit log. */
  name: string;
  /** Items that one transaction does. A killed process loses at most so many, and does them again. */
  chunk: number;
  /** The error of an item with data that the database cannot hold. */
  unstorable: string;
  addJob(tx: Queryable, id: string): Promise<void>;
  lock(tx: Tx, id: string): Promise<Row | undefined>;
  /** Whoever ordered it, and the least role that they keep while it runs. */
  orderedBy(row: Row): { actor: Actor; least: Role };
  /** Lists more of the items outside of a transaction. Null: all are listed. */
  listing?(deps: Deps, row: Row): (() => Promise<void>) | null;
  waiting(tx: Tx, row: Row, limit: number): Promise<Item[]>;
  /** Does one item, and returns the id of a verification that it made. */
  doOne(tx: Tx, deps: Deps, row: Row, item: Item): Promise<string | null>;
  /** Writes down results and progress. `endedAt`: no item is left. */
  record(tx: Tx, row: Row, results: readonly Result<Item>[], endedAt: Date | null): Promise<void>;
  /** Ends the work early. What was done stays done. */
  cancel(tx: Tx, id: string, at: Date, stopped: 'not_allowed' | null): Promise<Row>;
  /** For the audit log. */
  detailOf?(row: Row): Record<string, unknown>;
}

export const hasEnded = ({ state }: Pick<LongWorkRow, 'state'>): boolean =>
  state === 'completed' || state === 'cancelled';

/**
 * Job: does the items in chunks. A chunk, its results and its progress commit together, under the lock of the work, so
 * each item is done exactly once however often the job is killed or runs twice.
 */
export async function runLongWork<Row extends LongWorkRow, Item>(
  deps: Deps,
  work: LongWork<Row, Item>,
  id: string,
): Promise<void> {
  const until = performance.now() + LASTS_MS;
  let { chunk } = work;
  while (performance.now() < until) {
    try {
      const next = await transaction(deps.db, tx => runChunk(tx, deps, work, id, chunk));
      if (next === 'ended') return;
      if (next !== 'more') await next();
    } catch (error) {
      // One item that the database cannot hold must not stop the others: it is found by going one by one.
      if (chunk === 1 || !isOfItem(error)) throw error;
      chunk = 1;
    }
  }
  await work.addJob(deps.db, id);
}

/** Does up to `chunk` items. Returns what comes next: more items, the end, or listing more items. */
async function runChunk<Row extends LongWorkRow, Item>(
  tx: Tx,
  deps: Deps,
  work: LongWork<Row, Item>,
  id: string,
  chunk: number,
): Promise<'more' | 'ended' | (() => Promise<void>)> {
  const row = await work.lock(tx, id);
  if (!row || hasEnded(row)) return 'ended';
  const { actor, least } = work.orderedBy(row);
  if (!(await isStillAllowed(tx, row.tenant_id, actor, least))) {
    await stop(tx, work, row, deps.clock.now());
    return 'ended';
  }
  const list = work.listing?.(deps, row);
  if (list) return list;
  const items = await work.waiting(tx, row, chunk);
  const results: Result<Item>[] = [];
  for (const item of items) results.push(await (chunk === 1 ? tryOne : doOne)(tx, deps, work, row, item));
  const more = items.length === chunk;
  await work.record(tx, row, results, more ? null : deps.clock.now());
  return more ? 'more' : 'ended';
}

/** Ends work whose author may not do it any more. */
async function stop<Row extends LongWorkRow>(
  tx: Tx,
  work: Pick<LongWork<Row, never>, 'name' | 'cancel' | 'detailOf'>,
  row: Row,
  at: Date,
): Promise<void> {
  await work.cancel(tx, row.id, at, 'not_allowed');
  await audit(
    tx,
    { tenantId: row.tenant_id, actor: { kind: 'system' }, at },
    { action: `${work.name}.stopped`, target: row.id, detail: { ...work.detailOf?.(row), reason: 'not_allowed' } },
  );
}

type Doing = <Row extends LongWorkRow, Item>(
  tx: Tx,
  deps: Deps,
  work: LongWork<Row, Item>,
  row: Row,
  item: Item,
) => Promise<Result<Item>>;

const doOne: Doing = async (tx, deps, work, row, item) => ({
  item,
  madeId: await work.doOne(tx, deps, row, item),
  error: null,
});

/** Does one item. Writes down why it failed, if the item is the reason. */
const tryOne: Doing = async (tx, deps, work, row, item) => {
  await tx.query('savepoint item');
  try {
    return await doOne(tx, deps, work, row, item);
  } catch (error) {
    if (!isOfItem(error)) throw error;
    await tx.query('rollback to savepoint item');
    if (error instanceof Problem) return { item, madeId: null, error: error.code };
    deps.log.warn({ err: error, [work.name]: row.id }, 'an item of long work could not be done');
    return { item, madeId: null, error: work.unstorable };
  }
};

/** A refusal of the API, or data that does not fit or that a constraint refuses: SQLSTATE classes 22 and 23. */
const isOfItem = (error: unknown): boolean =>
  error instanceof Problem || (error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? ''));
