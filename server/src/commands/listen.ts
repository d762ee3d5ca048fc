import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { readConfig } from '../platform/config/config.ts';
import { loadEnvironment } from '../platform/config/environment.ts';
import { checkId } from './arguments.ts';
import { call, refused, unreachable } from './call.ts';
import { bold, dim, green, red } from './print.ts';

interface Connection {
  url: string;
  key: string;
}

export interface RemoteOptions {
  url: string;
  key?: string;
}

/** Returns the service's URL and a secret key: the given one, or else the one in first-run.json. */
async function connect(o: RemoteOptions): Promise<Connection> {
  const url = o.url.replace(/\/+$/, '');
  if (o.key) return { url, key: o.key };
  const file = join(readConfig(loadEnvironment()).dataDir, 'first-run.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`${file} does not exist. Pass the secret key of your account: --key rk_secret_…`);
  });
  return { url, key: (JSON.parse(text) as { rk_secret: string }).rk_secret };
}

interface Streamed {
  id: string;
  type: string;
  livemode: boolean;
  body: string;
}

/**
 * `firsthand listen --forward URL`: follows the account's events, signs each with the account's webhook secret, posts it to URL, and prints
 * one row per answer. On a terminal the last line shows the current request or the counts so far. After a lost connection it resumes at its
 * cursor.
 */
export async function listen(o: RemoteOptions & { forward: string; mode?: 'live' | 'test' }): Promise<void> {
  const connection = await connect(o);
  const { secret } = await call<{ secret: string }>(`${connection.url}/v1/webhook-secret`, { key: connection.key });
  const signer = new Webhook(secret);
  console.log(`${bold('Listening')} ${dim(`to ${connection.url}, forwarding to ${o.forward}. Press Ctrl-C to stop.`)}`);
  console.log(`  ${dim('verify with')} ${secret}\n`);
  console.log(bold(`${'time'.padEnd(8)}  ${'event'.padEnd(30)}  ${'answer'.padEnd(22)}  id`));
  const counts = { accepted: 0, refused: 0, slowestMs: 0 };
  const status = createStatusLine(() => summary(counts));
  let cursor: string | null = null;
  for (;;) {
    try {
      for await (const { position, event } of follow(connection, o.mode, cursor)) {
        if (event) {
          const time = new Date().toTimeString().slice(0, 8);
          const row = `${time}  ${event.type.padEnd(30)}`;
          // Keep this short: only one terminal line can be overwritten, so it must not wrap.
          status.show(`${row}  …`);
          const { accepted, text, ms } = await forward(signer, o.forward, event);
          counts[accepted ? 'accepted' : 'refused'] += 1;
          counts.slowestMs = Math.max(counts.slowestMs, ms);
          status.print(`${row}  ${(accepted ? green : red)(text.padEnd(22))}  ${dim(event.id)}`);
        }
        cursor = position;
      }
    } catch (error) {
      status.print(dim(`lost the stream (${(error as Error).message}), connecting again`));
    }
    await sleep(1_000);
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
  signer: Webhook,
  url: string,
  event: Streamed,
): Promise<{ accepted: boolean; text: string; ms: number }> {
  const at = new Date();
  const started = performance.now();
  const passed = () => Math.round(performance.now() - started);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(15_000),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'webhook-id': event.id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': signer.sign(event.id, at, event.body),
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

/** Yields the account's server-sent events after `cursor` (WHATWG HTML, "Server-sent events"). */
async function* follow(
  { url, key }: Connection,
  mode: string | undefined,
  cursor: string | null,
): AsyncGenerator<{ position: string; event: Streamed | null }> {
  const answer = await fetch(`${url}/v1/events/stream${mode ? `?mode=${mode}` : ''}`, {
    headers: { authorization: `Bearer ${key}`, ...(cursor ? { 'last-event-id': cursor } : {}) },
  }).catch((error: Error) => {
    throw unreachable(url, error);
  });
  if (!answer.ok || !answer.body) throw refused(answer, await answer.text());
  let pending = '';
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
    pending += text;
    const blocks = pending.split('\n\n');
    pending = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const field = (name: string) =>
        lines
          .find(line => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim();
      const position = field('id');
      const data = field('event') === 'event' ? field('data') : undefined;
      if (position) yield { position, event: data ? (JSON.parse(data) as Streamed) : null };
    }
  }
}

interface Deliveries {
  data: { id: string; event_id: string }[];
  next_cursor?: string;
}

/** `firsthand events resend ID`: sends a delivery (whd_…), or every delivery of an event (evt_…), again. */
export async function resend(id: string, o: RemoteOptions): Promise<void> {
  checkId('<id>', ['whd', 'evt'], id);
  const connection = await connect(o);
  const ids = id.startsWith('whd_') ? [id] : await deliveriesOf(connection, id);
  if (ids.length === 0) throw new Error(`Event ${id} has no deliveries.`);
  for (const delivery of ids) {
    await call(`${connection.url}/v1/webhook-deliveries/${delivery}/retry`, { key: connection.key, method: 'POST' });
    console.log(`${green('✓')} ${delivery} will be sent again`);
  }
}

async function deliveriesOf(connection: Connection, eventId: string): Promise<string[]> {
  const found: string[] = [];
  let query = '?limit=100';
  for (;;) {
    const page = await call<Deliveries>(`${connection.url}/v1/webhook-deliveries${query}`, { key: connection.key });
    found.push(...page.data.filter(delivery => delivery.event_id === eventId).map(delivery => delivery.id));
    if (found.length > 0 || !page.next_cursor) return found;
    query = `?limit=100&cursor=${page.next_cursor}`;
  }
}
