import { entryOf } from '@firsthand/evidence/statement.ts';
import { many, one, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import type { LogRow } from './log.ts';
import { appendToTiles } from './tiles.ts';

/** Entries placed in one transaction. */
export const BATCH = 2_000;
const CURRENT = 'select * from evidence_logs where id = (select max(id) from evidence_logs)';

/**
 * Gives the next pending entries their places in the log; gives back how many. The log's row fences: of several workers one
 * sequences and the others go away with 0.
 */
export const sequence = (deps: Pick<Deps, 'db'>): Promise<number> =>
  transaction(deps.db, async tx => {
    const log = await one<LogRow>(tx, `${CURRENT} for update skip locked`);
    return log ? placeNext(tx, log) : 0;
  });

/** Gives the entries of verifications their places at once, where they have none yet. Waits for who sequences. */
export async function placeEntries(tx: Tx, verificationIds: readonly string[]): Promise<void> {
  const waiting = () =>
    one(tx, 'select 1 from evidence_pending where verification_id = any($1) limit 1', [verificationIds]);
  if (!(await waiting())) return;
  let log = await one<LogRow>(tx, `${CURRENT} for update`);
  while (log && (await waiting())) {
    await placeNext(tx, log);
    log = await one<LogRow>(tx, CURRENT);
  }
}

interface PendingRow {
  verification_id: string;
  seq: number;
  commitment: Buffer;
}

/** Places the next batch. The caller holds the log's row. */
async function placeNext(tx: Tx, log: LogRow): Promise<number> {
  // The statements of a verification stand in the log in their order, also those that waited while an epoch began.
  const taken = await many<PendingRow>(
    tx,
    `with taken as (
         delete from evidence_pending where id in (select id from evidence_pending order by id limit $1) returning *
       )
       select verification_id, seq, commitment from taken order by min(id) over (partition by verification_id), seq`,
    [BATCH],
  );
  if (taken.length === 0) return 0;
  const pending = [...(await ofEarlierEpochs(tx, log, taken)), ...taken];
  const size = BigInt(log.size);
  await appendToTiles(
    tx,
    log.id,
    size,
    pending.map(({ commitment }) => entryOf(commitment)),
  );
  await tx.query(
    `update evidence_statements s set log_id = $1, leaf_index = $2::bigint + e.at - 1
       from unnest($3::text[], $4::integer[]) with ordinality as e (verification_id, seq, at)
       where s.verification_id = e.verification_id and s.seq = e.seq`,
    [log.id, size, pending.map(row => row.verification_id), pending.map(row => row.seq)],
  );
  await tx.query('update evidence_logs set size = $2 where id = $1', [log.id, size + BigInt(pending.length)]);
  return pending.length;
}

/** A bundle has one log: what earlier epochs hold of these verifications is entered again, before what is new. */
async function ofEarlierEpochs(tx: Tx, { id }: LogRow, taken: readonly PendingRow[]): Promise<PendingRow[]> {
  if (id === 1) return [];
  return many<PendingRow>(
    tx,
    `select verification_id, seq, commitment from evidence_statements
     where verification_id = any($1) and log_id < $2 order by verification_id, seq`,
    [[...new Set(taken.map(row => row.verification_id))], id],
  );
}
