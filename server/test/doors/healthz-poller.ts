/**
 * Asks `/healthz` every 50 ms in a process of its own, and tells its parent how many milliseconds the service's main thread ran between
 * each question and its answer: its own work is next to nothing, so the rest went to others.
 *
 *   fork('healthz-poller.ts', [url, pid])   any message ends it; the answer is the list of milliseconds
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [url, pid] = process.argv.slice(2);
const spent = (): number => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

const waits: number[] = [];
let asked = true;
process.once('message', () => {
  asked = false;
});
process.send?.('ready');
while (asked) {
  const before = spent();
  await fetch(`${url}/healthz`).then(answer => answer.text());
  waits.push(spent() - before);
  await sleep(50);
}
process.send?.(waits, () => process.exit());
