import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * Runs the module at `url` on threads and sends each task to the next free one as a message; the thread answers with a message. Takes a
 * task from the iterable only when a thread is free. Resolves to the answers in the order of the tasks.
 *
 * @param answered called with the number of answers so far, after each.
 */
export async function inWorkers<Task, Answer>(
  url: URL,
  tasks: Iterable<Task>,
  workers: number,
  answered: (done: number) => void,
): Promise<Answer[]> {
  const waiting = tasks[Symbol.iterator]();
  const answers: Answer[] = [];
  let taken = 0;
  let done = 0;
  const run = async (): Promise<void> => {
    const worker = new Worker(url);
    try {
      for (let next = waiting.next(); !next.done; next = waiting.next()) {
        const place = taken++;
        worker.postMessage(next.value);
        // Rejects when the thread throws.
        const [answer] = (await once(worker, 'message')) as [Answer];
        answers[place] = answer;
        answered(++done);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: workers }, run));
  process.stderr.write('\n');
  return answers;
}
