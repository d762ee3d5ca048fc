import { PublicView, Verification } from '@firsthand/contract/verification/verification.ts';
import { brandOf } from '../../identity/tenants/brands.ts';
import { transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { ok, openEndpoint, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { lockCurrent } from './advance.ts';
import { presentForTenant, presentPublic } from './present.ts';
import { findVerification, type VerificationRow } from './row.ts';
import { sealHolds } from './seal.ts';
import { isTerminal } from './status.ts';

/** Reads a verification, and first expires it if its deadline has passed. Throws `not_found`. */
export async function readCurrent(
  deps: Pick<Deps, 'log' | 'db' | 'keyring' | 'origins' | 'clock' | 'metrics'>,
  id: string,
): Promise<VerificationRow> {
  const row = await findVerification(deps.db, id);
  if (!row) throw notFound();
  if (!sealHolds(row)) {
    deps.metrics.sealMismatches.inc();
    deps.log.error({ verificationId: id }, 'seal mismatch: the record was changed after it was sealed');
  }
  return withExpiryApplied(deps, row);
}

/** Expires a row that was just read if its deadline has passed. Returns the current row. */
export async function withExpiryApplied(
  deps: Pick<Deps, 'db' | 'keyring' | 'origins' | 'clock'>,
  row: VerificationRow,
): Promise<VerificationRow> {
  if (isTerminal(row.status) || row.expires_at > deps.clock.now()) return row;
  return (await transaction(deps.db, tx => lockCurrent(tx, deps, row.id))) ?? row;
}

export const getVerification = tenantEndpoint({
  operationId: 'getVerification',
  summary: 'Get a verification with its captures',
  tag: 'Verifications',
  credentials: ['session', 'key', 'secret'],
  target: 'id',
  responses: { 200: Verification },
  handler: async ({ deps, params, principal }) =>
    ok(await presentForTenant(deps, await readCurrent(deps, params.id!), principal)),
});

export const getPublicVerification = openEndpoint({
  operationId: 'getPublicVerification',
  summary: 'Get the public view of a verification',
  tag: 'Verifications',
  credentials: ['capture'],
  target: 'id',
  responses: { 200: PublicView },
  async handler({ deps, params }) {
    const row = await readCurrent(deps, params.id!);
    return ok(presentPublic(row, await brandOf(deps, row)));
  },
});
