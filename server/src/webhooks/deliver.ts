import { one, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { addJob } from '../jobs/queue.ts';
import { webhookSecretsOf } from '../tenants/create.ts';
import { type Sent, send } from './send.ts';
import { signedHeaders } from './sign.ts';

interface DeliveryRow {
  id: string;
  event_id: string;
  tenant_id: string;
  url: string;
  status: string;
  attempts: unknown[];
  body: string;
}

const JITTER = 0.1;
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** When the next attempt is due after `attempts` of them, in seconds; null when the schedule is over. */
export function retryDelaySeconds(
  schedule: readonly number[],
  attempts: number,
  random = Math.random(),
): number | null {
  const base = schedule[attempts - 1];
  return base === undefined ? null : base * (1 + JITTER * (2 * random - 1));
}

export type Outcome = 'succeeded' | 'retry' | 'cancelled';

/** 2xx succeeds, 410 ends the delivery for good, everything else (redirects too) is tried again. */
export const outcomeOf = ({ statusCode }: Pick<Sent, 'statusCode'>): Outcome =>
  statusCode !== null && statusCode >= 200 && statusCode < 300
    ? 'succeeded'
    : statusCode === 410
      ? 'cancelled'
      : 'retry';

/** Job: one attempt of one delivery. The attempt and what follows from it are one transaction. */
export async function deliver(deps: Deps, deliveryId: string, signal?: AbortSignal): Promise<void> {
  const delivery = await one<DeliveryRow>(
    deps.db,
    `select d.id, d.event_id, d.tenant_id, d.url, d.status, d.attempts, e.body
     from webhook_deliveries d join events e on e.id = d.event_id where d.id = $1`,
    [deliveryId],
  );
  if (delivery?.status !== 'pending') return;
  const secrets = await webhookSecretsOf(deps.db, deps, delivery.tenant_id);
  const at = deps.clock.now();
  const sent = await send(
    deps,
    delivery.url,
    delivery.body,
    signedHeaders(delivery.event_id, at, delivery.body, secrets),
    signal,
  );
  // Being asked to stop is not the receiver's failure: the job is handed back and tried elsewhere.
  if (signal?.aborted && sent.statusCode === null) throw new Error('interrupted by shutdown');

  const attempt = {
    at: at.toISOString(),
    latency_ms: sent.latencyMs,
    ...(sent.statusCode === null ? {} : { status_code: sent.statusCode }),
    ...(sent.error === null ? {} : { error: sent.error }),
    ...(sent.excerpt ? { response_excerpt: sent.excerpt } : {}),
  };
  const outcome = outcomeOf(sent);
  await transaction(deps.db, async tx => {
    const scheduled = retryDelaySeconds(deps.config.webhookRetrySeconds, delivery.attempts.length + 1);
    const delay =
      outcome === 'retry' && scheduled !== null
        ? Math.max(scheduled, Math.min(sent.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS))
        : null;
    const next = delay === null ? null : new Date(deps.clock.now().getTime() + delay * 1_000);
    const status = next ? 'pending' : outcome === 'retry' ? 'failed' : outcome;
    await tx.query(
      `update webhook_deliveries set attempts = attempts || $2::jsonb, status = $3, next_attempt_at = $4
       where id = $1 and status = 'pending'`,
      [delivery.id, JSON.stringify([attempt]), status, next],
    );
    if (next) await addJob(tx, 'deliver', { delivery_id: delivery.id }, { runAt: next, maxAttempts: 1_000 });
  });
}
