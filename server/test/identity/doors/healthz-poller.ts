/**
 * Asks `/healthz` every 50 ms in a process of its own, and tells its parent how many milliseconds the service's main thread ran between
 * each question and its answer: its own work is next to nothing, so the rest went to others.
 *
 *   fork('healthz-poller.ts', [url, pid])   any message ends it; the answer is the list of milliseconds
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { mainThreadMs } from './main-thread.ts';

const [url, pid] = process.argv.slice(2);

const waits: number[] = [];
let asked = true;
process.once('message', () => {
  asked = false;
});
process.send?.('ready');
while (asked) {
  const before = mainThreadMs(pid!);
  await fetch(`${url}/healthz`).then(answer => answer.text());
  waits.push(mainThreadMs(pid!) - before);
  await sleep(50);
}
process.send?.(waits, () => process.exit());
