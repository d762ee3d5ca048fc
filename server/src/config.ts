import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { type AttestationConfig, readAttestation } from './config/attestation.ts';
import type { DatabaseTimeouts } from './db/pool.ts';
import type { VisionConfig } from './vision/settings.ts';

/** A setting with a value that cannot be used. The message names the variable and what it takes. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export interface S3Config {
  endpoint: string | null;
  bucket: string;
  region: string;
  accessKeyId: string | null;
  secretAccessKey: string | null;
  forcePathStyle: boolean;
}

export interface Config extends AttestationConfig {
  host: string;
  port: number;
  tls: boolean;
  dataDir: string;
  /** Null: derived from host and port once the service listens. */
  publicUrl: string | null;
  captureBaseUrl: string | null;
  databaseUrl: string | null;
  databasePoolSize: number;
  databaseTimeouts: DatabaseTimeouts;
  encryptionKeys: Buffer[] | null;
  s3: S3Config | null;
  redisUrl: string | null;
  smtpUrl: string | null;
  mailFrom: string;
  sessionSecrets: string[];
  botSecrets: string[];
  vision: VisionConfig | null;
  /** How long finalize waits for a case analysis that needs the network, before it answers 202. */
  finalizeBudgetMs: number;
  /** The text reader of the system and its languages, for `ocr_type`. */
  tesseract: { command: string; languages: string };
  geocoderUrl: string | null;
  reverseSearch: { googleApiKey: string | null; tineyeApiKey: string | null; googleUrl: string; tineyeUrl: string };
  /** Manifest of a model of the operator's own for AI-generated pictures; null: provenance alone. */
  aiModel: string | null;
  /** PEM of the certificates whose C2PA signatures are trusted; null: none is. */
  c2paTrustAnchors: string | null;
  tsaUrl: string | null;
  webhookAllowCidrs: string[];
  /** Seconds before each retry of a webhook; the first attempt comes at once. */
  webhookRetrySeconds: number[];
  trustedProxies: string[];
  mode: 'both' | 'live' | 'test';
  logLevel: string;
  metricsToken: string | null;
  /** Probabilities of a screen at which it counts as doubtful and as certain; null: those of the published benchmark. */
  screenThresholds: { doubtful: number; confident: number } | null;
  rateLimitPerMinute: number;
  analysisThreads: number;
  workerConcurrency: number;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads every setting once. This is the only reader of the environment; tests and commands pass their own record.
 * Throws {@link ConfigError} for the first value that does not fit.
 */
