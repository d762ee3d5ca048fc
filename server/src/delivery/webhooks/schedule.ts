import type { AttemptError, DeliveryStatus } from '@firsthand/contract/webhooks/webhooks.ts';

const JITTER = 0.1;
/** The longest wait that a receiver's Retry-After can ask for. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** The result of one attempt. */
export interface Sent {
  /** Null when no answer arrived. */
  statusCode: number | null;
  /** Null if and only if the receiver accepted. */
  error: AttemptError | null;
  /** The first 1 kB of the answer. */
  excerpt: string | null;
  latencyMs: number;
  /** Seconds the receiver asked us to wait. */
  retryAfterSeconds: number | null;
}

export interface Next {
  status: DeliveryStatus;
  /** Null: no more attempts. */
  inSeconds: number | null;
}

/**
 * Decides what follows an attempt. Acceptance is `succeeded`. A 410 or an invalid address ends the delivery. Any other
 * failure retries when the schedule says, or later if the receiver asked for that.
 *
 * @param schedule seconds before each retry
 * @param attempt 1 for the first of this round
 */
export function nextAfter(sent: Sent, schedule: readonly number[], attempt: number, random = Math.random()): Next {
  if (sent.error === null) return { status: 'succeeded', inSeconds: null };
  if (sent.error === 'gone') return { status: 'cancelled', inSeconds: null };
  const base = sent.error === 'invalid_url' ? undefined : schedule[attempt - 1];
  if (base === undefined) return { status: 'failed', inSeconds: null };
  const scheduled = base * (1 + JITTER * (2 * random - 1));
  return {
    status: 'pending',
    inSeconds: Math.max(scheduled, Math.min(sent.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS)),
  };
}

/**
 * Returns the seconds to wait by a Retry-After header (RFC 9110, 10.2.3), which is a number of seconds or an HTTP date.
 * Null when it is neither.
 */
export function retryAfterSeconds(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  // `Date.parse` would read a bare number as a year.
  const at = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}
