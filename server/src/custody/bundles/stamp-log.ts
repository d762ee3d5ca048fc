import type { FastifyInstance } from 'fastify';
import { one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/http/problem.ts';
import { currentLog } from '../../record/evidence/log.ts';
import { stampOf } from './time-stamp.ts';

/** A node that asked and died; another asks again. */
const ASKING_SECONDS = 120;

/** Has the published log stamped, once an hour in which it is asked and has grown since the last stamp. Safe on every node. */
export async function stampLog(deps: Pick<Deps, 'config' | 'log' | 'db' | 'clock'>): Promise<void> {
  if (!deps.config.tsaUrl) return;
  const log = await currentLog(deps.db);
  if (!log?.checkpoint) return;
  const claimed = await one<{ hour: Date }>(
    deps.db,
    `insert into evidence_stamps (log_id, hour, note, asked_at)
     select $1, date_trunc('hour', $3::timestamptz), $2, $3
     where not exists (select from evidence_stamps where log_id = $1 and note = $2 and response is not null)
     on conflict (log_id, hour) do update set note = excluded.note, asked_at = excluded.asked_at
     where evidence_stamps.response is null
       and evidence_stamps.asked_at < excluded.asked_at - make_interval(secs => $4)
     returning hour`,
    [log.id, log.checkpoint, deps.clock.now(), ASKING_SECONDS],
  );
  if (!claimed) return;
  const made = await stampOf(deps, log.checkpoint);
  if (!made) return;
  await deps.db.query('update evidence_stamps set response = $4 where log_id = $1 and hour = $2 and note = $3', [
    log.id,
    claimed.hour,
    log.checkpoint,
    made.response,
  ]);
}

/** The last stamp, for anyone: the note, and what the authority answered. */
export function registerStamps(app: FastifyInstance, deps: Pick<Deps, 'db'>): void {
  const last = async () => {
    const log = await currentLog(deps.db);
    const row =
      log &&
      (await one<{ note: string; response: Buffer }>(
        deps.db,
        'select note, response from evidence_stamps where log_id = $1 and response is not null order by hour desc limit 1',
        [log.id],
      ));
    if (!row) throw notFound();
    return row;
  };
  const addresses = [
    ['/log/stamped', 'note', 'text/plain; charset=utf-8'],
    ['/log/stamped.tsr', 'response', 'application/timestamp-reply'],
  ] as const;
  for (const [path, member, type] of addresses) {
    app.get(path, { schema: { hide: true } as object }, async (_request, reply) =>
      reply
        .header('access-control-allow-origin', '*')
        .header('cache-control', 'no-cache')
        .type(type)
        .send((await last())[member]),
    );
  }
}
