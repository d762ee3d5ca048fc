import { many, type Queryable } from '../../platform/db/sql.ts';
import type { VerificationRow } from './row.ts';
import { sealHolds } from './seal.ts';

const BATCH = 1_000;

type SealedRow = Pick<
  VerificationRow,
  'id' | 'created_at' | 'expires_at' | 'config' | 'answers' | 'seal_hash' | 'redacted_at'
>;

/** Computes every seal again. Returns the number of sealed rows and the ids of the rows changed since. */
export async function checkSeals(db: Queryable): Promise<{ sealed: number; mismatches: string[] }> {
  const mismatches: string[] = [];
  let sealed = 0;
  for (let last = ''; ; ) {
    const rows = await many<SealedRow>(
      db,
      `select id, created_at, expires_at, config, answers, seal_hash, redacted_at from verifications
       where seal_hash is not null and redacted_at is null and id > $1 order by id limit $2`,
      [last, BATCH],
    );
    sealed += rows.length;
    mismatches.push(...rows.filter(row => !sealHolds(row)).map(({ id }) => id));
    if (rows.length < BATCH) return { sealed, mismatches };
    last = rows.at(-1)!.id;
  }
}
