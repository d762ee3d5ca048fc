import { MAX_CAPTURES, TRIAL_EXPIRES_IN_SECONDS } from '@firsthand/contract/base/limits.ts';
import { StepInput } from '@firsthand/contract/capture/steps.ts';
import { crossFieldFaults } from '@firsthand/contract/verification/create-verification.ts';
import { SignalNameSchema } from '@firsthand/contract/verification/signals.ts';
import { Capture, type Config, Verification } from '@firsthand/contract/verification/verification.ts';
import { type Static, Type } from 'typebox';
import { one, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { created, ok, openEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { readCurrent } from '../verifications/advance.ts';
import { issue } from '../verifications/issue.ts';
import { presentFrozen, withoutOthers } from '../verifications/present.ts';
import { unreviewed } from '../verifications/reviews.ts';
import { type CaptureRow, capturesOf, type VerificationRow } from '../verifications/row.ts';
import { trialTenant } from './tenant.ts';

const closed = { additionalProperties: false } as const;

/** Bounds of an anonymous visitor's request: no callback or e-mail address, no free text, nothing that calls a vision model. */
const TrialRequest = Type.Object(
  {
    max_captures: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CAPTURES })),
    steps: Type.Optional(Type.Array(StepInput, { minItems: 1, maxItems: 1 })),
    expires_in_seconds: Type.Optional(
      Type.Integer({
        minimum: TRIAL_EXPIRES_IN_SECONDS.min,
        maximum: TRIAL_EXPIRES_IN_SECONDS.max,
        default: TRIAL_EXPIRES_IN_SECONDS.default,
      }),
    ),
    signals_required: Type.Optional(Type.Array(SignalNameSchema, { minItems: 1 })),
    mode: Type.Optional(Type.Enum(['verification', 'audit'], { title: 'VerificationMode' })),
  },
  { ...closed, title: 'TrialRequest' },
);

/** The result of a trial, without pictures. Anyone with the link may read it. */
const Trial = Type.Object(
  {
    ...Type.Pick(Verification, [
      'id',
      'status',
      'capture_url',
      'created_at',
      'expires_at',
      'captures_count',
      'config',
      'livemode',
      'completed_at',
      'verdict',
    ]).properties,
    captures: Type.Array(
      Type.Pick(Capture, ['id', 'step_key', 'source', 'content_type', 'width', 'height', 'created_at', 'signals'], {
        ...closed,
        title: 'TrialCapture',
      }),
    ),
  },
  { ...closed, title: 'Trial' },
);

function presentTrial(deps: Pick<Deps, 'origins'>, row: VerificationRow, rows: CaptureRow[]): Static<typeof Trial> {
  const {
    id,
    status,
    capture_url,
    created_at,
    expires_at,
    captures_count,
    config,
    livemode,
    completed_at,
    verdict,
    captures,
  } = withoutOthers(presentFrozen(row, rows, unreviewed, deps.origins));
  return {
    id,
    status,
    capture_url,
    created_at,
    expires_at,
    captures_count,
    config: config as Config,
    livemode,
    ...(completed_at ? { completed_at } : {}),
    ...(verdict ? { verdict } : {}),
    captures: captures.map(capture => ({
      id: capture.id,
      step_key: capture.step_key,
      source: capture.source,
      content_type: capture.content_type,
      width: capture.width,
      height: capture.height,
      created_at: capture.created_at,
      ...(capture.signals ? { signals: capture.signals } : {}),
    })),
  };
}

export const createTrial = openEndpoint({
  operationId: 'createTrialVerification',
  summary: 'Create a trial verification, without an account',
  description: 'A trial has one step and lasts ten minutes. Each IP address may create ten per hour.',
  tag: 'Trial',
  credentials: ['none'],
  addressLimit: 'trial',
  body: TrialRequest,
  faults: crossFieldFaults,
  responses: { 201: Trial },
  async handler({ deps, body }) {
    const tenantId = await trialTenant(deps);
    const row = await transaction(deps.db, tx =>
      issue(tx, deps, {
        tenantId,
        livemode: false,
        by: 'trial',
        request: { expires_in_seconds: TRIAL_EXPIRES_IN_SECONDS.default, ...body },
      }),
    );
    return created(presentTrial(deps, row, []));
  },
});

export const getTrial = openEndpoint({
  operationId: 'getTrialVerification',
  summary: 'Get the result of a trial',
  tag: 'Trial',
  credentials: ['capture'],
  target: 'id',
  responses: { 200: Trial },
  async handler({ deps, params }) {
    const row = await readCurrent(deps, params.id!);
    const trial = await one(deps.db, 'select 1 from tenants where id = $1 and is_trial', [row.tenant_id]);
    if (!trial) throw notFound();
    return ok(presentTrial(deps, row, await capturesOf(deps.db, row.id)));
  },
});
