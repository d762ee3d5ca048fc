import type { RecordSeal } from '@firsthand/contract/verification/verification.ts';
import canonicalize from 'canonicalize';
import type { Static } from 'typebox';
import { sha256Hex } from '../../platform/lib/keyring.ts';
import type { VerificationRow } from './row.ts';

type Sealed = Pick<VerificationRow, 'id' | 'created_at' | 'expires_at' | 'config' | 'answers'>;

/**
 * The text that a seal covers: RFC 8785 canonical JSON of the record and the answers, with each value as the tenant's
 * GET shows it.
 */
export function sealedText(row: Sealed): string {
  const text = canonicalize({
    record: {
      id: row.id,
      created_at: row.created_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      config: row.config,
    },
    answers: row.answers,
  });
  if (text === undefined) throw new TypeError('a record cannot be sealed');
  return text;
}

export const sealHashOf = (row: Sealed): string => sha256Hex(sealedText(row));

/** False when something other than the service changed the row of a completed verification. */
export const sealHolds = (row: Sealed & Pick<VerificationRow, 'seal_hash' | 'redacted_at'>): boolean =>
  row.seal_hash === null || row.redacted_at !== null || row.seal_hash === sealHashOf(row);

/**
 * The seal as the tenant sees it: the one taken at completion, or before that the seal of the current answers. Null
 * when there are no answers or sealing was declined.
 */
export function sealOf(row: VerificationRow): Static<typeof RecordSeal> | null {
  if (row.private.seal === false || Object.keys(row.answers).length === 0) return null;
  return {
    algorithm: 'sha256',
    hash: row.seal_hash ?? sealHashOf(row),
    covers: ['record', 'answers'],
    answers_provenance: 'user_declared',
  };
}
