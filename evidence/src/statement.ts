import { sha256 } from '#sha256';
import { concat, utf8 } from './bytes.ts';
import { canonicalBytes, type JsonObject } from './json.ts';

// A statement says one fact about a verification; the log holds only a commitment to it, which says nothing without the salt.

export const STATEMENT_TYPES = ['capture', 'verdict', 'case_analysis', 'review', 'redaction'] as const;
export type StatementType = (typeof STATEMENT_TYPES)[number];

export interface Statement extends JsonObject {
  v: 1;
  type: StatementType;
  tenant_id: string;
  verification_id: string;
  /** 1, 2, 3… within the verification. */
  seq: number;
  at: string;
}

export const SALT_BYTES = 32;
const CONTEXT = utf8('firsthand/commit/v1\n');
const COMMITMENT = 0x01;

export const commitmentOf = (salt: Uint8Array, statement: unknown): Uint8Array => {
  if (salt.length !== SALT_BYTES) throw new TypeError(`a salt has ${SALT_BYTES} bytes`);
  return sha256(concat(CONTEXT, salt, canonicalBytes(statement)));
};

/** The entry of the log: 33 bytes. */
export const entryOf = (commitment: Uint8Array): Uint8Array => concat(Uint8Array.of(COMMITMENT), commitment);
