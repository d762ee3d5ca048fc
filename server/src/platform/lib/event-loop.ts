let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a later turn of the event loop that belongs only to the caller, in the order of the calls. Put work of
 * some milliseconds that many requests bring at once behind it, so that other requests are answered in between.
 */
export function turn(): Promise<void> {
  last = last.then(() => new Promise(resolve => setImmediate(resolve)));
  return last;
}
