import { type Static, Type } from 'typebox';
import { DateTime, IdSchema } from '../base/ids.ts';
import { NOT_BLANK } from '../base/patterns.ts';
import { VerdictLabel } from '../verification/verification.ts';

const closed = { additionalProperties: false } as const;
const Reason = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: NOT_BLANK,
  description: 'no personal data: it stays',
});
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** Body of POST /v1/verifications/:id/redact. */
export const RedactRequest = Type.Object({ reason: Type.Optional(Reason) }, { ...closed, title: 'RedactRequest' });

/** Kinds of data that an erasure deletes, whether or not the verification held any. */
export const ERASED_KINDS = [
  'images',
  'previews',
  'heat_maps',
  'second_frames',
  'fingerprints',
  'image_metadata',
  'locations',
  'read_text',
  'signals',
  'answers',
  'person',
  'narrative',
  'case_analysis',
  'review_notes',
  'metadata',
  'context',
  'asset_ref',
  'expectations',
  'progress',
  'record_seal',
  'webhook_bodies',
  'webhook_answers',
  'notifications',
  'replayed_answers',
  'evidence_bundle',
  'statements',
  'salts',
] as const;

export const RedactionReceipt = Type.Object(
  {
    verification_id: IdSchema('vfy'),
    redacted_at: DateTime,
    reason: Type.Optional(Type.String()),
    removed: Type.Array(Type.Enum([...ERASED_KINDS], { title: 'ErasedKind' }), {
      description: 'kinds of data that were deleted, whether or not there were any',
    }),
    kept: Type.Object(
      {
        image_sha256: Type.Array(Hash, { description: 'SHA-256 of each photo' }),
        verdict_label: Type.Optional(VerdictLabel),
      },
      { ...closed, title: 'RedactionKept' },
    ),
    leaves: Type.Array(
      Type.Object(
        {
          seq: Type.Integer({ minimum: 1 }),
          index: Type.Integer({ minimum: 0, description: 'place in the transparency log' }),
          commitment: Hash,
        },
        { ...closed, title: 'RedactedLeaf' },
      ),
      { description: 'entries of the log, which say nothing without the deleted salts' },
    ),
    not_recalled: Type.Literal('bundles already downloaded'),
    backups_until: Type.Optional(
      Type.String({ format: 'date-time', description: 'when the last backup with the data ends (`BACKUP_DAYS`)' }),
    ),
    key_id: Type.String({ description: 'the key of `GET /v1/evidence-keys` that signs (`kid`)' }),
    signature: Type.String({
      description: 'Ed25519, base64, over the RFC 8785 canonical JSON of this object without `signature`',
    }),
  },
  { ...closed, title: 'RedactionReceipt' },
);
export type RedactionReceipt = Static<typeof RedactionReceipt>;

/** Body of PUT and, optionally, DELETE /v1/verifications/:id/legal-hold. */
export const LegalHoldRequest = Type.Object({ reason: Reason }, { ...closed, title: 'LegalHoldRequest' });

export const LegalHold = Type.Object(
  { verification_id: IdSchema('vfy'), reason: Type.String(), placed_at: DateTime },
  { ...closed, title: 'LegalHold' },
);
export type LegalHold = Static<typeof LegalHold>;
