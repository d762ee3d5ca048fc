import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import { tlsAdvice } from './connection.ts';
import { DatabaseUnavailable } from './pool.ts';

/** A start waits this long for a database that is there but does not answer yet. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 1_000;

/** Runs one step of a start. */
export type RunStep = <T>(step: () => Promise<T>) => Promise<T>;

/**
 * Returns a function that repeats a step of a start while the database is busy, starting or slow. All steps of one such function share one minute. A database
 * that refuses the connection or whose host has no address ends the start at once: its address is probably wrong. Steps run again after
 * a crash, so they may run twice.
 */
export function patientStart(log: Log, patienceMs = PATIENCE_MS, pauseMs = PAUSE_MS): RunStep {
  const until = performance.now() + patienceMs;
  return async step => {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw error;
        log.warn({ err: error }, 'the database does not answer yet; trying again');
        await sleep(pauseMs);
      }
    }
  };
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false;
  const { cause } = error;
  if (!(cause instanceof Error)) return true;
  const { syscall } = cause as NodeJS.ErrnoException;
  return syscall !== 'connect' && syscall !== 'getaddrinfo' && tlsAdvice(cause) === null;
}
