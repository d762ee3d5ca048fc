import type { RecordSeal } from '@firsthand/contract/verification.ts';
import canonicalize from 'canonicalize';
import type { Static } from 'typebox';
import { sha256Hex } from '../lib/keyring.ts';
import type { VerificationRow } from './row.ts';

/**
 * Seals the answers: SHA-256 over the RFC 8785 canonical JSON of the record and the answers, each value exactly as the
 * tenant's GET shows it, so that anyone can recompute it. Null without answers or when sealing was declined.
 */
export function sealOf(row: VerificationRow): Static<typeof RecordSeal> | null {
  if (row.private.seal === false || Object.keys(row.answers).length === 0) return null;
  const sealed = canonicalize({
    record: {
      id: row.id,
      created_at: row.created_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      config: row.config,
    },
    answers: row.answers,
  });
  return {
    algorithm: 'sha256',
    hash: sha256Hex(sealed ?? ''),
    covers: ['record', 'answers'],
    answers_provenance: 'user_declared',
  };
}
