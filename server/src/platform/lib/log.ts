import pino, { type DestinationStream, type Logger } from 'pino';
import { withLogNames } from './log-name.ts';
import { logIds } from './tracing.ts';

export type Log = Logger;

/** Writes JSON lines to standard error, with names in place of verification ids. Standard output is for people and scripts. */
export const createLog = (level: string, destination: DestinationStream = pino.destination(2)): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: logIds,
      hooks: { streamWrite: withLogNames },
      formatters: { level: label => ({ level: label }) },
      redact: { paths: ['headers.authorization', 'headers.cookie', '*.authorization'], remove: true },
    },
    destination,
  );
