import type { Tx } from '../../db/sql.ts';
import { askJson, isRecord, type Question } from '../../lib/ask-json.ts';

/** What a token is checked against: the capture it came with. */
export interface Subject {
  verificationId: string;
  /** Of the picture, lowercase hex. */
  sha256: string;
  /** Where the request came from. */
  ip: string;
}

/**
 * The part of a check that must stand or fall with the capture's row: run in its transaction, as often as that is tried.
 * Throws {@link Refusal}, which keeps the capture and records the check as failed.
 */
export type Completion = (tx: Tx) => Promise<void>;

/** Why a token does not count; the message is the `detail` that the tenant reads and names no secret. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/** First request to last answer of one check, milliseconds: a person waits for it. */
export const CHECK_MS = 6_000;
const MAX_ANSWER_BYTES = 200_000;

/** One request of a verifier's protocol and the JSON object it answers with, whatever its status. Throws when there is none. */
export async function askVerifier(
  url: string,
  init: Pick<Question, 'headers' | 'body' | 'signal'>,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { status, body } = await askJson(url, { method: 'POST', maxBytes: MAX_ANSWER_BYTES, ...init });
  if (!isRecord(body)) throw new Error(`answered ${status} without a JSON object`);
  return { status, body };
}
