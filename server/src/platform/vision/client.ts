import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import type { ChatCompletionContentPart, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { VisionConfig } from '../config/vision.ts';
import type { Log } from '../lib/log.ts';
import { portable } from './answer-schema.ts';
import { type Circuit, createCircuit } from './circuit.ts';
import type { VisionMetrics } from './metrics.ts';
import { evidenceBlock, type Prompt, PURPOSES, type Purpose, promptFor } from './prompt.ts';
import { createSemaphore, type Semaphore } from './semaphore.ts';

/** Why a question has no answer. None of these is an error of the verification. */
export type NoAnswer =
  /** The time budget ran out, including the wait for a slot. */
  | 'timeout'
  /** The model declined. */
  | 'refused'
  /** Two answers did not match the schema. */
  | 'wrong_answer'
  | 'rate_limited'
  /** The connection was lost or refused, or the server reported an internal error. */
  | 'unreachable'
  /** The server rejected the request: wrong key, model or format. */
  | 'rejected'
  /** The circuit is open after consecutive failures. */
  | 'resting';

export type Answered<T> = { answer: T } | { noAnswer: NoAnswer };

export interface Question<S extends TSchema> {
  purpose: Purpose;
  /** The account that the question is for. Accounts share the free places. */
  account: string;
  /** The shape of the answer. Every member is required; others are dropped. */
  schema: S;
  /** Untrusted text, sent as data and separated from the instructions. */
  data: object;
  /** JPEG files, in the order that `data` refers to. */
  pictures: readonly Uint8Array[];
  /** Covers everything: the wait for a slot, attempts and pauses. */
  budgetMs: number;
  /** Overrides the configured temperature if one is sent at all, so that a second opinion can differ. */
  temperature?: number;
  /** Describes to the model a fault that the schema cannot express; null when the answer is acceptable. */
  fault?: (answer: Static<S>) => string | null;
  signal?: AbortSignal | undefined;
}

export interface Vision {
  readonly config: VisionConfig;
  /** Asks the model. Always resolves within the budget and never rejects. */
  ask<S extends TSchema>(question: Question<S>): Promise<Answered<Static<S>>>;
}

const MAX_ANSWER_CHARACTERS = 100_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;

/** A failed attempt. `counts`: report it to the circuit breaker. */
class Miss extends Error {
  readonly reason: NoAnswer;
  readonly again: boolean;
  readonly counts: boolean;
  readonly afterMs: number | undefined;
  constructor(reason: NoAnswer, message: string, o: { again?: boolean; counts?: boolean; afterMs?: number } = {}) {
    super(message);
    this.reason = reason;
    this.again = o.again ?? false;
    this.counts = o.counts ?? true;
    this.afterMs = o.afterMs;
  }
}

interface Parts {
  config: VisionConfig;
  api: OpenAI;
  gate: Semaphore;
  /** One per purpose, because a model too slow for one may suit another. */
  circuits: Record<Purpose, Circuit>;
  metrics: VisionMetrics;
  log: Log;
}

/** A client for a vision model behind an OpenAI-compatible chat-completions endpoint. */
export function createVision(config: VisionConfig, o: { metrics: VisionMetrics; log: Log }): Vision {
  const parts: Parts = {
    config,
    // We retry ourselves, because the library's pauses could exceed the budget.
    api: new OpenAI({
      baseURL: config.baseUrl,
      apiKey: config.apiKey ?? 'none',
      organization: null,
      project: null,
      maxRetries: 0,
      timeout: config.timeoutMs,
      logLevel: 'off',
      // The key and the pictures go to the address that the operator named.
      fetchOptions: { redirect: 'error' },
    }),
    gate: createSemaphore(config.concurrency),
    circuits: Object.fromEntries(
      PURPOSES.map(purpose => [
        purpose,
        createCircuit({ failures: config.breakerFailures, restMs: config.breakerMs, now: () => performance.now() }),
      ]),
    ) as Record<Purpose, Circuit>,
    ...o,
  };
  return {
    config,
    async ask(question) {
      const result = await answer(parts, question);
      const outcome = 'answer' in result ? 'answered' : result.noAnswer;
      o.metrics.questions.inc({ purpose: question.purpose, outcome });
      o.metrics.resting.set({ purpose: question.purpose }, parts.circuits[question.purpose].isOpen ? 1 : 0);
      return result;
    },
  };
}

async function answer<S extends TSchema>(parts: Parts, question: Question<S>): Promise<Answered<Static<S>>> {
  const { config, log } = parts;
  const circuit = parts.circuits[question.purpose];
  const budget = AbortSignal.timeout(Math.max(1, Math.round(question.budgetMs)));
  const signal = question.signal ? AbortSignal.any([budget, question.signal]) : budget;
  const deadline = performance.now() + question.budgetMs;
  const messages = messagesOf(config, question);
  let asksAgain = 1;
  for (let retry = 0; ; ) {
    if (!circuit.enter()) return { noAnswer: 'resting' };
    try {
      const text = await request(parts, question, messages, signal);
      circuit.succeeded();
      const read = readAnswer(question, text);
      if ('answer' in read) return read;
      if (asksAgain === 0) throw new Miss('wrong_answer', read.fault, { counts: false });
      asksAgain -= 1;
      messages.push(
        { role: 'assistant', content: text.slice(0, 4_000) || '(nothing)' },
        { role: 'user', content: `That answer does not fit: ${read.fault} Answer again with only the JSON object.` },
      );
    } catch (error) {
      const miss = error instanceof Miss ? error : missOf(error);
      if (miss.counts) circuit.failed();
      else circuit.abandoned();
      const pauseMs = miss.afterMs ?? jittered(retry);
      const worthIt = miss.again && retry < config.retries && performance.now() + pauseMs < deadline;
      if (!worthIt) {
        log.warn(
          { purpose: question.purpose, reason: miss.reason, detail: miss.message },
          'the vision model gave no answer',
        );
        return { noAnswer: miss.reason };
      }
      retry += 1;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return { noAnswer: 'timeout' };
    }
  }
}

/** Doubles from 0.5 s to 8 s, then takes a random value between half of that and all of it. */
const jittered = (retry: number): number =>
  Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** retry) * (0.5 + Math.random() / 2);

