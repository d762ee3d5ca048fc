import type { Tx } from '../../db/sql.ts';

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

/**
 * One request of a verifier's protocol and its JSON answer, whatever its status. Throws when there is no answer in time, when it
 * redirects, is too long or no JSON object.
 */
export async function askJson(
  url: string,
  init: RequestInit,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(url, { method: 'POST', redirect: 'error', ...init });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`answered with more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  if (!isRecord(body)) throw new Error('answered with JSON that is no object');
  return { status: answer.status, body };
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
