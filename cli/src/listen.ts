import type { StreamedEvent } from '@firsthand/sdk';
import { signWebhook } from '@firsthand/sdk/webhooks';
import { connect, type RemoteOptions } from './connection.ts';
import { bold, dim, green, red } from './print.ts';

/**
 * `firsthand listen --forward URL`: follows the account's events, signs each with the account's webhook secret, posts it to URL, and prints
 * one row per answer. On a terminal the last line shows the current request or the counts so far. After a lost connection it resumes at its
 * cursor.
 */
export async function listen(o: RemoteOptions & { forward: string; mode?: 'live' | 'test' }): Promise<void> {
  const client = await connect(o);
  const { secret } = await client.webhooks.getSecret();
  console.log(`${bold('Listening')} ${dim(`to ${o.url}, forwarding to ${o.forward}. Press Ctrl-C to stop.`)}`);
  console.log(`  ${dim('verify with')} ${secret}\n`);
  console.log(bold(`${'time'.padEnd(8)}  ${'event'.padEnd(30)}  ${'answer'.padEnd(22)}  id`));
  const counts = { accepted: 0, refused: 0, slowestMs: 0 };
  const status = createStatusLine(() => summary(counts));
  const onReconnect = (error: unknown) =>
    status.print(dim(`lost the stream (${(error as Error).message}), connecting again`));
  for await (const event of client.events.follow(o.mode ? { mode: o.mode } : {}, { onReconnect })) {
    const time = new Date().toTimeString().slice(0, 8);
    const row = `${time}  ${event.type.padEnd(30)}`;
    // Keep this short: only one terminal line can be overwritten, so it must not wrap.
    status.show(`${row}  …`);
    const { accepted, text, ms } = await forward(secret, o.forward, event);
    counts[accepted ? 'accepted' : 'refused'] += 1;
    counts.slowestMs = Math.max(counts.slowestMs, ms);
    status.print(`${row}  ${(accepted ? green : red)(text.padEnd(22))}  ${dim(event.id)}`);
  }
}

const summary = (counts: { accepted: number; refused: number; slowestMs: number }): string => {
  const { accepted, refused, slowestMs } = counts;
  if (accepted + refused === 0) return dim('waiting for the first event');
  const parts = [
    `${accepted + refused} forwarded`,
    `${accepted} accepted`,
    `${refused} rejected`,
    `slowest ${slowestMs} ms`,
  ];
  return dim(parts.join(' · '));
};

/** Keeps one status line below the printed rows and overwrites it. Without a terminal it prints only rows. */
function createStatusLine(resting: () => string) {
  const over = process.stdout.isTTY ? (text: string) => void process.stdout.write(`\r\x1b[2K${text}`) : () => {};
  over(resting());
  return {
    show: over,
    print(row: string) {
      over('');
      console.log(row);
      over(resting());
    },
  };
}

/** Posts one event and returns the answer. */
async function forward(
  secret: string,
  url: string,
  event: StreamedEvent,
): Promise<{ accepted: boolean; text: string; ms: number }> {
  const started = performance.now();
  const passed = () => Math.round(performance.now() - started);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(15_000),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        ...(await signWebhook(event.id, event.body, secret)),
      },
      body: event.body,
    });
    await answer.arrayBuffer();
    return { accepted: answer.ok, text: `${answer.status} in ${passed()} ms`, ms: passed() };
  } catch (error) {
    const { name, cause } = error as Error;
    return { accepted: false, text: (cause as { code?: string } | undefined)?.code ?? name, ms: passed() };
  }
}

/** An argument that is no identifier. */
class UsageError extends Error {
  override name = 'UsageError';
}

/** `firsthand events resend ID`: sends a delivery (whd_…), or every delivery of an event (evt_…), again. */
export async function resend(id: string, o: RemoteOptions): Promise<void> {
  if (!/^(whd|evt)_[0-9A-HJKMNP-TV-Z]{26}$/.test(id)) {
    throw new UsageError(`<id> takes an id, whd_… or evt_… with 26 letters and digits: ${JSON.stringify(id)} is none.`);
  }
  const client = await connect(o);
  const ids = id.startsWith('whd_') ? [id] : [];
  if (ids.length === 0) {
    for await (const page of client.webhooks.listDeliveries({ limit: 100 }).pages()) {
      ids.push(...page.data.filter(delivery => delivery.event_id === id).map(delivery => delivery.id));
      // The deliveries of one event are made together, so no later page holds more.
      if (ids.length > 0) break;
    }
  }
  if (ids.length === 0) throw new Error(`Event ${id} has no deliveries.`);
  for (const delivery of ids) {
    await client.webhooks.retryDelivery(delivery);
    console.log(`${green('✓')} ${delivery} will be sent again`);
  }
}
