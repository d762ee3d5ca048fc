import { originFaults } from '@firsthand/contract/account/embedding.ts';
import { type PublicVerdictPolicy, Settings, SettingsPatch } from '@firsthand/contract/account/management.ts';
import { type Fault, fault } from '@firsthand/contract/base/fault.ts';
import type { ReviewPolicy } from '@firsthand/contract/reviews/reviews.ts';
import type { DepthPolicy } from '@firsthand/contract/verification/presence.ts';
import { LINK_CHANNELS } from '@firsthand/contract/verification/send-link.ts';
import type { SignalName } from '@firsthand/contract/verification/signals.ts';
import { attestedFaults } from '../../platform/config/attestation.ts';
import { one, type Queryable, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { type Activity, activityOf, audit } from '../audit/audit.ts';

interface SettingsRow {
  name: string;
  notify_email: string | null;
  retention_days: number | null;
  rate_limit_per_minute: number | null;
  review_policy: ReviewPolicy;
  review_sample: number;
  depth_policy: DepthPolicy;
  signals_required: SignalName[] | null;
  allowed_origins: string[];
  public_verdict: PublicVerdictPolicy;
}

const COLUMNS =
  'name, notify_email, retention_days, rate_limit_per_minute, review_policy, review_sample, depth_policy, signals_required, allowed_origins, public_verdict';

async function readSettings(
  db: Queryable,
  { config }: Pick<Deps, 'config'>,
  tenantId: string,
  lock: '' | 'for update' = '',
): Promise<Settings> {
  const row = await one<SettingsRow>(db, `select ${COLUMNS} from tenants where id = $1 ${lock}`, [tenantId]);
  if (!row) throw new Error(`there is no tenant ${tenantId}`);
  return {
    ...row,
    rate_limit_per_minute: row.rate_limit_per_minute ?? config.rateLimitPerMinute,
    link_channels: LINK_CHANNELS.filter(channel => (channel === 'email' ? config.smtpUrl : config.botUrl) !== null),
  };
}

/** Sets a tenant's requests per minute; null restores the deployment's default. Returns false when the tenant does not exist. */
export async function setLimit(tx: Queryable, activity: Activity, limit: number | null): Promise<boolean> {
  const found = await one(tx, 'update tenants set rate_limit_per_minute = $2 where id = $1 returning 1 as found', [
    activity.tenantId,
    limit,
  ]);
  if (!found) return false;
  await audit(tx, activity, {
    action: 'rate_limit.set',
    target: activity.tenantId,
    detail: { rate_limit_per_minute: limit },
  });
  return true;
}

export const getSettings = tenantEndpoint({
  operationId: 'getSettings',
  summary: 'Get the settings',
  tag: 'Management',
  credentials: ['session', 'secret'],
  responses: { 200: Settings },
  handler: async ({ deps, principal }) => ok(await readSettings(deps.db, deps, principal.tenantId)),
});

/** Reports read-only members as read-only instead of unknown. */
function patchFaults(body: unknown): Fault[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  if (Object.keys(body).length === 0) return [fault('body', 'too_few', 'must name at least one setting', { min: 1 })];
  return [
    ...('rate_limit_per_minute' in body ? [fault('rate_limit_per_minute', 'read_only', 'is read only')] : []),
    ...originFaults(body),
  ];
}

export const patchSettings = tenantEndpoint({
  operationId: 'updateSettings',
  summary: 'Change settings',
  description:
    'Settings you leave out stay as they are. A change applies to verifications created later, of the review ' +
    'settings to those that end later, and of `allowed_origins` and `public_verdict` to every link at once.',
  tag: 'Management',
  credentials: ['session', 'secret'],
  role: 'owner',
  recentFor: [
    'retention_days',
    'notify_email',
    'review_policy',
    'review_sample',
    'depth_policy',
    'signals_required',
    'allowed_origins',
    'public_verdict',
  ].map(member => ({ member })),
  body: SettingsPatch,
  faults: patchFaults,
  recordFaults: ({ deps, body }) => attestedFaults(deps.config, body),
  responses: { 200: Settings },
  async handler(call) {
    const { deps, principal } = call;
    const { rate_limit_per_minute: _readOnly, ...body } = call.body;
    return transaction(deps.db, async tx => {
      const before = await readSettings(tx, deps, principal.tenantId, 'for update');
      const after = { ...before, ...body };
      await tx.query(
        `update tenants set name = $2, notify_email = $3, retention_days = $4, review_policy = $5, review_sample = $6,
           depth_policy = $7, signals_required = $8, allowed_origins = $9, public_verdict = $10 where id = $1`,
        [
          principal.tenantId,
          after.name,
          after.notify_email,
          after.retention_days,
          after.review_policy,
          after.review_sample,
          after.depth_policy,
          after.signals_required,
          after.allowed_origins,
          after.public_verdict,
        ],
      );
      // An e-mail address is personal data: log that it changed, not its value.
      const { notify_email, ...shown } = body;
      await audit(tx, activityOf(call), {
        action: 'settings.updated',
        detail: {
          ...shown,
          ...(notify_email === undefined ? {} : { notify_email: notify_email === null ? null : 'set' }),
        },
      });
      return ok(after);
    });
  },
});
