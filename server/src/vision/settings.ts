/** How to speak to the operator's vision model; see docs/vision.md for what each server needs. */
export interface VisionConfig {
  baseUrl: string;
  model: string;
  apiKey: string | null;
  /** How the server is asked for JSON. Servers without guided decoding get the schema in the text alone. */
  responseFormat: 'json_schema' | 'json_object' | 'none';
  /** One request, first byte to last. */
  timeoutMs: number;
  /** Tries after the first one, for answers that may be better next time. */
  retries: number;
  /** Requests at the same time from one process. */
  concurrency: number;
  /** Longest side of a picture as it is sent, pixels. */
  imageSide: number;
  /** Pictures in one request. */
  maxImages: number;
  imageDetail: 'auto' | 'low' | 'high' | 'omit';
  maxTokens: number;
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Null: not sent, for models that refuse any. */
  temperature: number | null;
  /** Where the prompt goes; `user` for chat templates without a system turn. */
  systemRole: 'system' | 'developer' | 'user';
  /** Answers asked for a case analysis; their agreement is `consistency_level`. */
  caseSamples: number;
  /** Price of a million tokens, in any one currency; 0 counts no cost. */
  priceInput: number;
  priceOutput: number;
  /** Failures in a row after which the model is left alone, and for how long. */
  breakerFailures: number;
  breakerMs: number;
  /** How long a verdict waits for the context check of one capture. */
  contextBudgetMs: number;
  /** How long a verdict waits for object and condition, once everything else is there. */
  checksBudgetMs: number;
  /** How long the model has for object and condition altogether, and for a case analysis. */
  answerBudgetMs: number;
}
