import { Worker } from 'node:worker_threads';
import type { AnalysisRequest, PictureAnalysis } from '../analyze.ts';
import { ImageFault, type ImageFaultCode, type ImageInfo } from '../files/inspect.ts';
import { growHeaps } from './heap.ts';

/** The analysis ended without an answer, although the picture may be fine. */
export class AnalysisFault extends Error {
  readonly code: 'timeout' | 'crashed' | 'failed' | 'closed';
  constructor(code: AnalysisFault['code'], message: string) {
    super(message);
    this.name = 'AnalysisFault';
    this.code = code;
  }
}

export interface PoolOptions {
  /** Number of pictures analysed concurrently. */
  threads: number;
  /** After this time the pool replaces the thread and answers its picture with `timeout`. */
  timeoutMs: number;
  /**
   * The bound on one thread's JavaScript heap. Decoded pixels are outside it (at most three bytes a pixel, several
   * times over).
   */
  memoryMb: number;
}

export interface AnalysisPool {
  /** @throws ImageFault for the picture, AnalysisFault for the analysis. */
  analyze(request: AnalysisRequest): Promise<PictureAnalysis>;
  /** Reads type and size and makes the preview, off the main thread. @throws like `analyze`. */
  inspect(bytes: Uint8Array): Promise<{ info: ImageInfo; preview: Uint8Array }>;
  /**
   * Starts the threads one after another before they are needed, and lets each load everything its first picture would wait for. A
   * replacement thread does the same. Calls `eachReady` when one is ready and resolves when the last is. Never rejects, because the first
   * picture reports any failure.
   */
  warmUp(eachReady?: () => void): Promise<void>;
  /**
   * Takes no more pictures: those that no thread has begun are answered with `closed`, and so is every later one. The threads
   * finish theirs.
   */
  drain(): void;
  /** Ends the threads. Waiting requests are answered with `closed`. */
  close(): Promise<void>;
}

export type Question =
  | { id: number; kind: 'analyze' | 'inspect'; request: AnalysisRequest }
  | { id: typeof WARM_UP; kind: 'warm-up' };

const WARM_UP = 0;
/** The clock of an analysis counts in steps of this. */
const TICK_MS = 500;

/** Messages from a thread: a notice that its picture is large, and later the result. */
export type Reply = Answer | { id: number; large: true };

export interface Answer {
  id: number;
  /** The thread holds memory that it cannot release, so the pool replaces it. */
  spent?: boolean;
  value?: unknown;
  fault?: { code?: ImageFaultCode; message: string };
}

interface Task {
  question: Question;
  resolve(value: unknown): void;
  reject(fault: Error): void;
}

interface Thread {
  worker: Worker;
  /** Settles when the thread has warmed up or ended; undefined without a warm-up. */
  warming?: { promise: Promise<void>; resolve(): void };
  warm?: true;
  task?: Task;
  timer?: NodeJS.Timeout;
}

const closedFault = () => new AnalysisFault('closed', 'The analysis pool is closed.');

/**
 * Analyses pictures in worker threads, so that the caller's event loop stays free. A picture that hangs or exhausts its
 * thread costs that thread only. All threads together work on one large picture (see `decode.ts`) at a time, because
 * decoding some formats takes up to six bytes a pixel of the whole. Threads start when first needed. Calls `growHeaps` for the whole process.
 */
