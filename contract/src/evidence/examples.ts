import { ERASED_KINDS } from './erasure.ts';

const id = 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z';

const receipt = {
  verification_id: id,
  redacted_at: '2026-11-21T10:00:00.000Z',
  reason: 'The customer asked for it',
  removed: [...ERASED_KINDS],
  kept: {
    image_sha256: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    verdict_label: 'verified',
  },
  leaves: [{ seq: 1, index: 1041, commitment: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752' }],
  not_recalled: 'bundles already downloaded',
  key_id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  signature: 'DRnC8yJHw+qXVMqDxWsk0rXRxUyoAFBLJsZcWRRXeSNSfSxLVYEvtQV0hi6WPGUsQxGVUbn57kvJXFrVwm0JAQ==',
};

const hold = { verification_id: id, reason: 'Case 7 O 112/26', placed_at: '2026-11-21T09:45:00.000Z' };

/** Examples of the evidence endpoints. */
export const EVIDENCE_EXAMPLES = {
  'POST /v1/verifications/:id/redact': {
    request: { reason: 'The customer asked for it' },
    responses: { 200: receipt },
  },
  'GET /v1/verifications/:id/redaction': { responses: { 200: receipt } },
  'PUT /v1/verifications/:id/legal-hold': { request: { reason: hold.reason }, responses: { 200: hold } },
  'GET /v1/verifications/:id/legal-hold': { responses: { 200: hold } },
  'DELETE /v1/verifications/:id/legal-hold': { request: { reason: 'The case is closed' } },
  'GET /v1/people-data': { responses: { 200: 'PK\u0003\u0004…' } },
  'GET /v1/verifications/:id/evidence': { responses: { 200: 'PK\u0003\u0004…' } },
  'GET /v1/verifications/:id/captures/:capture_id/credential': { responses: { 200: '\u00ff\u00d8\u00ff…' } },
  'GET /v1/evidence-keys': {
    responses: {
      200: {
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
            alg: 'EdDSA',
            use: 'sig',
            role: 'log',
            vkey: 'localhost:8080/log+1c4a2b3d+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea',
            created_at: '2026-11-21T09:00:00.000Z',
          },
        ],
      },
    },
  },
};
