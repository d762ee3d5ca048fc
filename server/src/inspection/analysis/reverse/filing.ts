import { many, one, type Queryable, transaction } from '../../../platform/db/sql.ts';
import type { Deps } from '../../../platform/deps.ts';
import { addJob } from '../../../platform/jobs/queue.ts';
import { filings } from './slots.ts';

// A picture of a capture is filed long after it is stored, together with many others: a photo then writes no row of the index, and an
// account with few photos never has one. Of one scope the pictures are filed in the order of their numbers, which is that of their commits
// (see `rememberPicture`), so one number says which are filed.

/**
 * A scope files its pictures when this many wait. A search compares each of them with each of its hashes, which costs less than looking
 * for the hashes in the slots; a scope that has filed pictures pays for both.
 */
const MANY = { first: 4_096, next: 512 } as const;
/** Pictures between two looks whether a scope has that many. */
const LOOK_EVERY = 64;
/** Pictures filed in one transaction. */
const BATCH = 256;

/** Adds the job that files a scope's pictures, if many wait. `picture` is the newest. */
export async function fileWhenMany(db: Queryable, scope: number, picture: string): Promise<void> {
  if (Number(picture) % LOOK_EVERY !== 0) return;
  const waiting = await one(
    db,
    `select 1 from reverse_scopes scopes cross join lateral (
       select 1 from reverse_pictures where scope_id = scopes.id and capture_id is not null and id > filed_to
       offset case when filed_to = 0 then $2::bigint else $3::bigint end limit 1) waiting
     where scopes.id = $1`,
    [scope, MANY.first - 1, MANY.next - 1],
  );
  if (waiting) await addJob(db, 'file_fingerprints', { scope_id: scope }, { key: `file fingerprints ${scope}` });
}

/** Files the pictures of a scope that wait. Safe to run twice, and beside searches and erasures. */
export async function fileFingerprints(deps: Pick<Deps, 'db'>, scope: number): Promise<void> {
  while ((await transaction(deps.db, tx => fileBatch(tx, scope))) === BATCH);
}

async function fileBatch(tx: Queryable, scope: number): Promise<number> {
  // Of two nodes one files.
  const state = await one<{ filed_to: string }>(
    tx,
    'select filed_to from reverse_scopes where id = $1 for no key update skip locked',
    [scope],
  );
  if (!state) return 0;
  // The lock makes an erasure wait, which then finds what was filed; a picture that is erased already is passed over.
  const pictures = await many<{ id: string }>(
    tx,
    `select id from reverse_pictures where scope_id = $1 and capture_id is not null and id > $2 order by id limit $3 for key share`,
    [scope, state.filed_to, BATCH],
  );
  if (pictures.length === 0) return 0;
  const entries = await many<{ id: string; hash: Buffer }>(
    tx,
    // `bit_send` puts four bytes of length first.
    'select id, substring(bit_send(hash) from 5) as hash from reverse_entries where picture_id = any($1::bigint[])',
    [pictures.map(({ id }) => id)],
  );
  await file(
    tx,
    entries.flatMap(({ id, hash }) => filings(scope, Number(id), hash)),
  );
  await tx.query('update reverse_scopes set filed_to = $2 where id = $1', [scope, pictures.at(-1)!.id]);
  return pictures.length;
}

/**
 * A row with this many bytes of records is full; the next record starts a new row. Half a page, so that an updated row fits beside its old
 * version.
 */
const FULL_PART = 3_584;

/** Locks the keys in sorted order, so that two transactions with common keys cannot deadlock. */
export async function file(db: Queryable, filed: ReturnType<typeof filings>): Promise<void> {
  await db.query(
    `insert into reverse_slots (key, part, records)
     select key, coalesce((select last.part + (octet_length(last.records) >= ${FULL_PART})::integer
                           from reverse_slots last where last.key = added.key order by last.part desc limit 1), 0), records
     from (select key, string_agg(record, '') as records from unnest($1::bigint[], $2::bytea[]) as each (key, record)
           group by key) added
     order by key
     on conflict (key, part) do update set records = reverse_slots.records || excluded.records`,
    [filed.map(({ key }) => key), filed.map(({ record }) => record)],
  );
}