export function createAnalysisPool(options: PoolOptions): AnalysisPool {
  growHeaps();
  const threads = new Set<Thread>();
  const queue: Task[] = [];
  const large: Thread[] = [];
  let lastId = WARM_UP;
  let warm = false;
  let draining = false;
  let closed = false;

  const submit = <T>(kind: 'analyze' | 'inspect', request: AnalysisRequest): Promise<T> =>
    new Promise((resolve, reject) => {
      if (draining) {
        reject(closedFault());
        return;
      }
      const task: Task = { question: { id: ++lastId, kind, request }, resolve: value => resolve(value as T), reject };
      queue.push(task);
      assign();
    });

  const assign = (): void => {
    while (queue.length > 0) {
      const free = [...threads].filter(thread => !thread.task);
      const idle =
        free.find(thread => thread.warm) ?? free[0] ?? (threads.size < options.threads ? start() : undefined);
      if (!idle) return;
      const task = queue.shift();
      if (!task) return;
      idle.task = task;
      idle.worker.ref();
      startClock(idle);
      idle.worker.postMessage(task.question);
    }
  };

  const startClock = (thread: Thread): void => {
    let left = options.timeoutMs;
    const tickMs = Math.min(TICK_MS, options.timeoutMs);
    // A process that was stopped and woken has missed its ticks: the time it stood still does not count.
    thread.timer = setInterval(() => {
      left -= tickMs;
      if (left > 0) return;
      drop(thread, new AnalysisFault('timeout', `The analysis took longer than ${options.timeoutMs} ms.`));
      void thread.worker.terminate();
    }, tickMs);
  };

  /** The first thread in the list works on a large picture. The others wait for it, and their timeouts are paused. */
  const enlist = (thread: Thread): void => {
    clearInterval(thread.timer);
    if (large.push(thread) === 1) goAhead();
    else if (draining) endWaiting();
  };
  const goAhead = (): void => {
    const [first] = large;
    if (!first) return;
    startClock(first);
    first.worker.postMessage({ kind: 'go' });
  };
  const delist = (thread: Thread): void => {
    const at = large.indexOf(thread);
    if (at < 0) return;
    large.splice(at, 1);
    if (at === 0 && !closed) goAhead();
  };

  const endWaiting = (): void => {
    for (const thread of large.slice(1)) {
      drop(thread, closedFault());
      void thread.worker.terminate();
    }
  };

  const start = (): Thread => {
    const worker = new Worker(new URL('./worker-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb },
    });
    const thread: Thread = { worker };
    threads.add(thread);
    worker.unref();
    if (warm) {
      thread.warming = Promise.withResolvers<void>();
      worker.postMessage({ id: WARM_UP, kind: 'warm-up' } satisfies Question);
    }
    worker.on('message', (answer: Reply) => {
      if (answer.id === WARM_UP) {
        thread.warm = true;
        thread.warming?.resolve();
      }
      if (thread.task?.question.id !== answer.id) return;
      if ('large' in answer) {
        enlist(thread);
        return;
      }
      const { task } = thread;
      clearInterval(thread.timer);
      delist(thread);
      thread.task = undefined;
      if (answer.spent) {
        threads.delete(thread);
        void worker.terminate();
      }
      worker.unref();
      if (answer.fault?.code) task.reject(new ImageFault(answer.fault.code, answer.fault.message));
      else if (answer.fault) task.reject(new AnalysisFault('failed', answer.fault.message));
      else task.resolve(answer.value);
      assign();
    });
    worker.on('error', cause =>
      drop(thread, new AnalysisFault('crashed', `The analysis thread ended: ${cause.message}`)),
    );
    worker.on('exit', () => drop(thread, new AnalysisFault('crashed', 'The analysis thread ended.')));
    return thread;
  };

  const drop = (thread: Thread, fault: AnalysisFault): void => {
    if (!threads.delete(thread)) return;
    clearInterval(thread.timer);
    delist(thread);
    thread.warming?.resolve();
    thread.task?.reject(fault);
    thread.task = undefined;
    if (!closed) assign();
  };

  return {
    analyze: request => submit('analyze', request),
    inspect: bytes => submit('inspect', { bytes, signals: [] }),
    async warmUp(eachReady = () => {}) {
      warm = true;
      for (let n = 0; n < options.threads && !closed; n += 1) {
        await ([...threads][n] ?? start()).warming?.promise;
        eachReady();
      }
    },
    drain() {
      draining = true;
      for (const task of queue.splice(0)) task.reject(closedFault());
      endWaiting();
    },
    async close() {
      draining = true;
      closed = true;
      const fault = closedFault();
      for (const task of queue.splice(0)) task.reject(fault);
      const ending = [...threads].map(thread => {
        drop(thread, fault);
        return thread.worker.terminate();
      });
      await Promise.all(ending);
    },
  };
}
