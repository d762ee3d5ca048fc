import type { Tx } from '../../../platform/db/sql.ts';
import { askJson, isRecord, type Question } from '../../../platform/lib/ask-json.ts';

/** The capture that a token came with, to check the token against. */
export interface Subject {
  verificationId: string;
  /** SHA-256 of the picture, lowercase hex. */
  sha256: string;
  /** The sender's address. */
  ip: string;
}

/** A token that passed its check. */
export interface Passed {
  /**
   * What a second use of the same token shares with the first, however it is written: at most 64 bytes. Absent: the token cannot be
   * used twice anyway.
   */
  proof?: Buffer;
  /**
   * The part of the check that must commit with the capture's row. It runs in that transaction, each time the transaction
   * is tried. Throws {@link Refusal}, which keeps the capture and records the check as failed.
   */
  complete?: (tx: Tx) => Promise<void>;
}

/** The reason why a token does not count. The tenant reads the message as `detail`; it names no secret. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/** The time limit of one check, from first request to last answer, in milliseconds: a person waits for it. */
export const CHECK_MS = 6_000;
const MAX_ANSWER_BYTES = 200_000;

/**
 * Sends one request of a verifier's protocol. Returns the JSON object in the answer, whatever its status. Throws when
 * there is none.
 */
export async function askVerifier(
  url: string,
  init: Pick<Question, 'headers' | 'body' | 'signal'>,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { status, body } = await askJson(url, { method: 'POST', maxBytes: MAX_ANSWER_BYTES, ...init });
  if (!isRecord(body)) throw new Error(`answered ${status} without a JSON object`);
  return { status, body };
}
