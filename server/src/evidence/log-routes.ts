import { parseTilePath, TILE_WIDTH, type TileAt, widthAt } from '@firsthand/evidence/tiles.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Deps } from '../deps.ts';
import { notFound } from '../http/problem.ts';
import { cosignedNote } from './cosign.ts';
import { currentLog } from './log.ts';
import { ENTRIES_LEVEL, readTile } from './tiles.ts';

/** Entries are 33 bytes, each after two that say so. */
const ENTRY_BYTES = 35;
const HASH_BYTES = 32;
const FOR_EVER = 'public, max-age=31536000, immutable';

/** The log as c2sp.org/tlog-tiles has it: for anyone, without a credential. */
export function registerLog(app: FastifyInstance, deps: Deps): void {
  const schema = { hide: true } as object;
  const open = (reply: FastifyReply) => reply.header('access-control-allow-origin', '*');

  app.get('/log/checkpoint', { schema }, async (_request, reply) => {
    const log = await currentLog(deps.db);
    const note = log && (await cosignedNote(deps.db, log));
    if (!note) throw notFound();
    return open(reply).header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send(note);
  });

  app.get<{ Params: { '*': string } }>('/log/tile/*', { schema }, async (request, reply) => {
    const tile = parseTilePath(request.params['*']);
    const bytes = tile && (await tileBytes(deps, tile));
    if (!bytes) throw notFound();
    return open(reply).header('cache-control', FOR_EVER).type('application/octet-stream').send(bytes);
  });
}

/** A tile of the published state; null beyond it, so that nobody sees an entry that a crash could take back. */
async function tileBytes({ db }: Deps, { level, index, width }: TileAt): Promise<Buffer | null> {
  const log = await currentLog(db);
  const published = BigInt(log?.checkpoint_size ?? 0);
  if (!log || published <= 0n) return null;
  if (widthAt(level === 'entries' ? 0 : level, index, published) < width) return null;
  const bytes = await readTile(db, log.id, level === 'entries' ? ENTRIES_LEVEL : level, index);
  const length = width * (level === 'entries' ? ENTRY_BYTES : HASH_BYTES);
  if (!bytes || bytes.length < length) return null;
  return width === TILE_WIDTH ? bytes : bytes.subarray(0, length);
}
