import type { Queryable } from '../db/sql.ts';
import { storable } from '../db/storable.ts';

/** The text read from a capture; the first reading stays, and an erased verification takes none. */
export async function storeText(db: Queryable, captureId: string, reading: object): Promise<void> {
  await db.query(
    `update captures set text = $2 where id = $1 and text is null
       and not exists (select from verifications v where v.id = captures.verification_id and v.redacted_at is not null)`,
    [captureId, storable(reading)],
  );
}
