import type { AttemptError, DeliveryStatus } from '@firsthand/contract/webhooks.ts';

const JITTER = 0.1;
/** The longest wait that a receiver's Retry-After is granted. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** What one attempt came to. */
export interface Sent {
  /** Null when no answer began. */
  statusCode: number | null;
  /** Null exactly when the receiver accepted. */
  error: AttemptError | null;
  /** The first 1 kB of the answer. */
  excerpt: string | null;
  latencyMs: number;
  /** Seconds the receiver asked us to wait. */
  retryAfterSeconds: number | null;
}

export interface Next {
  status: DeliveryStatus;
  /** Null: it is over. */
  inSeconds: number | null;
}

/**
 * What follows from an attempt: accepted is `succeeded`, 410 and an address that is none end it, anything else is tried
 * again when the schedule says so, later where the receiver asked for that.
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

/** Seconds to wait by a Retry-After header (RFC 9110, 10.2.3): a number of them or an HTTP date. Null: it says neither. */
export function retryAfterSeconds(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  // A bare number would be read as a year.
  const at = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}
