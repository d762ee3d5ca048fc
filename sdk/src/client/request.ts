import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { UploadUrlResponse } from '../api.generated.ts';
import { retryAfterOf, timerMs } from '../waits.ts';
import { ERRORS } from './errors.generated.ts';
import { ApiError, ConnectionError, type FieldFault, FirsthandError, TimeoutError } from './errors.ts';

export interface ClientOptions {
  /** Origin of the service, such as `https://photos.example`. */
  baseUrl: string;
  /** `whsec_…`, for `webhooks.unwrap`; several while a secret is being rotated. */
  webhookSecret?: string | readonly string[];
  /** Milliseconds that one attempt may take, the upload of a photo too; default 60,000. A download or stream must begin within them. */
  timeoutMs?: number;
  /** Attempts after the first; default 2. */
  maxRetries?: number;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
}

export interface RequestOptions {
  /** Ends the request and its retries. The promise then rejects with the signal's reason. */
  signal?: AbortSignal;
  timeoutMs?: number;
  maxRetries?: number;
  /** The key of a POST; made up unless given. All attempts carry the same one. */
  idempotencyKey?: string;
  /** Called when a stream was lost, before it connects again at its cursor. */
  onReconnect?: (error: unknown) => void;
}

/** Filters by the metadata of the verification: `{ metadata: { claim: 'C-1042' } }`, or `{ 'metadata[claim]': 'C-1042' }` as the API spells it. */
export type MetadataFilter = { metadata?: Readonly<Record<string, string>> } & {
  [name in `metadata[${string}]`]?: string;
};

/** A message of a stream. `data` is its parsed JSON, `id` the cursor after it. */
export interface ServerSentEvent {
  id: string | undefined;
  event: string;
  data: unknown;
}

/** Bytes on their way. Read them once: as a stream, or whole. */
export class Download {
  readonly contentType: string;
  /** As the service names the file. */
  readonly filename: string | undefined;
  readonly bytes: number | undefined;
  readonly #response: Response;

  constructor(response: Response) {
    const { headers } = response;
    const length = headers.get('content-length');
    this.#response = response;
    this.contentType = headers.get('content-type') ?? 'application/octet-stream';
    this.filename = /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '')?.[1];
    this.bytes = length === null ? undefined : Number(length);
  }

  get body(): ReadableStream<Uint8Array> {
    return this.#response.body ?? new Blob([]).stream();
  }

  arrayBuffer = (): Promise<ArrayBuffer> => this.#response.arrayBuffer();
  blob = (): Promise<Blob> => this.#response.blob();
  text = (): Promise<string> => this.#response.text();
}

export interface Page<T> {
  data: T[];
  next_cursor?: string;
}

/** A list: a promise of its first page, and with `for await` every item of all pages. It asks the service when it is first used. */
export class List<T, P extends Page<T> = Page<T>> extends Promise<P> implements AsyncIterable<T> {
  readonly #load: (cursor?: string) => Promise<P>;
  #first: Promise<P> | undefined;

  constructor(load: (cursor?: string) => Promise<P>) {
    super(() => {});
    this.#load = load;
  }

