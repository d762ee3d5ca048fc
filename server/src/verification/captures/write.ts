import type { CaptureSignals } from '@firsthand/contract/verification/signals.ts';
import type { ContextCheck } from '@firsthand/contract/verification/verification.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { storable } from '../../platform/db/storable.ts';
import type { StoredPresence } from '../verifications/row.ts';

/** Stores the text read from a capture. The first reading stays, and an erased verification takes none. */
export async function storeText(db: Queryable, captureId: string, reading: object): Promise<void> {
  await db.query(
    `update captures set text = $2 where id = $1 and text is null
       and not exists (select from verifications v where v.id = captures.verification_id and v.redacted_at is not null)`,
    [captureId, storable(reading)],
  );
}

/** Stores the result of an analysis, unless the capture already has one. */
export async function storeAnalysis(
  tx: Tx,
  captureId: string,
  found: {
    at: Date;
    signals: CaptureSignals;
    metadata: object;
    previewKey: string;
    displayKey: string | null;
    locationMatch: object | null | undefined;
    context: ContextCheck | null;
    presence: StoredPresence | null;
  },
): Promise<void> {
  await tx.query(
    `update captures set analysis_state = 'done', analyzed_at = $2, signals = $3, metadata = $4, preview_blob = $5,
       location_match = $6, context = $7, presence = $8, display_blob = $9 where id = $1 and analysis_state = 'pending'`,
    [
      captureId,
      found.at,
      storable(found.signals),
      storable(found.metadata),
      found.previewKey,
      storable(found.locationMatch),
      storable(found.context),
      storable(found.presence),
      found.displayKey,
    ],
  );
}