export function readConfig(env: Env): Config {
  const text = (name: string): string | null => {
    const value = env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  };
  const fail = (name: string, takes: string): never => {
    // An address may carry a password: then the value is not repeated.
    const shown = env[name]?.includes('@') ? '' : `=${JSON.stringify(env[name])}`;
    throw new ConfigError(`${name}${shown}: ${name} takes ${takes}`);
  };
  const failSecret = (name: string, takes: string): never => {
    throw new ConfigError(`${name} takes ${takes}`);
  };
  const integer = (name: string, min: number, max: number, fallback: number): number => {
    const value = text(name);
    if (value === null) return fallback;
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) return fail(name, `a whole number from ${min} to ${max}`);
    return number;
  };
  const file = (name: string): string | null => {
    const value = text(name);
    return value === null || existsSync(value)
      ? value && resolve(value)
      : fail(name, 'the path of a file that is there');
  };
  const pem = (name: string): string | null => {
    const path = file(name);
    const content = path && readFileSync(path, 'utf8');
    return content && !content.includes('-----BEGIN CERTIFICATE-----')
      ? fail(name, 'a file of certificates in PEM')
      : content;
  };
  const decimal = (name: string, min: number, max: number, fallback: number): number => {
    const value = text(name);
    if (value === null) return fallback;
    const number = Number(value);
    if (!/^\d+(\.\d+)?$/.test(value) || number < min || number > max)
      return fail(name, `a number from ${min} to ${max}`);
    return number;
  };
  const oneOf = <T extends string>(name: string, choices: readonly T[], fallback: T): T => {
    const value = text(name);
    if (value === null) return fallback;
    return choices.find(choice => choice === value) ?? fail(name, `one of ${choices.join(', ')}`);
  };
  const boolean = (name: string, fallback: boolean) =>
    oneOf(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true';
  const url = (name: string, protocols: string[]): string | null => {
    const value = text(name);
    if (value === null) return null;
    const parsed = URL.canParse(value) ? new URL(value) : null;
    if (!parsed || !protocols.includes(parsed.protocol)) {
      return fail(name, `a URL that starts with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`);
    }
    return value.replace(/\/+$/, '');
  };
  const web = (name: string) => url(name, ['http:', 'https:']);
  const list = (name: string): string[] =>
    (text(name) ?? '')
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '');
  const cidrs = (name: string): string[] => {
    const values = list(name);
    for (const value of values) {
      if (!ipaddr.isValid(value) && !ipaddr.isValidCIDR(value)) fail(name, 'addresses or CIDR ranges, comma-separated');
    }
    return values;
  };
  const secrets = (name: string): string[] => {
    const values = list(name);
    return values.some(value => value.length < 16)
      ? failSecret(name, 'secrets of at least 16 characters, comma-separated; the first one signs')
      : values;
  };
  const together = (names: string[]) => {
    const missing = names.filter(name => text(name) === null);
    if (missing.length > 0 && missing.length < names.length) {
      throw new ConfigError(`${missing.join(', ')} must be set when ${names.find(name => text(name) !== null)} is`);
    }
    return missing.length === 0;
  };

  const probability = (name: string): number => {
    const value = Number(text(name));
    return value > 0 && value <= 1 ? value : fail(name, 'a probability above 0, at most 1');
  };
  const thresholds = (suspicious: string, failed: string) => {
    if (!together([suspicious, failed])) return null;
    const pair = { doubtful: probability(suspicious), confident: probability(failed) };
    return pair.doubtful <= pair.confident ? pair : fail(failed, `a probability of at least ${suspicious}`);
  };

  const databaseUrl = url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const encryptionKeys = list('ENCRYPTION_KEYS').map(value => {
    const key = Buffer.from(value, 'base64');
    if (key.length !== 32) {
      throw new ConfigError('ENCRYPTION_KEYS takes 32-byte keys in base64, comma-separated (openssl rand -base64 32)');
    }
    return key;
  });
  if (databaseUrl && encryptionKeys.length === 0) {
    throw new ConfigError(
      'ENCRYPTION_KEYS must be set when DATABASE_URL is: every node needs the same (openssl rand -base64 32)',
    );
  }
  const s3Bucket = text('S3_BUCKET');
  if (!s3Bucket && text('S3_ENDPOINT')) throw new ConfigError('S3_BUCKET must be set when S3_ENDPOINT is');
  const visionUrl = web('VISION_BASE_URL');
  if (visionUrl && !text('VISION_MODEL')) throw new ConfigError('VISION_MODEL must be set when VISION_BASE_URL is');

  return {
    host: text('HOST') ?? 'localhost',
    port: integer('PORT', 0, 65_535, 8080),
    tls: false,
    dataDir: resolve(text('DATA_DIR') ?? './data'),
    publicUrl: web('PUBLIC_URL'),
    captureBaseUrl: web('CAPTURE_BASE_URL'),
    databaseUrl,
    databasePoolSize: integer('DATABASE_POOL_SIZE', 4, 200, 12),
    databaseTimeouts: {
      connectMs: decimal('DATABASE_CONNECT_SECONDS', 0.5, 60, 3) * 1_000,
      statementMs: decimal('DATABASE_STATEMENT_SECONDS', 0, 3_600, 30) * 1_000,
      lockMs: decimal('DATABASE_LOCK_SECONDS', 0, 3_600, 10) * 1_000,
      idleTransactionMs: decimal('DATABASE_IDLE_TRANSACTION_SECONDS', 0, 3_600, 30) * 1_000,
    },
    encryptionKeys: encryptionKeys.length > 0 ? encryptionKeys : null,
    s3: s3Bucket
      ? {
          endpoint: web('S3_ENDPOINT'),
          bucket: s3Bucket,
          region: text('S3_REGION') ?? 'us-east-1',
          accessKeyId: text('S3_ACCESS_KEY_ID'),
          secretAccessKey: text('S3_SECRET_ACCESS_KEY'),
          forcePathStyle: boolean('S3_FORCE_PATH_STYLE', false),
        }
      : null,
    redisUrl: url('REDIS_URL', ['redis:', 'rediss:']),
    smtpUrl: url('SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: text('MAIL_FROM') ?? 'Firsthand <no-reply@localhost>',
    sessionSecrets: secrets('SESSION_SECRETS'),
    botSecrets: secrets('BOT_SECRETS'),
    vision: visionUrl
      ? {
          baseUrl: visionUrl,
          model: text('VISION_MODEL')!,
          apiKey: text('VISION_API_KEY'),
          responseFormat: oneOf('VISION_RESPONSE_FORMAT', ['json_schema', 'json_object', 'none'], 'json_schema'),
          timeoutMs: decimal('VISION_TIMEOUT_SECONDS', 0.1, 600, 30) * 1_000,
          retries: integer('VISION_RETRIES', 0, 10, 2),
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
          breakerFailures: integer('VISION_BREAKER_FAILURES', 1, 1_000, 5),
          breakerMs: decimal('VISION_BREAKER_SECONDS', 0.1, 3_600, 30) * 1_000,
          contextBudgetMs: decimal('VISION_CONTEXT_SECONDS', 0.1, 120, 20) * 1_000,
          checksBudgetMs: decimal('VISION_CHECKS_SECONDS', 0, 120, 10) * 1_000,
          answerBudgetMs: decimal('VISION_ANSWER_SECONDS', 0.1, 1_800, 120) * 1_000,
        }
      : null,
    finalizeBudgetMs: decimal('FINALIZE_SECONDS', 0, 60, 15) * 1_000,
    tesseract: { command: text('TESSERACT') ?? 'tesseract', languages: text('TESSERACT_LANGUAGES') ?? 'eng' },
    geocoderUrl: web('GEOCODER_URL'),
    reverseSearch: {
      googleApiKey: text('REVERSE_SEARCH_GOOGLE_API_KEY'),
      tineyeApiKey: text('REVERSE_SEARCH_TINEYE_API_KEY'),
      googleUrl: web('REVERSE_SEARCH_GOOGLE_URL') ?? 'https://vision.googleapis.com',
      tineyeUrl: web('REVERSE_SEARCH_TINEYE_URL') ?? 'https://api.tineye.com',
    },
    aiModel: file('AI_MODEL'),
    c2paTrustAnchors: pem('C2PA_TRUST_ANCHORS'),
    tsaUrl: web('TSA_URL'),
    ...readAttestation({ text, list, file, pem, web, oneOf, together, fail, failSecret }),
    webhookAllowCidrs: cidrs('WEBHOOK_ALLOW_CIDRS'),
    webhookRetrySeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    trustedProxies: cidrs('TRUSTED_PROXIES'),
    mode: oneOf('MODE', ['both', 'live', 'test'], 'both'),
    logLevel: oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    metricsToken: text('METRICS_TOKEN'),
    screenThresholds: thresholds('SCREEN_SUSPICIOUS_AT', 'SCREEN_FAILED_AT'),
    rateLimitPerMinute: integer('RATE_LIMIT_PER_MINUTE', 1, 1_000_000, 600),
    analysisThreads: integer('ANALYSIS_THREADS', 1, 64, 2),
    workerConcurrency: integer('WORKER_CONCURRENCY', 1, 100, 8),
  };
}

/** The process's environment over a `.env` file in the working directory, where there is one. */
export function loadEnvironment(): Env {
  const file = resolve('.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}
