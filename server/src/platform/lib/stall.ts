import type { Readable } from 'node:stream';

/** The sender was silent for longer than allowed. */
export class Stalled extends Error {
  override name = 'Stalled';
}

/**
 * Yields the chunks of a stream, however slowly they arrive. Throws {@link Stalled} when none arrives for `ms`. Does
 * not destroy the stream, so that its sender can get an answer.
 */
export async function* untilStalled(source: Readable, ms: number): AsyncGenerator<Buffer> {
  const chunks = source.iterator({ destroyOnReturn: false });
  let waiting = false;
  try {
    for (;;) {
      const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Buffer>>();
      const timer = setTimeout(() => reject(new Stalled(`nothing came for ${ms} ms`)), ms);
      waiting = true;
      chunks.next().then(resolve, reject);
      const next = await promise.finally(() => clearTimeout(timer));
      waiting = false;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // While a chunk is pending, `return` could wait forever.
    if (!waiting) await chunks.return?.();
  }
}
