import { fault } from '@firsthand/contract/base/fault.ts';
import { CreateVerificationRequest, crossFieldFaults } from '@firsthand/contract/verification/create-verification.ts';
import { Verification } from '@firsthand/contract/verification/verification.ts';
import { exampleFaults } from '../../identity/tenants/example-pictures.ts';
import { attestedFaults } from '../../platform/config/attestation.ts';
import { transaction } from '../../platform/db/sql.ts';
import { created, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { createsLive, isApp } from '../../platform/http/principal.ts';
import { isRecord } from '../../platform/lib/ask-json.ts';
import { maskedFaults } from '../../platform/lib/mask-url.ts';
import { depthPolicyFaults } from './account-defaults.ts';
import { membersRefusedToApp, metadataFaultsOfApp, presentToApp, requestOfApp } from './app-request.ts';
import { issue } from './issue.ts';
import { presentFrozen } from './present.ts';
import { unreviewed } from './reviews.ts';
import { warningsOf } from './warnings.ts';

export const createVerification = tenantEndpoint({
  operationId: 'createVerification',
  summary: 'Create a verification',
  description:
    'The response holds a `capture_url` to send to the person with the camera. Send an `Idempotency-Key`: without one, a ' +
    'retry creates a second verification. `warnings` names required signals that this installation cannot evaluate. With a key for apps, the link ' +
    'template of the key decides everything but `metadata`, `expected_info.subject` and `expires_in_seconds`.',
  tag: 'Verifications',
  credentials: ['session', 'key', 'secret', 'bot'],
  scope: 'create',
  role: 'member',
  body: CreateVerificationRequest,
  faults: crossFieldFaults,
  membersRefused: async ({ deps, principal, body }) =>
    isApp(principal) ? membersRefusedToApp(deps.db, principal, body) : [],
  recordFaults: async ({ deps, principal, body }) => {
    if (!principal || !isRecord(body)) return [];
    return [
      ...maskedFaults('webhook_url', body.webhook_url),
      ...(principal.kind !== 'bot' && 'tenant_id' in body
        ? [fault('tenant_id', 'not_allowed', 'is accepted from the messaging bot only')]
        : []),
      ...attestedFaults(deps.config, body),
      ...(await depthPolicyFaults(deps.db, principal.tenantId, body)),
      ...(await exampleFaults(deps.db, principal.tenantId, body.steps)),
      ...(isApp(principal) ? await metadataFaultsOfApp(deps.db, principal, body) : []),
    ];
  },
  errors: ['template_revoked', 'idempotency_key_used'],
  responses: { 201: Verification },
  async handler({ deps, principal, body, keepAnswer }) {
    const { tenant_id: _ofTheBot, ...request } = body;
    return transaction(deps.db, async tx => {
      const app = isApp(principal);
      const row = await issue(tx, deps, {
        tenantId: principal.tenantId,
        livemode: createsLive(principal),
        ...(app ? { by: 'app', ...(await requestOfApp(tx, principal, request)) } : { request }),
      });
      const view = presentFrozen(row, [], unreviewed, deps.origins);
      const warnings = app ? [] : await warningsOf(tx, deps, row);
      const answer = created({
        ...(app ? presentToApp(view, request) : view),
        ...(warnings.length > 0 ? { warnings } : {}),
      });
      await keepAnswer(tx, answer);
      return answer;
    });
  },
});