  /** What `catch` and `finally` return. */
  static override get [Symbol.species]() {
    return Promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: the base class's
  override then<A = P, B = never>(
    done?: ((page: P) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#load();
    return this.#first.then(done, failed);
  }

  async *pages(): AsyncGenerator<P, void> {
    let page = await this.then();
    for (;;) {
      yield page;
      if (!page.next_cursor) return;
      page = await this.#load(page.next_cursor);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const page of this.pages()) yield* page.data;
  }
}

export interface Call {
  method: string;
  path: string;
  query?: object | undefined;
  /** Text is sent as CSV, everything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  options: RequestOptions;
}

const TIMEOUT_MS = 60_000;
const MAX_RETRIES = 2;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** A longer `Retry-After` is the caller's to wait for. */
const LONGEST_RETRY_AFTER_MS = 60_000;
/** Between two looks at a download that the service still prepares. */
const PREPARING_MS = 2_000;
const RETRIED = new Set([408, 429]);

export class Transport {
  readonly #key: string | null;
  readonly #o: ClientOptions;
  readonly #base: string;

  constructor(key: string | null, options: ClientOptions) {
    this.#key = key;
    this.#o = options;
    this.#base = options.baseUrl.replace(/\/+$/, '');
  }

  json<T>(call: Call): Promise<T> {
    return this.#send(call, async response => {
      const text = await response.text();
      if (text === '') return null as T;
      try {
        return JSON.parse(text) as T;
      } catch (cause) {
        throw new FirsthandError(`${response.url} does not answer as Firsthand does; check baseUrl`, {
          code: 'not_firsthand',
          cause,
        });
      }
    });
  }

  /** Waits while the service answers 202: it still prepares the file. */
  async download(call: Call): Promise<Download> {
    const until = Date.now() + this.#timeoutOf(call.options);
    for (;;) {
      const response = await this.#send(call, async answer => answer);
      if (response.status !== 202) return new Download(response);
      await response.body?.cancel();
      const waitMs = retryAfterOf(response) ?? PREPARING_MS;
      if (Date.now() + waitMs > until) {
        throw new TimeoutError(`${response.url} is not ready yet; ask again in ${Math.ceil(waitMs / 1_000)} s`);
      }
      await sleep(waitMs, call.options.signal);
    }
  }

  /**
   * Follows a stream. Connects again at its cursor whenever it is lost; ends with `signal`, or when the service refuses or asks for a wait of
   * more than a minute.
   */
  async *events(call: Call): AsyncGenerator<ServerSentEvent, void> {
    const { signal, onReconnect } = call.options;
    let cursor: string | undefined;
    for (let lost = 0; ; lost += 1) {
      const headers = { ...call.headers, ...(cursor ? { 'last-event-id': cursor } : {}) };
      try {
        const response = await this.#send({ ...call, headers }, async answer => answer);
        for await (const { id, event = 'message', data } of messages(response)) {
          lost = 0;
          cursor = id ?? cursor;
          yield { id, event, data: data === '' ? undefined : JSON.parse(data) };
        }
        throw new ConnectionError(response.url, undefined);
      } catch (error) {
        if (signal?.aborted) return;
        const waitMs = delay(error, lost);
        if (!isTransient(error) || waitMs > LONGEST_RETRY_AFTER_MS) throw error;
        onReconnect?.(error);
        await sleep(waitMs, signal).catch(() => {});
        if (signal?.aborted) return;
      }
    }
  }

  #timeoutOf = (options: RequestOptions) => options.timeoutMs ?? this.#o.timeoutMs ?? TIMEOUT_MS;

  async #send<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    const { options, method } = call;
    const idempotency =
      method === 'POST' ? { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() } : undefined;
    const retries = options.maxRetries ?? this.#o.maxRetries ?? MAX_RETRIES;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt({ ...call, headers: { ...call.headers, ...idempotency } }, read);
      } catch (error) {
        const waitMs = delay(error, attempt);
        if (attempt >= retries || !isTransient(error) || waitMs > LONGEST_RETRY_AFTER_MS) throw error;
        await sleep(waitMs, options.signal);
      }
    }
  }

  #attempt<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    const text = typeof call.body === 'string';
    const init = {
      method: call.method,
      headers: {
        ...(this.#key ? { authorization: `Bearer ${this.#key}` } : {}),
        ...(call.body === undefined ? {} : { 'content-type': text ? 'text/csv' : 'application/json' }),
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: text ? (call.body as string) : JSON.stringify(call.body) }),
    };
    return this.#fetch(`${this.#base}${call.path}${queryOf(call.query)}`, init, call.options, read);
  }

  /** Uploads bytes. An upload URL works once, so a lost PUT is the caller's to repeat with a new URL. */
  put({ upload_url, method, headers }: UploadUrlResponse, body: Uint8Array<ArrayBuffer>, options: RequestOptions) {
    return this.#fetch(upload_url, { method, headers, body }, options, async response => response.body?.cancel());
  }

  /** One request. The time limit covers what `read` waits for. */
  async #fetch<T>(
    url: string,
    init: RequestInit,
    options: RequestOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { signal } = options;
    signal?.throwIfAborted();
    const ending = new AbortController();
    const timeoutMs = this.#timeoutOf(options);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      ending.abort();
    }, timerMs(timeoutMs));
    try {
      const response = await (this.#o.fetch ?? fetch)(url, {
        ...init,
        // `any` keeps no listener on a signal that lives longer than the request.
        signal: signal ? AbortSignal.any([signal, ending.signal]) : ending.signal,
      });
      if (!response.ok) throw await errorOf(response);
      return await read(response);
    } catch (error) {
      if (error instanceof FirsthandError) throw error;
      if (late) throw new TimeoutError(`${url} gave no answer within ${timeoutMs} ms`);
      signal?.throwIfAborted();
      throw new ConnectionError(url, error);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The error that an answer stands for. */
async function errorOf(response: Response): Promise<ApiError> {
  const { status } = response;
  const requestId = response.headers.get('request-id') ?? undefined;
  const found = (await response.json().catch(() => null)) as {
    error?: { code?: string; message?: string; doc_url?: string; fields?: FieldFault[]; params?: FieldFault['params'] };
  } | null;
  const error = found?.error ?? {};
  const { code = `http_${status}`, message = `${response.url} answered ${status}`, fields } = error;
  const words = fields?.map(fault => `${fault.path} ${fault.message}`).join('; ');
  const Known = ERRORS[code] ?? ApiError;
  return new Known(words ? `${message} ${words}` : message, {
    code,
    status,
    fields,
    params: error.params,
    docUrl: error.doc_url,
    requestId,
    retryAfterMs: retryAfterOf(response),
  });
}

const isTransient = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  (error instanceof ApiError &&
    (error.status >= 500 || RETRIED.has(error.status) || error.code === 'idempotency_in_progress'));

/** What the service asks for, or else a doubling wait of which up to half is left out by chance. */
const delay = (error: unknown, attempt: number): number =>
  (error instanceof ApiError ? error.retryAfterMs : undefined) ??
  Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (1 - Math.random() / 2);

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, timerMs(ms));
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function queryOf(query: object | undefined): string {
  const entries = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const texts = entries.flatMap(([name, value]): [string, string][] =>
    typeof value === 'object' && !Array.isArray(value)
      ? Object.entries(value).map(([key, text]) => [`${name}[${key}]`, String(text)])
      : // Several values stand in one parameter, between commas.
        [[name, String(value)]],
  );
  return texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`;
}

async function* messages(response: Response): AsyncGenerator<EventSourceMessage, void> {
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: message => arrived.push(message) });
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } catch (error) {
    throw new ConnectionError(response.url, error);
  } finally {
    reader.cancel().catch(() => {});
  }
}
