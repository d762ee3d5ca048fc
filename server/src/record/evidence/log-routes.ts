import { parseTilePath, TILE_WIDTH, type TileAt, widthAt } from '@firsthand/evidence/tiles.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/http/problem.ts';
import { cosignedNote } from './cosign.ts';
import { currentLog, type LogRow, logOf } from './log.ts';
import { ENTRIES_LEVEL, readTile } from './tiles.ts';

/** Entries are 33 bytes, each after two that say so. */
const ENTRY_BYTES = 35;
const HASH_BYTES = 32;
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * The log as c2sp.org/tlog-tiles has it: for anyone, without a credential. `/log` is the log that grows, `/log/epoch-N` each epoch
 * at an address of its own, for whoever holds a bundle of an earlier one.
 */
export function registerLog(app: FastifyInstance, deps: Deps): void {
  const schema = { hide: true } as object;
  const open = (reply: FastifyReply) => reply.header('access-control-allow-origin', '*');
  const logAt = (epoch: string | undefined) => (epoch === undefined ? currentLog(deps.db) : logOf(deps.db, epoch));

  for (const prefix of ['/log', '/log/epoch-:epoch']) {
    app.get<{ Params: { epoch?: string } }>(`${prefix}/checkpoint`, { schema }, async ({ params }, reply) => {
      const log = await logAt(params.epoch);
      const note = log && (await cosignedNote(deps.db, log));
      if (!note) throw notFound();
      return open(reply).header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send(note);
    });

    app.get<{ Params: { epoch?: string; '*': string } }>(`${prefix}/tile/*`, { schema }, async ({ params }, reply) => {
      const tile = parseTilePath(params['*']);
      const log = tile && (await logAt(params.epoch));
      const bytes = log && (await tileBytes(deps, log, tile));
      if (!bytes) throw notFound();
      // At `/log` another epoch may follow, whose tiles are others.
      const caching = params.epoch === undefined && log.id > 1 ? 'no-cache' : FOR_EVER;
      return open(reply).header('cache-control', caching).type('application/octet-stream').send(bytes);
    });
  }
}

/** A tile of the published state; null beyond it, so that nobody sees an entry that a crash could take back. */
async function tileBytes({ db }: Deps, log: LogRow, { level, index, width }: TileAt): Promise<Buffer | null> {
  const published = BigInt(log.checkpoint_size);
  if (published <= 0n) return null;
  if (widthAt(level === 'entries' ? 0 : level, index, published) < width) return null;
  const bytes = await readTile(db, log.id, level === 'entries' ? ENTRIES_LEVEL : level, index);
  const length = width * (level === 'entries' ? ENTRY_BYTES : HASH_BYTES);
  if (!bytes || bytes.length < length) return null;
  return width === TILE_WIDTH ? bytes : bytes.subarray(0, length);
}
