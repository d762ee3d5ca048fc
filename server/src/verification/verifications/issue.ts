import { EXPIRES_IN_SECONDS } from '@firsthand/contract/base/limits.ts';
import { capacityOf, normalizeStep, stepOfMaxCaptures } from '@firsthand/contract/capture/steps.ts';
import type { CreateVerificationRequest } from '@firsthand/contract/verification/create-verification.ts';
import type { Config } from '@firsthand/contract/verification/verification.ts';
import { keepExamples } from '../../identity/tenants/example-pictures.ts';
import { one, type Tx } from '../../platform/db/sql.ts';
import type { Deps, Origins } from '../../platform/deps.ts';
import { newId } from '../../platform/lib/ids.ts';
import { maskUrl } from '../../platform/lib/mask-url.ts';
import { type Account, accountOf, signalsOf } from './account-defaults.ts';
import { record } from './record-event.ts';
import type { PrivateConfig, VerificationRow } from './row.ts';

/** A test verification that asks to expire does so this long after its creation. */
const TEST_EXPIRY_SECONDS = 2;

type Expectations = NonNullable<NonNullable<CreateVerificationRequest['expected_info']>['subject']>;

/** What a request expects, wherever it says so: its own member counts before that of `subject`, and that before `shared`. */
export function expectationsOf({
  expected_location,
  expected_object,
  condition_aspects,
  expected_info,
}: CreateVerificationRequest): Expectations {
  const own = given({ expected_location, expected_object, condition_aspects });
  return { ...expected_info?.shared, ...expected_info?.subject, ...own };
}

/**
 * Converts a checked request to its stored form: fills in defaults, merges expectations, normalises the capture spec.
 */
export function normalizeRequest(
  request: CreateVerificationRequest,
  account: Account | null,
): { config: Config; private: PrivateConfig } {
  const { asset_ref, ocr_type, person, ...expected } = expectationsOf(request);
  const steps = request.steps?.map(normalizeStep) ?? [stepOfMaxCaptures(request.max_captures ?? 1)];
  const notifyEmail = request.notify_email === undefined ? (account?.notify_email ?? null) : request.notify_email;
  const signals_required = signalsOf(request, account);
  const depthPolicy = signals_required.includes('depth')
    ? (request.depth_policy ?? account?.depth_policy ?? 'lenient')
    : undefined;
  const config: Config = {
    max_captures: capacityOf(steps),
    steps,
    signals_required,
    ...given({
      mode: request.mode,
      context: request.context,
      webhook_url: request.webhook_url && maskUrl(request.webhook_url),
      metadata: request.metadata,
      ...expected,
      depth_policy: depthPolicy,
    }),
  };
  if (request.notify_email === null) config.notify_email = null;
  else if (notifyEmail !== null) config.notify_email = notifyEmail;
  return {
    config,
    private: given({
      webhook_url: config.webhook_url === request.webhook_url ? undefined : request.webhook_url,
      seal: request.seal,
      brand_slug: request.brand_slug,
      asset_ref,
      ocr_type,
      person,
      source: request.expected_info?.source,
    }),
  };
}

/** Only the members that have a value. */
function given<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

export interface Issue {
  tenantId: string;
  livemode: boolean;
  request: CreateVerificationRequest;
  template?: { id: string; version: number; retentionDays: number | null };
  /** Neither the account nor its people made the request: a key that sits in an app, or a stranger who tries the service. */
  by?: 'app' | 'trial' | undefined;
}

/** Issues a verification: inserts the row and records `verification.created` in the caller's transaction. */
export async function issue(
  tx: Tx,
  deps: Pick<Deps, 'clock'> & { origins: Origins },
  o: Issue,
): Promise<VerificationRow> {
  const now = deps.clock.now();
  const normalized = normalizeRequest(o.request, (await accountOf(tx, o.tenantId)) ?? null);
  if (o.template) {
    const { retentionDays, ...template } = o.template;
    normalized.private.template = template;
    if (retentionDays !== null) normalized.private.retention_days = retentionDays;
  }
  if (o.by) normalized.private.by = o.by;
  const expiresSoon = !o.livemode && o.request.metadata?.test_outcome === 'expired';
  const seconds = expiresSoon ? TEST_EXPIRY_SECONDS : (o.request.expires_in_seconds ?? EXPIRES_IN_SECONDS.default);
  const row = await one<VerificationRow>(
    tx,
    `insert into verifications (id, tenant_id, livemode, created_at, expires_at, config, private, external_ref, event_sequence)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 1) returning *`,
    [
      newId('vfy', now.getTime()),
      o.tenantId,
      o.livemode,
      now,
      new Date(now.getTime() + seconds * 1_000),
      JSON.stringify(normalized.config),
      JSON.stringify(normalized.private),
      normalized.private.person?.external_ref ?? null,
    ],
  );
  if (!row) throw new Error('insert returned no row');
  if (!o.template) await keepExamples(tx, o.tenantId, row.config.steps, now);
  await record(tx, deps, row, [], 'verification.created', now);
  return row;
}

/** The request that issues the same verification again, with as much time as the first had. */
export function requestOf(row: VerificationRow): Pick<Issue, 'request' | 'template' | 'by'> {
  const { max_captures: _, ...config } = row.config;
  const { seal, brand_slug, asset_ref, ocr_type, person, source, template, retention_days, webhook_url, by } =
    row.private;
  const subject = {
    ...(asset_ref ? { asset_ref } : {}),
    ...(ocr_type ? { ocr_type } : {}),
    ...(person ? { person } : {}),
  };
  const request: CreateVerificationRequest = {
    ...config,
    ...(webhook_url === undefined ? {} : { webhook_url }),
    expires_in_seconds: Math.round((row.expires_at.getTime() - row.created_at.getTime()) / 1_000),
    ...(seal === undefined ? {} : { seal }),
    ...(brand_slug === undefined ? {} : { brand_slug }),
    expected_info: { ...(source ? { source } : {}), subject },
  };
  return { request, by, ...(template ? { template: { ...template, retentionDays: retention_days ?? null } } : {}) };
}
