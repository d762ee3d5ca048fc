import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import { analyzePicture } from '../analyze.ts';
import { isLarge, makePreview } from '../files/decode.ts';
import { ImageFault, inspect } from '../files/inspect.ts';
import { collectHeap } from './heap.ts';
import type { Answer, Question, Reply } from './pool.ts';
import { warmUp } from './warm-up.ts';

// One picture at a time in one thread: parallelism comes from the number of threads.
sharp.concurrency(1);
sharp.cache(false);

const port = parentPort;
if (!port) throw new Error('This file runs in a worker thread only.');

let granted: (() => void) | undefined;

port.on('message', async (question: Question | { kind: 'go' }) => {
  if (question.kind === 'go') {
    granted?.();
    return;
  }
  let answer: Answer;
  try {
    answer = { id: question.id, value: await work(question), ...(spent ? { spent } : {}) };
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
  const info = await inspect(request.bytes);
  const frame = request.motionFrame && (await inspect(request.motionFrame).catch(() => undefined));
  const large = isLarge(info) || (frame && isLarge(frame));
  if (large) await leave(question.id);
  spent ||= isLarge(info) && (info.contentType === 'image/heic' || info.contentType === 'image/heif');
  try {
    return await analyzePicture(request);
  } finally {
    if (large) collectHeap();
  }
}

/** WebAssembly memory never shrinks, so replace this thread after a large HEIC picture. */
let spent = false;

/** Waits until no other thread works on a large picture. */
function leave(id: number): Promise<void> {
  return new Promise(resolve => {
    granted = resolve;
    port!.postMessage({ id, large: true } satisfies Reply);
  });
}
