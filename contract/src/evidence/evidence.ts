import { type Static, Type } from 'typebox';

const Timestamp = Type.String({ format: 'date-time' });
const closed = { additionalProperties: false };

export const EvidenceKey = Type.Object(
  {
    kty: Type.Literal('OKP'),
    crv: Type.Literal('Ed25519'),
    x: Type.String(),
    kid: Type.String({ description: 'RFC 7638 thumbprint' }),
    alg: Type.Literal('EdDSA'),
    use: Type.Literal('sig'),
    role: Type.Enum(['log', 'bundle'], {
      title: 'EvidenceKeyRole',
      description: 'what it signs: the log, or bundles and receipts',
    }),
    vkey: Type.String({ description: 'the verifier key (c2sp.org/signed-note)' }),
    created_at: Timestamp,
    retired_at: Type.Optional(Timestamp),
  },
  { ...closed, title: 'EvidenceKey' },
);

export const EvidenceKeys = Type.Object({ keys: Type.Array(EvidenceKey) }, { ...closed, title: 'EvidenceKeys' });
export type EvidenceKeys = Static<typeof EvidenceKeys>;

/** Query of GET /v1/verifications/:id/captures/:capture_id/credential. */
export const CredentialQuery = Type.Object(
  {
    of: Type.Optional(
      Type.Enum(['original', 'preview'], {
        title: 'CredentialOf',
        description: 'the file as received (default), or the smaller JPEG of the service',
      }),
    ),
  },
  closed,
);
