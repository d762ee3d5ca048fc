import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { many, one, type Queryable } from '../../platform/db/sql.ts';
import { tenantEndpoint } from '../../platform/http/endpoint.ts';
import { openStream } from '../../platform/http/open-streams.ts';
import { readableModes } from '../../platform/http/principal.ts';
import { invalidField } from '../../platform/http/problem.ts';

/** The longest time until an event appears in the stream. */
const LOOK_MS = 250;
/** Proxies close a silent connection, so the stream sends a heartbeat this often. */
const HEARTBEAT_MS = 15_000;
const BATCH = 100;
const MAX_STREAMS_PER_TENANT = 8;

/** The position after an event in the stream's order: by the transaction that recorded it, then by its id. */
interface Position {
  transaction: string;
  id: string;
}

const encodePosition = ({ transaction, id }: Position): string =>
  Buffer.from(`${transaction}:${id}`).toString('base64url');

function decodePosition(cursor: string): Position {
  const match = /^(\d{1,20}):(|evt_[0-9A-Z]{26})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!match || encodePosition({ transaction: match[1]!, id: match[2]! }) !== cursor) {
    throw invalidField('cursor', 'unknown_reference', 'is not a cursor of this stream');
  }
  return { transaction: match[1]!, id: match[2]! };
}

/**
 * Finds the current end of the stream. Before the oldest open transaction, every event was seen or never will be.
 * `snapshot` says which later events exist already.
 */
async function endOfStream(db: Queryable): Promise<Position & { snapshot: string }> {
  const row = await one<{ xmin: string; snapshot: string }>(
    db,
    'select pg_snapshot_xmin(s)::text as xmin, s::text as snapshot from pg_current_snapshot() s',
  );
  return { transaction: row!.xmin, id: '', snapshot: row!.snapshot };
}

interface StreamRow {
  id: string;
  recorded_in: string;
  livemode: boolean;
  type: string;
  body: string;
}

const eventsAfter = (
  db: Queryable,
  tenantId: string,
  modes: boolean[],
  after: Position,
  unseenBy: string | null,
): Promise<StreamRow[]> =>
  many<StreamRow>(
    db,
    `select id, recorded_in::text as recorded_in, livemode, public_type as type, body from events
     where tenant_id = $1 and livemode = any($2) and body is not null and (recorded_in, id) > ($3::text::xid8, $4)
       and recorded_in < pg_snapshot_xmin(pg_current_snapshot())
       and ($6::pg_snapshot is null or not pg_visible_in_snapshot(recorded_in, $6::pg_snapshot))
     order by events.recorded_in, id limit $5`,
    [tenantId, modes, after.transaction, after.id, BATCH, unseenBy],
  );

export const streamEvents = tenantEndpoint({
  operationId: 'streamEvents',
  summary: "Follow the account's events",
  description:
    'Streams one server-sent event for each webhook, even without a webhook URL. `data` is `{id, type, livemode, body}`, ' +
    'where `body` is the exact text of the webhook. The `id` of each event is a cursor: send it back as `Last-Event-ID` or ' +
    '`cursor` to continue after it without a gap. Without a cursor the stream begins now.',
  tag: 'Webhooks',
  credentials: ['session', 'secret'],
  // The bodies hold the links that claimants get.
  role: 'member',
  query: Type.Object(
    {
      cursor: Type.Optional(Type.String({ maxLength: 200 })),
      mode: Type.Optional(Type.Enum(['live', 'test'], { title: 'Mode' })),
    },
    { additionalProperties: false },
  ),
  mediaType: 'text/event-stream',
  responses: { 200: Type.String({ description: 'server-sent events: `ready` and `event`' }) },
  async handler({ deps, principal, query, request, reply, stillAdmitted }) {
    const { tenantId } = principal;
    const last = request.headers['last-event-id'];
    const cursor = typeof last === 'string' && last !== '' ? last : query.cursor;
    const ended = openStream(reply, { name: `events ${tenantId}`, most: MAX_STREAMS_PER_TENANT });
    const end = await endOfStream(deps.db);
    const start: Position = cursor === undefined ? end : decodePosition(cursor);
    const unseenBy = cursor === undefined ? end.snapshot : null;
    if (BigInt(start.transaction) > BigInt(end.transaction)) {
      throw invalidField('cursor', 'unknown_reference', 'belongs to another database; connect without a cursor');
    }
    const modes = readableModes(principal).filter(
      livemode => query.mode === undefined || livemode === (query.mode === 'live'),
    );
    const { server } = request.server;

    async function* events(): AsyncGenerator<string> {
      let position = start;
      let saidAt = performance.now();
      try {
        yield `event: ready\nid: ${encodePosition(position)}\ndata: {}\n\n`;
        // A server that no longer listens is draining. The reader reconnects to another node, or to this one later.
        while (!ended.aborted && server.listening && (await stillAdmitted())) {
          const rows = await eventsAfter(deps.db, tenantId, modes, position, unseenBy);
          for (const { id, recorded_in, livemode, type, body } of rows) {
            position = { transaction: recorded_in, id };
            yield `event: event\nid: ${encodePosition(position)}\ndata: ${JSON.stringify({ id, type, livemode, body })}\n\n`;
          }
          if (rows.length > 0) saidAt = performance.now();
          else if (performance.now() - saidAt >= HEARTBEAT_MS) {
            saidAt = performance.now();
            yield ': still here\n\n';
          }
          if (rows.length < BATCH) await sleep(LOOK_MS, undefined, { signal: ended }).catch(() => {});
        }
      } catch (error) {
        // The reader goes on from its cursor on a new connection.
        deps.log.warn({ err: error }, 'an event stream ended');
      }
    }
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
      body: Readable.from(events()),
    };
  },
});