async function request<S extends TSchema>(
  { config, api, gate, metrics }: Parts,
  question: Question<S>,
  messages: ChatCompletionMessageParam[],
  signal: AbortSignal,
): Promise<string> {
  const leave = await gate.enter(signal, question.account).catch(() => {
    throw new Miss('timeout', 'no free place in time', { counts: false });
  });
  // The library's own timeout covers only the headers, and a body can hang too.
  const own = AbortSignal.timeout(config.timeoutMs);
  const started = performance.now();
  const end = metrics.requests.startTimer({ purpose: question.purpose });
  let outcome = 'failed';
  try {
    const temperature = config.temperature === null ? null : (question.temperature ?? config.temperature);
    const completion = await api.chat.completions.create(
      {
        model: config.model,
        messages,
        stream: false,
        [config.maxTokensField]: config.maxTokens,
        ...(temperature === null ? {} : { temperature }),
        ...responseFormat(config, question),
      },
      { signal: AbortSignal.any([signal, own]) },
    );
    outcome = 'answered';
    count(metrics, config, question.purpose, completion.usage);
    // A server may answer 200 with any content.
    const choice = completion?.choices?.[0];
    if (choice?.message?.refusal || choice?.finish_reason === 'content_filter') {
      throw new Miss('refused', 'the model declined', { counts: false });
    }
    const content: unknown = choice?.message?.content;
    return typeof content === 'string' ? content : '';
  } catch (error) {
    if (signal.aborted) {
      // Count the timeout only if the server had most of the budget. Otherwise our own queue used up the time.
      const slow = !question.signal?.aborted && performance.now() - started > question.budgetMs / 2;
      throw new Miss('timeout', 'the budget ran out', { counts: slow });
    }
    if (own.aborted) throw new Miss('timeout', `no answer within ${config.timeoutMs} ms`, { again: true });
    throw error;
  } finally {
    leave();
    end({ outcome });
  }
}

