import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { createWakeup, type Wakeup } from '../../platform/db/listen.ts';
import type { Deps } from '../../platform/deps.ts';
import { tenantEndpoint } from '../../platform/http/endpoint.ts';
import { openStream } from '../../platform/http/open-streams.ts';
import { readableModes } from '../../platform/http/principal.ts';
import { invalidField } from '../../platform/http/problem.ts';
import { scopeOf } from '../../verification/verifications/row.ts';
import { Hub, KEPT_MS, missedChanges, note, type Subscriber } from './hub.ts';

const HEARTBEAT_MS = 15_000;
/** How often a stream checks that its credential still opens it. */
const ADMITTED_MS = 2_000;
/** A stream notices at least this often that the server drains. */
const LOOK_MS = 500;
/** Changes that come together are sent together. */
const GATHER_MS = 100;
const MAX_PER_CALLER = 8;
const MAX_PER_TENANT = 100;

const hubs = new WeakMap<Deps, Hub>();
function hubOf(deps: Deps): Hub {
  const known = hubs.get(deps) ?? new Hub(deps);
  hubs.set(deps, known);
  return known;
}
/** Ends what the streams of a process share. */
export const closeChanges = async (deps: Deps): Promise<void> => hubs.get(deps)?.close();

/** A cursor: the transaction before which everything was sent, and when. */
const encodeCursor = (transaction: string, at: number): string =>
  Buffer.from(`${transaction}:${at}`).toString('base64url');
function decodeCursor(cursor: string): { transaction: string; at: number } {
  const match = /^(\d{1,20}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!match || encodeCursor(match[1]!, Number(match[2])) !== cursor) {
    throw invalidField('cursor', 'unknown_reference', 'is not a cursor of this stream');
  }
  return { transaction: match[1]!, at: Number(match[2]) };
}

export const streamChanges = tenantEndpoint({
  operationId: 'streamChanges',
  summary: 'Stream changes of verifications and batches',
  description:
    'Server-sent events `changed` with `{id, livemode}`: read that verification again. Several changes of one verification ' +
    'may come as one. The `id` of an event is a cursor: send it back as `Last-Event-ID` or `cursor` within 15 minutes to ' +
    'hear of what changed meanwhile. An event `reset` says that more has changed than is remembered: load everything again.',
  tag: 'Verifications',
  credentials: ['session', 'secret'],
  query: Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 200 })) }, { additionalProperties: false }),
  mediaType: 'text/event-stream',
  responses: { 200: Type.String({ description: 'server-sent events: `ready`, `changed` and `reset`' }) },
  async handler({ deps, principal, query, request, reply, stillAdmitted }) {
    const last = request.headers['last-event-id'];
    const cursor = typeof last === 'string' && last !== '' ? last : query.cursor;
    const from = cursor === undefined ? null : decodeCursor(cursor);
    const caller = principal.kind === 'session' ? principal.userId : principal.tenantId;
    const ended = openStream(
      reply,
      { name: `changes ${principal.tenantId}`, most: MAX_PER_TENANT },
      { name: `changes of ${caller}`, most: MAX_PER_CALLER },
    );
    const wakeup = createWakeup();
    const subscriber: Subscriber = {
      scopes: readableModes(principal).map(livemode => scopeOf(principal.tenantId, livemode)),
      waiting: new Map(),
      lost: false,
      position: '0',
      wake: wakeup.wake,
    };
    const hub = hubOf(deps);
    ended.addEventListener('abort', () => {
      hub.remove(subscriber);
      wakeup.wake();
    });
    await hub.add(subscriber);
    // The reader may have left before this one was added.
    if (ended.aborted) hub.remove(subscriber);
    const began = subscriber.position;
    if (from) {
      if (deps.clock.now().getTime() - from.at > KEPT_MS || BigInt(from.transaction) > BigInt(began))
        subscriber.lost = true;
      else {
        const missed = await missedChanges(deps.db, subscriber.scopes, from.transaction, began);
        for (const { verification_id, scope } of missed) note(subscriber, verification_id, scope);
      }
    }
    const { server } = request.server;

    const goesOn = () => !ended.aborted && server.listening;
    const messages = messagesOf(deps, subscriber, { began, wakeup, goesOn, stillAdmitted });
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
      body: Readable.from(messages),
    };
  },
});

/** The messages of one stream, for as long as it goes on. */
async function* messagesOf(
  deps: Pick<Deps, 'clock' | 'log'>,
  subscriber: Subscriber,
  o: { began: string; wakeup: Wakeup; goesOn(): boolean; stillAdmitted(): Promise<boolean> },
): AsyncGenerator<string> {
  const cursorAt = (transaction: string) => encodeCursor(transaction, deps.clock.now().getTime());
  let saidAt = performance.now();
  let admittedAt = performance.now();
  let position = cursorAt(o.began);
  try {
    yield `event: ready\nid: ${position}\ndata: {}\n\n`;
    while (o.goesOn()) {
      if (performance.now() - admittedAt >= ADMITTED_MS) {
        if (!(await o.stillAdmitted())) return;
        admittedAt = performance.now();
      }
      o.wakeup.clear();
      const { lost } = subscriber;
      const sent = [...subscriber.waiting];
      const reached = cursorAt(subscriber.position);
      subscriber.lost = false;
      subscriber.waiting.clear();
      if (lost || sent.length > 0) {
        // A reader that is cut off among them hears of all of them again: only the last moves the cursor on.
        if (lost) yield `event: reset\n${sent.length === 0 ? `id: ${reached}\n` : ''}data: {}\n\n`;
        for (const [n, [id, scope]] of sent.entries()) {
          const mark = n === sent.length - 1 ? reached : position;
          yield `event: changed\nid: ${mark}\ndata: ${JSON.stringify({ id, livemode: scope.endsWith(':live') })}\n\n`;
        }
        position = reached;
        saidAt = performance.now();
      } else if (performance.now() - saidAt >= HEARTBEAT_MS) {
        saidAt = performance.now();
        yield `id: ${position}\n: still here\n\n`;
      }
      await o.wakeup.wait(LOOK_MS);
      await sleep(GATHER_MS);
    }
  } catch (error) {
    deps.log.warn({ err: error }, 'a stream of changes ended');
  }
}
