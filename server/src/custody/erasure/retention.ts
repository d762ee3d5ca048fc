import { setTimeout as sleep } from 'node:timers/promises';
import { many, one, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import type { VerificationRow } from '../../verification/verifications/row.ts';
import { erase } from './erase.ts';
import { finishErasures } from './finish.ts';

/** Verifications in one transaction: their locks are held for tens of milliseconds. */
const BATCH = 20;

/**
 * Sweep: redacts verifications whose retention is over, an account at a time in turn. Rests twice as long as it works, so
 * that it takes little from the API. Safe on every node at once.
 */
export async function sweepRetention(
  deps: Pick<Deps, 'config' | 'db' | 'blobs' | 'keyring' | 'origins' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const accounts = await many<{ id: string }>(
    deps.db,
    'select id from tenants where retention_days is not null order by id',
  );
  // Null: link templates that set their own, whatever the account has.
  let open: (string | null)[] = [null, ...accounts.map(({ id }) => id)];
  while (open.length > 0) {
    const full: typeof open = [];
    for (const account of open) {
      if (signal.aborted) return;
      const began = performance.now();
      const erased = await eraseExpired(deps, account);
      if (erased > 0) await sleep(2 * (performance.now() - began), undefined, { signal }).catch(() => {});
      if (erased === BATCH) full.push(account);
    }
    open = full;
  }
}

/**
 * Erases a batch of one account, or for null one of those that have their own retention. Reads the account's setting
 * anew: a backlog takes hours, and an owner who switches it off meanwhile must not lose the rest.
 */
async function eraseExpired(
  deps: Pick<Deps, 'config' | 'db' | 'blobs' | 'keyring' | 'origins' | 'clock'>,
  accountId: string | null,
): Promise<number> {
  const now = deps.clock.now();
  const ids = await transaction(deps.db, async tx => {
    const rows = accountId
      ? await many<VerificationRow>(
          tx,
          `select * from verifications
           where tenant_id = $1 and erase_at is null and redacted_at is null and legal_hold is null
             and closed_at <= $2::timestamptz - (select retention_days * interval '24 hours' from tenants where id = $1)
           order by closed_at limit $3 for update skip locked`,
          [accountId, now, BATCH],
        )
      : await many<VerificationRow>(
          tx,
          `select * from verifications where erase_at <= $1 and redacted_at is null and legal_hold is null
           order by erase_at limit $2 for update skip locked`,
          [now, BATCH],
        );
    if (rows.length > 0) await erase(tx, deps, rows, { reason: 'retention', at: now });
    return rows.map(({ id }) => id);
  });
  if (ids.length > 0) await finishErasures(deps, ids);
  return ids.length;
}

/** How many verifications are past their retention and still there, holds apart. */
export async function overdueForErasure(deps: Pick<Deps, 'db' | 'clock'>): Promise<number> {
  const row = await one<{ count: string }>(
    deps.db,
    `select count(*) from verifications v join tenants t on t.id = v.tenant_id
     where v.closed_at is not null and v.redacted_at is null and v.legal_hold is null
       and coalesce(v.erase_at, v.closed_at + t.retention_days * interval '24 hours') < $1::timestamptz - interval '1 hour'`,
    [deps.clock.now()],
  );
  return Number(row!.count);
}
