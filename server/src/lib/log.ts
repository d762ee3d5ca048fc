import pino, { type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** JSON lines on standard error; standard output belongs to what a person or a script reads. */
export const createLog = (level: string, destination: DestinationStream = pino.destination(2)): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      redact: { paths: ['headers.authorization', 'headers.cookie', '*.authorization'], remove: true },
    },
    destination,
  );
