import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { one, type Queryable } from './sql.ts';

/** After the machine slept, its time is wrong for at most this long. */
const MEASURE_EVERY_MS = 10_000;
/** Each measurement takes this many samples and keeps the fastest. */
const SAMPLES = 3;

export interface DatabaseClock extends Clock {
  close(): void;
}

/**
 * The database's clock, which all nodes use for the times of shared rows. It reads the database's time every ten
 * seconds and advances it by this process's monotonic clock. The setting of this machine's own clock has no effect,
 * even when it changes.
 */
export async function openDatabaseClock(db: Queryable, log: Log): Promise<DatabaseClock> {
  let aheadMs = await measure(db);
  const timer = setInterval(() => {
    measure(db).then(
      measured => {
        aheadMs = measured;
      },
      error => log.warn({ err: error }, 'the clock of the database could not be read; the last reading counts'),
    );
  }, MEASURE_EVERY_MS).unref();
  return {
    now: () => new Date(performance.now() + aheadMs),
    close: () => clearInterval(timer),
  };
}

/** Returns how many milliseconds the database's time since 1970 is ahead of `performance.now()`. */
async function measure(db: Queryable): Promise<number> {
  let best = { aheadMs: 0, tookMs: Number.POSITIVE_INFINITY };
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const asked = performance.now();
    const row = await one<{ ms: number }>(db, 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms');
    const tookMs = performance.now() - asked;
    if (tookMs < best.tookMs) best = { aheadMs: row!.ms - asked - tookMs / 2, tookMs };
  }
  return best.aheadMs;
}
