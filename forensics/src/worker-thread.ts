import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import { type AnalysisRequest, analyzePicture } from './analyze.ts';
import { makePreview } from './decode.ts';
import { ImageFault, inspect } from './inspect.ts';
import type { Answer, Question } from './pool.ts';

// One picture at a time in one thread: parallelism comes from the number of threads.
sharp.concurrency(1);
sharp.cache(false);

/** A third of the processor time of a thread that wants it as much: whoever waits for an answer of the API comes first. */
const NICE = 5;
// On Linux 0 is the calling thread; elsewhere it would be the whole process.
if (process.platform === 'linux') setPriority(0, NICE);

const port = parentPort;
if (!port) throw new Error('This file runs in a worker thread only.');

port.on('message', async (question: Question) => {
  let answer: Answer;
  try {
    answer = { id: question.id, value: await work(question.kind, question.request) };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    answer = { id: question.id, fault: { code: cause instanceof ImageFault ? cause.code : undefined, message } };
  }
  port.postMessage(answer);
});

async function work(kind: Question['kind'], request: AnalysisRequest): Promise<unknown> {
  if (kind === 'inspect') return { info: await inspect(request.bytes), preview: await makePreview(request.bytes) };
  return analyzePicture(request);
}
