import type { Deps } from '../../platform/deps.ts';
import { timeOfId } from '../../platform/lib/ids.ts';
import type { Resolve } from './allowed-address.ts';
import type { Ready } from './endpoint-queues.ts';
import type { Outcome } from './record-attempts.ts';
import { nextAfter, type Sent } from './schedule.ts';
import { createSender } from './send.ts';
import { signedHeaders } from './sign.ts';
import { traceAttempt } from './trace-attempt.ts';

/** An attempt that waits this long for an answer leaves the prompt pool, and its endpoint leaves with it. */
export const PROMPT_MS = 2_000;

/** The result when no key can sign: nothing was sent. */
const UNSIGNED: Sent = { statusCode: null, error: 'no_secret', excerpt: null, latencyMs: 0, retryAfterSeconds: null };

/** Makes single attempts of deliveries: signs, traces, sends and measures each, and decides what follows. */
export function createAttempts(deps: Pick<Deps, 'config' | 'clock' | 'metrics'>, resolve: Resolve | undefined) {
  const sender = createSender(deps, resolve ? { resolve } : {});
  const { webhookAttempts, webhookFirstAttempt } = deps.metrics;
  const succeeded = webhookAttempts.labels('succeeded');
  return {
    /** Calls `done` after this function returns. */
    send(delivery: Ready, done: (outcome: Outcome) => void): void {
      const at = deps.clock.now();
      const { event_id: eventId, body, to } = delivery;
      if (delivery.attempts === 0) {
        webhookFirstAttempt.observe(Math.max(0, at.getTime() - timeOfId(eventId)) / 1_000);
      }
      const traced = delivery.traceparent === null ? null : traceAttempt(delivery);
      const ended = (sent: Sent) => {
        const attempts = sent.error === null ? succeeded : webhookAttempts.labels(sent.error);
        attempts.observe(sent.latencyMs / 1_000);
        traced?.end(sent);
        done(outcomeOf(deps, delivery, at, sent));
      };
      if (to.keys.length === 0) {
        setImmediate(ended, UNSIGNED);
        return;
      }
      const headers = { ...signedHeaders(eventId, at, body, to.keys), ...traced?.headers };
      sender.send(to.tenant_id, to.url, body, headers, ended);
    },
    /** Aborts open attempts without calling their `done`. */
    close: () => sender.close(),
  };
}

function outcomeOf(deps: Pick<Deps, 'config'>, delivery: Ready, at: Date, sent: Sent): Outcome {
  // A disabled endpoint gets one attempt, because somebody asked for it.
  const schedule = delivery.to.disabled ? [] : deps.config.webhookRetrySeconds;
  return {
    id: delivery.id,
    claim: delivery.claim,
    endpointId: delivery.endpoint_id,
    attempt: attemptOf(at, sent),
    next: nextAfter(sent, schedule, delivery.attempts + 1),
    slow: sent.latencyMs > PROMPT_MS,
    wellBefore: delivery.to.well,
  };
}

let lastIso = { time: Number.NaN, text: '' };
/** Caches the last text: several attempts begin in the same millisecond, and formatting costs more than the rest here. */
function isoOf(at: Date): string {
  if (at.getTime() !== lastIso.time) lastIso = { time: at.getTime(), text: at.toISOString() };
  return lastIso.text;
}

const attemptOf = (at: Date, sent: Sent): Outcome['attempt'] => ({
  at: isoOf(at),
  latency_ms: sent.latencyMs,
  ...(sent.statusCode === null ? {} : { status_code: sent.statusCode }),
  ...(sent.error === null ? {} : { error: sent.error }),
  ...(sent.excerpt ? { response_excerpt: sent.excerpt } : {}),
});
