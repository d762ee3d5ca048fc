import type { Readable } from 'node:stream';

/** Nothing came for as long as a sender may be silent. */
export class Stalled extends Error {
  override name = 'Stalled';
}

/**
 * The chunks of a stream, however slowly they come; throws {@link Stalled} once none has come for `ms`. The stream is not
 * destroyed, so that its sender can be told.
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
    // Behind a chunk that may never come this would wait for ever.
    if (!waiting) await chunks.return?.();
  }
}
