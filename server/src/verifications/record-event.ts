import type { Queryable } from '../db/sql.ts';
import type { Origins } from '../deps.ts';
import { type InternalEvent, recordEvent } from '../events/record.ts';
import { presentFrozen } from './present.ts';
import type { CaptureRow, VerificationRow } from './row.ts';

/** Records an event of a verification with the tenant's view as it is now, and the metadata once more at its top. `row.event_sequence` numbers it. */
export const record = (
  tx: Queryable,
  deps: { origins: Origins },
  row: VerificationRow,
  captures: readonly CaptureRow[],
  type: InternalEvent,
  at: Date,
): Promise<string> =>
  recordEvent(tx, {
    type,
    tenantId: row.tenant_id,
    livemode: row.livemode,
    verificationId: row.id,
    sequence: row.event_sequence,
    at,
    data: { ...presentFrozen(row, captures, deps.origins), metadata: row.config.metadata ?? {} },
  });
