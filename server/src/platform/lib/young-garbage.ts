import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects when this many bytes of buffers were let go. V8 starts a full collection at 64 MB. */
const COLLECT_BYTES = 8 * 1_048_576;

/**
 * Notes the end of a request that filled large buffers, and collects young objects once enough of them are garbage.
 *
 * V8 counts the memory of buffers, but collects young objects only when it has made enough of *them*; a body of 16 MB leaves
 * few objects. So every second such body made it collect the whole heap, which stopped the event loop for 10 to 50 ms. The
 * buffers of a request that has just ended are still young, and a young collection takes 1 to 3 ms.
 */
export function letGo(bytes: number): void {
  noted += bytes;
  if (noted < COLLECT_BYTES) return;
  noted = 0;
  // After the turn that still holds the request.
  setImmediate(() => collect({ type: 'minor', execution: 'sync' }));
}

let noted = 0;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (o: { type: 'minor'; execution: 'sync' }) => void;
setFlagsFromString('--no-expose-gc');
