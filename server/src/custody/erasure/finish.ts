import { setTimeout as sleep } from 'node:timers/promises';
import { eraseDeliveries } from '../../delivery/webhooks/erase.ts';
import { many, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { newUlid } from '../../platform/lib/ids.ts';
import { deletePictures } from '../../verification/captures/erase.ts';

/** An object may still be written by who began before the erasure: they are looked for again after this time. */
const LOOK_AGAIN_MS = 3_600_000;

/** Receipts lie below this key of the blob store, each in an object of lines: one for each receipt. */
export const SEGMENTS = 'redactions/';
/** How long others wait for a node that dies at its work. */
const CLAIM_MS = 60_000;
const BATCH = 25;

interface Claimed {
  verification_id: string;
  receipt: string;
  receipt_kept: boolean;
  first: boolean;
}

/**
 * Does what an erasure leaves to do after its commit: the receipt goes to the blob store, then the pictures are deleted, and
 * an hour later whatever a late writer has left. `ids`: these, whether or not it is their time. Gives back how many it did.
 * Safe on every node at once; one that dies is followed by another.
 */
export async function finishErasures(
  deps: Pick<Deps, 'db' | 'blobs' | 'clock'>,
  ids: readonly string[] | null = null,
): Promise<number> {
  const now = deps.clock.now();
  const claimed = await many<Claimed>(
    deps.db,
    `update erasures set due_at = $2 where verification_id = any (array(
       select verification_id from erasures
       where due_at is not null and case when $3::text[] is null then due_at <= $1 else verification_id = any($3) end
       order by due_at limit $4 for update skip locked))
     returning verification_id, receipt, receipt_kept, deleted_at is null as first`,
    [now, new Date(now.getTime() + CLAIM_MS), ids, ids?.length ?? BATCH],
  );
  if (claimed.length === 0) return 0;
  await keepReceipts(deps, claimed);
  await Promise.all(claimed.map(({ verification_id }) => deletePictures(deps.blobs, verification_id)));
  const again = claimed.filter(({ first }) => !first).map(({ verification_id }) => verification_id);
  // A webhook may have been on its way at the erasure, and its answer written down since.
  if (again.length > 0) await transaction(deps.db, tx => eraseDeliveries(tx, again));
  const done = deps.clock.now();
  await deps.db.query(
    `update erasures set deleted_at = $2, due_at = case when deleted_at is null then $3::timestamptz end
     where verification_id = any($1)`,
    [claimed.map(({ verification_id }) => verification_id), done, new Date(done.getTime() + LOOK_AGAIN_MS)],
  );
  return claimed.length;
}

/** Appends receipts to the blob store, where a restored database finds them. */
async function keepReceipts(deps: Pick<Deps, 'db' | 'blobs' | 'clock'>, claimed: readonly Claimed[]): Promise<void> {
  const unkept = claimed.filter(({ receipt_kept }) => !receipt_kept);
  if (unkept.length === 0) return;
  const key = `${SEGMENTS}${newUlid()}.jsonl`;
  const lines = unkept.map(({ receipt }) => `${receipt}\n`).join('');
  await deps.blobs.put(key, Buffer.from(lines), { contentType: 'application/x-ndjson' });
  await deps.db.query(
    `with known as (insert into erasure_segments (key, known_since) values ($1, $2))
     update erasures set receipt_kept = true where verification_id = any($3)`,
    [key, deps.clock.now(), unkept.map(({ verification_id }) => verification_id)],
  );
}

/** Sweep: finishes erasures that are due. Rests twice as long as it works, so that it takes little from the API. */
export async function sweepErasures(deps: Pick<Deps, 'db' | 'blobs' | 'clock'>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const began = performance.now();
    if ((await finishErasures(deps)) < BATCH) return;
    await sleep(2 * (performance.now() - began), undefined, { signal }).catch(() => {});
  }
}
