import pino, { type DestinationStream, type Logger } from 'pino';
import { logIds } from './tracing.ts';

export type Log = Logger;

/** Writes JSON lines to standard error. Standard output is for people and scripts. */
export const createLog = (level: string, destination: DestinationStream = pino.destination(2)): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: logIds,
      formatters: { level: label => ({ level: label }) },
      redact: { paths: ['headers.authorization', 'headers.cookie', '*.authorization'], remove: true },
    },
    destination,
  );
