/** Examples of the evidence endpoints. */
export const EVIDENCE_EXAMPLES = {
  'GET /v1/verifications/:id/evidence': { responses: { 200: 'PK\u0003\u0004…' } },
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