function count(
  metrics: VisionMetrics,
  config: VisionConfig,
  purpose: Purpose,
  usage: { prompt_tokens?: number; completion_tokens?: number } | null | undefined,
): void {
  const tokens = (value: unknown): number =>
    typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0;
  const input = tokens(usage?.prompt_tokens);
  const output = tokens(usage?.completion_tokens);
  metrics.tokens.inc({ purpose, direction: 'input' }, input);
  metrics.tokens.inc({ purpose, direction: 'output' }, output);
  metrics.cost.inc({ purpose }, (input * config.priceInput + output * config.priceOutput) / 1_000_000);
}

function missOf(error: unknown): Miss {
  if (error instanceof APIConnectionTimeoutError) return new Miss('timeout', error.message, { again: true });
  if (error instanceof APIConnectionError) return new Miss('unreachable', error.message, { again: true });
  if (error instanceof APIError) {
    const status = error.status as number | undefined;
    const afterMs = retryAfterMs(error.headers);
    const more = afterMs === undefined ? {} : { afterMs };
    // A rate limit is not a server failure.
    if (status === 429) return new Miss('rate_limited', error.message, { again: true, counts: false, ...more });
    if (status === undefined || status >= 500 || status === 408 || status === 409) {
      return new Miss('unreachable', error.message, { again: true, ...more });
    }
    return new Miss('rejected', error.message);
  }
  // For a body that is not JSON, the library throws its own error.
  return new Miss('unreachable', error instanceof Error ? error.message : 'unknown failure', { again: true });
}

function retryAfterMs(headers: Headers | undefined): number | undefined {
  const value = headers?.get('retry-after');
  if (!value) return undefined;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

function messagesOf<S extends TSchema>(config: VisionConfig, question: Question<S>): ChatCompletionMessageParam[] {
  const instructions = instructionsOf(config, promptFor(question.purpose), question.schema);
  const pictures = question.pictures.slice(0, config.maxImages).map(
    (bytes): ChatCompletionContentPart => ({
      type: 'image_url',
      image_url: {
        url: `data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}`,
        ...(config.imageDetail === 'omit' ? {} : { detail: config.imageDetail }),
      },
    }),
  );
  const evidence: ChatCompletionContentPart = { type: 'text', text: evidenceBlock(question.data) };
  if (config.systemRole === 'user') {
    return [{ role: 'user', content: [{ type: 'text', text: instructions }, evidence, ...pictures] }];
  }
  return [
    { role: config.systemRole, content: instructions },
    { role: 'user', content: [evidence, ...pictures] },
  ];
}

function instructionsOf(config: VisionConfig, prompt: Prompt, schema: TSchema): string {
  if (config.responseFormat === 'json_schema') return prompt.text;
  return `${prompt.text}\n\nJSON schema of the answer:\n${JSON.stringify(portable(schema))}`;
}

function responseFormat<S extends TSchema>(config: VisionConfig, { purpose, schema }: Question<S>) {
  if (config.responseFormat === 'none') return {};
  if (config.responseFormat === 'json_object') return { response_format: { type: 'json_object' as const } };
  return {
    response_format: {
      type: 'json_schema' as const,
      json_schema: { name: purpose, strict: true, schema: portable(schema) },
    },
  };
}

/** Reads a JSON answer, also after reasoning text or inside a code fence. Drops members that are not in the schema. */
function readAnswer<S extends TSchema>(
  { schema, fault }: Question<S>,
  text: string,
): { answer: Static<S> } | { fault: string } {
  const json = text
    .slice(0, MAX_ANSWER_CHARACTERS)
    .replace(/^\s*<think>[\s\S]*?<\/think>/, '')
    .trim()
    .replace(/^```(?:json)?\s*([\s\S]*?)\s*```$/, '$1');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { fault: 'it is not JSON.' };
  }
  const clean = Value.Clean(schema, value);
  if (!Value.Check(schema, clean)) {
    const faults = Value.Errors(schema, clean)
      .slice(0, 5)
      .map(({ instancePath, message }) => `${instancePath || 'the answer'} ${message}`);
    return { fault: `${faults.join('; ')}.` };
  }
  const more = fault?.(clean as Static<S>) ?? null;
  return more === null ? { answer: clean as Static<S> } : { fault: more };
}
