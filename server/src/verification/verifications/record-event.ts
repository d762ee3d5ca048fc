import type { Queryable } from '../../platform/db/sql.ts';
import type { Origins } from '../../platform/deps.ts';
import { type InternalEvent, recordEvent } from '../../record/events/record.ts';
import { presentFrozen, withoutOthers } from './present.ts';
import { reviewsOf } from './reviews.ts';
import type { CaptureRow, VerificationRow } from './row.ts';

/**
 * Records an event with the tenant's current view and a second copy of the metadata at its top. `row.event_sequence`
 * numbers the event.
 */
export async function record(
  tx: Queryable,
  deps: { origins: Origins },
  row: VerificationRow,
  captures: readonly CaptureRow[],
  type: InternalEvent,
  at: Date,
): Promise<string> {
  const shown = await reviewsOf(tx, row, { viewer: null, now: at });
  const view = presentFrozen(row, captures, shown, deps.origins);
  return recordEvent(tx, {
    type,
    tenantId: row.tenant_id,
    livemode: row.livemode,
    verificationId: row.id,
    sequence: row.event_sequence,
    at,
    data: { ...(row.private.by ? withoutOthers(view) : view), metadata: row.config.metadata ?? {} },
  });
}
