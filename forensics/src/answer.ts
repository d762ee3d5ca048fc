import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import { analyzePicture } from './analyze.ts';
import { makePreview } from './decode.ts';
import { ImageFault, inspect } from './inspect.ts';
import type { Answer, Question } from './pool.ts';
import { warmUp } from './warm-up.ts';

// One picture at a time in one thread: parallelism comes from the number of threads.
sharp.concurrency(1);
sharp.cache(false);

const port = parentPort;
if (!port) throw new Error('This file runs in a worker thread only.');

port.on('message', async (question: Question) => {
  let answer: Answer;
  try {
    answer = { id: question.id, value: await work(question) };
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    answer = { id: question.id, fault: { code: cause instanceof ImageFault ? cause.code : undefined, message } };
  }
  port.postMessage(answer);
});

async function work(question: Question): Promise<unknown> {
  if (question.kind === 'warm-up') return warmUp();
  const { kind, request } = question;
  if (kind === 'inspect') return { info: await inspect(request.bytes), preview: await makePreview(request.bytes) };
  return analyzePicture(request);
}
