import { Worker } from 'node:worker_threads';

/** One file to be signed. `definition` is a manifest definition of c2pa-rs. */
export interface WriteRequest {
  bytes: Uint8Array;
  mediaType: string;
  definition: object;
  /** Files that this one came from. A manifest that such a file carries is kept in the new manifest store. Null bytes: only `json`. */
  ingredients: { json: object; mediaType: string; bytes: Uint8Array | null }[];
  /** As C2PA spells it: `es256`, `ps256`, `ed25519`, … */
  alg: string;
  /** Room for the COSE signature with its certificates and time stamp; {@link Sign} fills it exactly. */
  reserveBytes: number;
}

/** Returns the COSE_Sign1 over a claim, `reserveBytes` long. Runs on the main thread: keys do not leave it. */
export type Sign = (claim: Uint8Array) => Promise<Uint8Array>;

export interface C2paWriter {
  /** Returns the file with its manifest embedded. Files are written one after another. Throws {@link C2paFault}. */
  write(request: WriteRequest, sign: Sign): Promise<Buffer>;
  close(): Promise<void>;
}

/** The file could not be written, or not signed. */
export class C2paFault extends Error {
  override name = 'C2paFault';
}

export type ToThread =
  | { kind: 'write'; request: WriteRequest }
  | { kind: 'signature'; signature: Uint8Array }
  | { kind: 'signature'; fault: string };
export type FromThread =
  | { kind: 'sign'; claim: Uint8Array }
  | { kind: 'written'; photo: Uint8Array }
  | { kind: 'failed'; fault: string; broken: boolean };

/** The library holds some 60 MB, so an idle thread ends. */
const IDLE_MS = 60_000;
/** A 25 MB photo takes about a second; a remote signer and a time-stamping authority may take ten each. */
const TIMEOUT_MS = 60_000;

interface Task {
  request: WriteRequest;
  sign: Sign;
  resolve(photo: Buffer): void;
  reject(fault: Error): void;
}

/** Writes C2PA manifests with the library of the Content Authenticity Initiative, in one thread that starts when it is needed. */
export function createC2paWriter({ idleMs = IDLE_MS, timeoutMs = TIMEOUT_MS } = {}): C2paWriter {
  const queue: Task[] = [];
  let thread: Worker | undefined;
  let current: Task | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const end = (): Promise<unknown> => {
    const ending = thread;
    thread = undefined;
    clearTimeout(timer);
    return ending?.terminate() ?? Promise.resolve();
  };

  const start = (): Worker => {
    const worker = new Worker(new URL('./c2pa-thread.ts', import.meta.url));
    worker.unref();
    worker.on('message', (message: FromThread) => {
      if (worker !== thread || !current) return;
      if (message.kind === 'sign') return void answer(worker, current, message.claim);
      const { resolve, reject } = current;
      if (message.kind === 'written') resolve(Buffer.from(message.photo.buffer));
      else reject(new C2paFault(message.fault));
      settled();
      // A trap leaves the library's memory in an unknown state.
      if (message.kind === 'failed' && message.broken) void end();
      next();
    });
    const lost = (cause: Error) => {
      if (worker !== thread) return;
      current?.reject(new C2paFault(`the signing thread ended: ${cause.message}`));
      settled();
      void end();
      next();
    };
    worker.on('error', lost);
    worker.on('exit', code => lost(new Error(`exit code ${code}`)));
    return worker;
  };

  const answer = async (worker: Worker, task: Task, claim: Uint8Array): Promise<void> => {
    const message: ToThread = await task.sign(claim).then(
      signature => ({ kind: 'signature', signature }),
      (error: Error) => ({ kind: 'signature', fault: error.message }),
    );
    if (worker === thread) worker.postMessage(message);
  };

  const settled = () => {
    clearTimeout(timer);
    current = undefined;
    thread?.unref();
    timer = setTimeout(() => void end(), idleMs);
    timer.unref();
  };

  const next = () => {
    if (current || closed) return;
    current = queue.shift();
    if (!current) return;
    clearTimeout(timer);
    thread ??= start();
    thread.ref();
    thread.postMessage({ kind: 'write', request: current.request } satisfies ToThread);
    timer = setTimeout(() => {
      current?.reject(new C2paFault(`signing took longer than ${timeoutMs} ms`));
      settled();
      void end();
      next();
    }, timeoutMs);
  };

  return {
    write: (request, sign) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new C2paFault('the writer is closed'));
        queue.push({ request, sign, resolve, reject });
        next();
      }),
    async close() {
      closed = true;
      const fault = new C2paFault('the writer is closed');
      for (const task of [...(current ? [current] : []), ...queue.splice(0)]) task.reject(fault);
      current = undefined;
      await end();
    },
  };
}
