import type { RedactionReceipt } from '@firsthand/contract/evidence/erasure.ts';
import { eraseMessages } from '../../delivery/notifications/erase.ts';
import { eraseAddresses, eraseDeliveries } from '../../delivery/webhooks/erase.ts';
import { endpointsOf } from '../../delivery/webhooks/queue.ts';
import { eraseReviews } from '../../desk/reviews/erase.ts';
import { forgetCaptures } from '../../inspection/analysis/reverse/store.ts';
import { placeNames } from '../../inspection/cases/narrative.ts';
import { eraseGeocodes } from '../../inspection/checks/geocode.ts';
import { many, one, type Queryable, type Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { eraseAnswers } from '../../platform/http/idempotency.ts';
import { dropJobs } from '../../platform/jobs/queue.ts';
import { sha256Hex } from '../../platform/lib/keyring.ts';
import { eraseEvents, routeEvents } from '../../record/events/record.ts';
import { appendStatements, eraseStatements, leavesOf } from '../../record/evidence/statements.ts';
import { eraseCaptures, eraseChallenges, lockCaptures } from '../../verification/captures/erase.ts';
import { cancel, markRedacted } from '../../verification/verifications/advance.ts';
import { isTerminal, type VerificationRow } from '../../verification/verifications/row.ts';
import { eraseVerifications } from '../../verification/verifications/write.ts';
import { eraseBundles } from '../bundles/settled.ts';
import { receiptSigner, receiptText } from './receipt.ts';

export interface Erasure {
  reason?: string | undefined;
  at: Date;
  /** Receipts of an earlier erasure that a backup has undone, by verification. They stay as they are. */
  earlier?: ReadonlyMap<string, RedactionReceipt>;
}

/**
 * Erases verifications in the caller's transaction, which has locked them and found neither a hold nor an erasure. The
 * pictures in the blob store go after the commit: see `finish.ts`. An open verification is cancelled first.
 */
export async function erase(
  tx: Tx,
  deps: Pick<Deps, 'config' | 'keyring' | 'origins' | 'clock'>,
  rows: readonly VerificationRow[],
  { reason, at, earlier }: Erasure,
): Promise<RedactionReceipt[]> {
  const ids = rows.map(({ id }) => id);
  const captures = await lockCaptures(tx, ids);
  const leaves = await leavesOf(tx, ids);
  const sign = await receiptSigner(tx, deps);
  const receipts = new Map(
    rows.map(row => {
      const made = () =>
        sign({
          verification_id: row.id,
          redacted_at: at.toISOString(),
          ...(reason === undefined ? {} : { reason }),
          kept: {
            image_sha256: captures.filter(({ verification_id }) => verification_id === row.id).map(one => one.sha256),
            ...(row.verdict ? { verdict_label: row.verdict.label } : {}),
          },
          leaves: leaves
            .filter(({ verification_id }) => verification_id === row.id)
            .map(({ seq, index, commitment }) => ({ seq, index, commitment })),
        });
      return [row.id, earlier?.get(row.id) ?? made()] as const;
    }),
  );
  await appendStatements(
    tx,
    deps,
    rows.map(subject => {
      const receipt_sha256 = sha256Hex(receiptText(receipts.get(subject.id)!));
      return { subject, type: 'redaction', at, content: { receipt_sha256 } };
    }),
  );
  const endpoints = await endpointsOfRows(tx, rows, at);
  const captureIds = captures.map(({ id }) => id);
  await eraseTraces(tx, ids, captureIds);
  const places = rows.flatMap(({ config, narrative }) => [
    ...(config.expected_location ? [config.expected_location] : []),
    ...placeNames(narrative ?? ''),
  ]);
  await eraseGeocodes(tx, places);
  for (const empty of await eraseVerifications(tx, ids)) {
    const closed = isTerminal(empty.status) ? empty : await cancel(tx, deps, empty, at);
    await markRedacted(tx, deps, closed, new Date(receipts.get(empty.id)!.redacted_at));
  }
  await routeEvents(tx, endpoints);
  await eraseAddresses(tx, ids);
  await tx.query(
    `insert into erasures (verification_id, redacted_at, receipt, receipt_kept, due_at)
     select receipt ->> 'verification_id', (receipt ->> 'redacted_at')::timestamptz, text, $2, $3
     from (select text, text::jsonb as receipt from unnest($1::text[]) text) each
     on conflict (verification_id) do update set due_at = excluded.due_at, deleted_at = null`,
    [ids.map(id => receiptText(receipts.get(id)!)), earlier !== undefined, at],
  );
  return ids.map(id => receipts.get(id)!);
}

/** The endpoints that hear of verifications, by verification. */
async function endpointsOfRows(tx: Tx, rows: readonly VerificationRow[], at: Date): Promise<Map<string, string>> {
  const routes = rows.flatMap(({ id, tenant_id: tenantId, livemode, config, private: kept }) => {
    const url = kept.webhook_url ?? config.webhook_url;
    return url === undefined ? [] : [{ tenantId, livemode, url, verificationId: id }];
  });
  const endpoints = await endpointsOf(tx, routes, at);
  return new Map(routes.map(({ verificationId }, n) => [verificationId, endpoints[n]!.id]));
}

/** Erases what other tables hold about verifications. */
async function eraseTraces(tx: Tx, verificationIds: readonly string[], captureIds: readonly string[]): Promise<void> {
  await dropJobs(tx, { verificationIds, captureIds });
  await forgetCaptures(tx, captureIds);
  await eraseCaptures(tx, captureIds);
  await eraseChallenges(tx, verificationIds);
  await eraseEvents(tx, verificationIds);
  await eraseDeliveries(tx, verificationIds);
  await eraseMessages(tx, verificationIds);
  await eraseAnswers(tx, verificationIds);
  await eraseReviews(tx, verificationIds);
  await eraseBundles(tx, verificationIds);
  await eraseStatements(tx, verificationIds);
}

/** The receipt of a redacted verification, as it was first given. */
export async function findReceipt(db: Queryable, verificationId: string): Promise<RedactionReceipt | null> {
  const row = await one<{ receipt: string }>(db, 'select receipt from erasures where verification_id = $1', [
    verificationId,
  ]);
  return row ? (JSON.parse(row.receipt) as RedactionReceipt) : null;
}

/** Locks those of the verifications that nobody has erased yet. */
export const lockUnerased = (tx: Tx, ids: readonly string[]): Promise<VerificationRow[]> =>
  many<VerificationRow>(
    tx,
    'select * from verifications where id = any($1) and redacted_at is null order by id for update',
    [ids],
  );
