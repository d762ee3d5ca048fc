import type { PublicVerdictPolicy } from '@firsthand/contract/account/management.ts';
import type { Fault } from '@firsthand/contract/base/fault.ts';
import {
  type CreateVerificationRequest,
  DEPTH_POLICY_FAULT,
} from '@firsthand/contract/verification/create-verification.ts';
import type { DepthPolicy } from '@firsthand/contract/verification/presence.ts';
import type { SignalName } from '@firsthand/contract/verification/signals.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';

const DEFAULT_SIGNALS: readonly SignalName[] = ['screen', 'ai'];

/** The account's defaults. */
export interface Account {
  notify_email: string | null;
  depth_policy: DepthPolicy;
  signals_required: SignalName[] | null;
}

export const accountOf = (db: Queryable, tenantId: string): Promise<Account | undefined> =>
  one<Account>(db, 'select notify_email, depth_policy, signals_required from tenants where id = $1', [tenantId]);

export const signalsOf = (request: CreateVerificationRequest, account: Account | null | undefined): SignalName[] => [
  ...new Set(request.signals_required ?? account?.signals_required ?? DEFAULT_SIGNALS),
];

/** The signals that a verification of this request requires: its own, else the account's, else the default. */
export const requiredBy = async (
  db: Queryable,
  tenantId: string,
  request: CreateVerificationRequest,
): Promise<SignalName[]> => signalsOf(request, request.signals_required ? null : await accountOf(db, tenantId));

/** The fault of a `depth_policy` without `signals_required`, where the account's do not hold `depth`. */
export async function depthPolicyFaults(db: Queryable, tenantId: string, body: object): Promise<Fault[]> {
  if (!('depth_policy' in body) || 'signals_required' in body) return [];
  return (await requiredBy(db, tenantId, {})).includes('depth') ? [] : [DEPTH_POLICY_FAULT];
}

/** When the public pages of an account say the verdict. */
export async function publicVerdictOf(db: Queryable, tenantId: string): Promise<PublicVerdictPolicy> {
  const row = await one<{ public_verdict: PublicVerdictPolicy }>(
    db,
    'select public_verdict from tenants where id = $1',
    [tenantId],
  );
  return row!.public_verdict;
}
