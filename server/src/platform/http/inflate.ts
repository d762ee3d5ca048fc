import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { invalidField } from './problem.ts';

const CODINGS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export const isEncoded = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  !['', 'identity'].includes((headers['content-encoding'] ?? '').trim().toLowerCase());

/** A request's bytes without their Content-Encoding. The reader bounds them: a stream that nobody reads on stops here. */
interface Inflated {
  bytes: Readable;
  /** Whether the bytes were not what the header says. */
  isBroken(): boolean;
  /** Lets go of what is still to come, so that the sender can get an answer. */
  close(): void;
}

/** Throws `invalid_request` for a coding that is not known. */
export function inflated(request: Pick<IncomingMessage, 'headers'>, payload: Readable): Inflated {
  if (!isEncoded(request)) return { bytes: payload, isBroken: () => false, close: () => {} };
  const create = CODINGS[request.headers['content-encoding']!.trim().toLowerCase()];
  if (!create) {
    const allowed = Object.keys(CODINGS);
    throw invalidField('Content-Encoding', 'enum', 'must be gzip, deflate, br or zstd, or be left out', { allowed });
  }
  const bytes = create();
  let broken = false;
  const fail = (error: Error) => bytes.destroy(error);
  payload.once('error', fail);
  bytes.once('error', error => {
    broken = !('code' in error && error.code === 'ECONNRESET');
  });
  payload.pipe(bytes);
  return {
    bytes,
    isBroken: () => broken,
    close: () => {
      payload.off('error', fail);
      payload.unpipe(bytes);
      bytes.destroy();
    },
  };
}
