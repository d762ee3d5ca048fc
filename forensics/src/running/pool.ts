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
  const pool = new Pool(options);
  return {
    analyze: request => pool.submit('analyze', request),
    inspect: bytes => pool.submit('inspect', { bytes, signals: [] }),
    warmUp: eachReady => pool.warmUp(eachReady),
    drain: () => pool.drain(),
    close: () => pool.close(),
  };
}

class Pool {
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #queue: Task[] = [];
  /** The first of them works on a large picture. The others wait for it, and their timeouts are paused. */
  readonly #large: Thread[] = [];
  #lastId = WARM_UP;
  #warm = false;
  #draining = false;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async warmUp(eachReady = () => {}): Promise<void> {
    this.#warm = true;
    for (let n = 0; n < this.#options.threads && !this.#closed; n += 1) {
      await ([...this.#threads][n] ?? this.#start()).warming?.promise;
      eachReady();
    }
  }

  drain(): void {
    this.#draining = true;
    for (const task of this.#queue.splice(0)) task.reject(closedFault());
    this.#endWaiting();
  }

  async close(): Promise<void> {
    this.#draining = true;
    this.#closed = true;
    for (const task of this.#queue.splice(0)) task.reject(closedFault());
    await Promise.all([...this.#threads].map(thread => this.#end(thread, closedFault())));
  }

  submit<T>(kind: 'analyze' | 'inspect', request: AnalysisRequest): Promise<T> {
    if (this.#draining) return Promise.reject(closedFault());
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const question = { id: ++this.#lastId, kind, request };
    this.#queue.push({ question, resolve: value => resolve(value as T), reject });
    this.#assign();
    return promise;
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const free = [...this.#threads].filter(thread => !thread.task);
      const mayStart = this.#threads.size < this.#options.threads;
      const idle = free.find(thread => thread.warm) ?? free[0] ?? (mayStart ? this.#start() : undefined);
      if (!idle) return;
      const task = this.#queue.shift();
      if (!task) return;
      idle.task = task;
      idle.worker.ref();
      this.#startClock(idle);
      idle.worker.postMessage(task.question);
    }
  }

  #startClock(thread: Thread): void {
    const { timeoutMs } = this.#options;
    let left = timeoutMs;
    const tickMs = Math.min(TICK_MS, timeoutMs);
    // A process that was stopped and woken has missed its ticks: the time it stood still does not count.
    thread.timer = setInterval(() => {
      left -= tickMs;
      if (left > 0) return;
      void this.#end(thread, new AnalysisFault('timeout', `The analysis took longer than ${timeoutMs} ms.`));
    }, tickMs);
  }

  #enlist(thread: Thread): void {
    clearInterval(thread.timer);
    if (this.#large.push(thread) === 1) this.#goAhead();
    else if (this.#draining) this.#endWaiting();
  }

  #goAhead(): void {
    const [first] = this.#large;
    if (!first) return;
    this.#startClock(first);
    first.worker.postMessage({ kind: 'go' });
  }

  #delist(thread: Thread): void {
    const at = this.#large.indexOf(thread);
    if (at < 0) return;
    this.#large.splice(at, 1);
    if (at === 0 && !this.#closed) this.#goAhead();
  }

  #endWaiting(): void {
    for (const thread of this.#large.slice(1)) void this.#end(thread, closedFault());
  }

  #start(): Thread {
    const worker = new Worker(new URL('./worker-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMb },
    });
    const thread: Thread = { worker };
    this.#threads.add(thread);
    worker.unref();
    if (this.#warm) {
      thread.warming = Promise.withResolvers<void>();
      worker.postMessage({ id: WARM_UP, kind: 'warm-up' } satisfies Question);
    }
    worker.on('message', (reply: Reply) => this.#hear(thread, reply));
    worker.on('error', cause =>
      this.#drop(thread, new AnalysisFault('crashed', `The analysis thread ended: ${cause.message}`)),
    );
    worker.on('exit', () => this.#drop(thread, new AnalysisFault('crashed', 'The analysis thread ended.')));
    return thread;
  }

  #hear(thread: Thread, reply: Reply): void {
    if (reply.id === WARM_UP) {
      thread.warm = true;
      thread.warming?.resolve();
    }
    const { task, worker } = thread;
    if (task?.question.id !== reply.id) return;
    if ('large' in reply) {
      this.#enlist(thread);
      return;
    }
    clearInterval(thread.timer);
    this.#delist(thread);
    thread.task = undefined;
    if (reply.spent) {
      this.#threads.delete(thread);
      void worker.terminate();
    }
    worker.unref();
    if (reply.fault?.code) task.reject(new ImageFault(reply.fault.code, reply.fault.message));
    else if (reply.fault) task.reject(new AnalysisFault('failed', reply.fault.message));
    else task.resolve(reply.value);
    this.#assign();
  }

  /** Ends a thread and answers its picture with a fault. */
  async #end(thread: Thread, fault: AnalysisFault): Promise<void> {
    this.#drop(thread, fault);
    await thread.worker.terminate();
  }

  #drop(thread: Thread, fault: AnalysisFault): void {
    if (!this.#threads.delete(thread)) return;
    clearInterval(thread.timer);
    this.#delist(thread);
    thread.warming?.resolve();
    thread.task?.reject(fault);
    thread.task = undefined;
    if (!this.#closed) this.#assign();
  }
}
