import type { RedactionReceipt } from '@firsthand/contract/evidence/erasure.ts';
import { many, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { deletePictures } from '../../verification/captures/erase.ts';
import { erase, lockUnerased } from './erase.ts';
import { finishErasures, SEGMENTS } from './finish.ts';

const MAX_SEGMENT_BYTES = 16_777_216;
const BATCH = 20;
const PAGE = 1_000;

export interface RestoreReport {
  /** Receipts in the blob store that were looked at. */
  receipts: number;
  /** Verifications that a backup had brought back and that are erased again. */
  erased_again: number;
}

/**
 * Erases again what a backup brought back. The blob store holds the receipts of all erasures; objects of receipts that the
 * database does not know show that it was set back. `everything`: looks at every receipt, and deletes the pictures of each
 * once more, for a blob store that was restored too.
 */
export async function restoreCheck(
  deps: Deps,
  { everything = false }: { everything?: boolean } = {},
): Promise<RestoreReport> {
  const report: RestoreReport = { receipts: 0, erased_again: 0 };
  let page: string[] = [];
  const look = async () => {
    for (const key of everything ? page : await unknownOf(deps, page)) await readSegment(deps, key, everything, report);
    page = [];
  };
  for await (const key of deps.blobs.list(SEGMENTS)) {
    page.push(key);
    if (page.length === PAGE) await look();
  }
  await look();
  if (report.erased_again > 0) {
    deps.log.warn({ ...report }, 'the database was set back; verifications redacted since then were erased again');
  }
  return report;
}

async function unknownOf(deps: Pick<Deps, 'db'>, keys: readonly string[]): Promise<string[]> {
  const rows = await many<{ key: string }>(
    deps.db,
    `select key from unnest($1::text[]) each (key)
     where not exists (select from erasure_segments known where known.key = each.key)`,
    [keys],
  );
  return rows.map(({ key }) => key);
}

async function readSegment(
  deps: Pick<Deps, 'config' | 'db' | 'blobs' | 'keyring' | 'origins' | 'clock'>,
  key: string,
  everything: boolean,
  report: RestoreReport,
): Promise<void> {
  const text = (await deps.blobs.get(key, { maxBytes: MAX_SEGMENT_BYTES })).toString('utf8');
  const receipts = text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as RedactionReceipt);
  report.receipts += receipts.length;
  for (let at = 0; at < receipts.length; at += BATCH) {
    const earlier = new Map(receipts.slice(at, at + BATCH).map(receipt => [receipt.verification_id, receipt]));
    const erased = await transaction(deps.db, async tx => {
      const rows = await lockUnerased(tx, [...earlier.keys()]);
      if (rows.length > 0) await erase(tx, deps, rows, { at: deps.clock.now(), earlier });
      return rows.map(({ id }) => id);
    });
    report.erased_again += erased.length;
    if (erased.length > 0) await finishErasures(deps, erased);
    if (everything) for (const id of earlier.keys()) await deletePictures(deps.blobs, id);
  }
  await deps.db.query('insert into erasure_segments (key, known_since) values ($1, $2) on conflict do nothing', [
    key,
    deps.clock.now(),
  ]);
}
