import { ConfigError, type Reader } from './reader.ts';

/** How to call the operator's vision model. docs/vision.md lists what each server needs. */
export interface VisionConfig {
  baseUrl: string;
  model: string;
  apiKey: string | null;
  /** How to request JSON. Servers without guided decoding get the schema only in the prompt. */
  responseFormat: 'json_schema' | 'json_object' | 'none';
  /** Limit for one request, from first byte to last. */
  timeoutMs: number;
  /** Retries after the first attempt, for failures that may pass. */
  retries: number;
  /** Concurrent requests from one process. */
  concurrency: number;
  /** Longest side of a sent picture, in pixels. */
  imageSide: number;
  /** Maximum number of pictures in one request. */
  maxImages: number;
  imageDetail: 'auto' | 'low' | 'high' | 'omit';
  maxTokens: number;
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Null: omit it, for models that reject the parameter. */
  temperature: number | null;
  /** The role of the prompt message; `user` for chat templates without a system turn. */
  systemRole: 'system' | 'developer' | 'user';
  /** Number of answers requested for a case analysis. Their agreement is `consistency_level`. */
  caseSamples: number;
  /** Price of a million tokens in any one currency; 0 reports no cost. */
  priceInput: number;
  priceOutput: number;
  /** Consecutive failures after which the circuit opens, and for how long. */
  breakerFailures: number;
  breakerMs: number;
  /** Time limit for the context check of one capture, which the verdict waits for. */
  contextBudgetMs: number;
  /** How long a verdict waits for object and condition when everything else is ready. */
  checksBudgetMs: number;
  /** Total time for object and condition, and total time for a case analysis. */
  answerBudgetMs: number;
}

/** Reads the model's settings; null when no model is configured. */
export function readVision({ text, web, oneOf, integer, decimal }: Reader): VisionConfig | null {
  const baseUrl = web('VISION_BASE_URL');
  if (!baseUrl) return null;
  const model = text('VISION_MODEL');
  if (!model) throw new ConfigError('Set VISION_MODEL too: VISION_BASE_URL is set.');
  return {
    baseUrl,
    model,
    apiKey: text('VISION_API_KEY'),
    responseFormat: oneOf('VISION_RESPONSE_FORMAT', ['json_schema', 'json_object', 'none'], 'json_schema'),
    timeoutMs: decimal('VISION_TIMEOUT_SECONDS', 0.1, 600, 30) * 1_000,
    retries: 2,
    concurrency: integer('VISION_CONCURRENCY', 1, 100, 4),
    imageSide: integer('VISION_IMAGE_SIDE', 64, 4_096, 1_024),
    maxImages: integer('VISION_MAX_IMAGES', 1, 20, 8),
    imageDetail: oneOf('VISION_IMAGE_DETAIL', ['auto', 'low', 'high', 'omit'], 'auto'),
    maxTokens: integer('VISION_MAX_TOKENS', 100, 100_000, 1_500),
    maxTokensField: oneOf('VISION_MAX_TOKENS_FIELD', ['max_tokens', 'max_completion_tokens'], 'max_tokens'),
    temperature: text('VISION_TEMPERATURE') === 'omit' ? null : decimal('VISION_TEMPERATURE', 0, 2, 0),
    systemRole: oneOf('VISION_SYSTEM_ROLE', ['system', 'developer', 'user'], 'system'),
    caseSamples: integer('VISION_CASE_SAMPLES', 1, 7, 3),
    priceInput: decimal('VISION_PRICE_INPUT', 0, 1_000_000, 0),
    priceOutput: decimal('VISION_PRICE_OUTPUT', 0, 1_000_000, 0),
    breakerFailures: 5,
    breakerMs: 30_000,
    contextBudgetMs: decimal('VISION_CONTEXT_SECONDS', 0.1, 120, 20) * 1_000,
    checksBudgetMs: decimal('VISION_CHECKS_SECONDS', 0, 120, 10) * 1_000,
    answerBudgetMs: decimal('VISION_ANSWER_SECONDS', 0.1, 1_800, 120) * 1_000,
  };
}
