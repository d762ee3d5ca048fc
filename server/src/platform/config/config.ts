import { resolve } from 'node:path';
import type { DatabaseTimeouts } from '../db/pool.ts';
import { type AttestationConfig, readAttestation } from './attestation.ts';
import { type ContentCredentialsConfig, readContentCredentials } from './content-credentials.ts';
import type { Env } from './environment.ts';
import { ConfigError, type Reader, readerOf } from './reader.ts';
import { readSignIn, type SignInConfig } from './sign-in.ts';
import { readTelemetry, type TelemetryConfig } from './telemetry.ts';
import { readVision, type VisionConfig } from './vision.ts';
import { readWitnesses, type WitnessesConfig } from './witnesses.ts';

export interface S3Config {
  endpoint: string | null;
  bucket: string;
  region: string;
  accessKeyId: string | null;
  secretAccessKey: string | null;
  forcePathStyle: boolean;
}

export interface Config extends AttestationConfig, ContentCredentialsConfig, SignInConfig, WitnessesConfig {
  host: string;
  port: number;
  /** Where a process without API answers `/healthz`, `/readyz` and `/metrics`; null: nowhere. */
  workerPort: number | null;
  tls: boolean;
  dataDir: string;
  /** Null: derived from host and port when the service starts to listen. */
  publicUrl: string | null;
  captureBaseUrl: string | null;
  databaseUrl: string | null;
  /** Goes around the pooler that `databaseUrl` names: for LISTEN and migrations, which need a session of their own. */
  databaseDirectUrl: string | null;
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
  /** How long finalize waits for a case analysis that needs the network before it answers 202. */
  finalizeBudgetMs: number;
  /** Reads text for `ocr_type`. `command`: a program, `built-in` or `none`; null: an installed one, else the built-in. */
  tesseract: { command: string | null; languages: string };
  geocoderUrl: string | null;
  reverseSearch: { googleApiKey: string | null; tineyeApiKey: string | null; googleUrl: string; tineyeUrl: string };
  /** Manifest of the operator's own detector of AI-generated pictures, in place of the built-in one. */
  aiModel: string | null;
  /** The built-in detector of AI-generated pictures looks at those without a mark. */
  aiBuiltIn: boolean;
  /** Sent as a bearer token where the manifest names a service. */
  aiModelToken: string | null;
  /** The log's name; null: the host of PUBLIC_URL plus `/log`. */
  evidenceOrigin: string | null;
  tsaUrl: string | null;
  /** Days after which the last backup of a day ends, for receipts; null: they do not say. */
  backupDays: number | null;
  webhookAllowCidrs: string[];
  /** Name servers for webhook hosts; empty: the system's. */
  webhookNameServers: string[];
  /** Seconds before each retry of a webhook. The first attempt is immediate. */
  webhookRetrySeconds: number[];
  /** Seconds before each retry of an analysis that failed or was interrupted. After the last one the capture counts as failed. */
  analysisRetrySeconds: number[];
  trustedProxies: string[];
  mode: 'both' | 'live' | 'test';
  logLevel: string;
  metricsToken: string | null;
  /** OpenTelemetry; null: off. */
  telemetry: TelemetryConfig | null;
  /** How long a process that was asked to stop still answers, with `/readyz` at 503, before it stops listening. */
  drainMs: number;
  /** Screen probabilities from which a photo counts as doubtful and as certain; null: the values of the published benchmark. */
  screenThresholds: { doubtful: number; confident: number } | null;
  rateLimitPerMinute: number;
  /** A request body that pauses for this long is aborted. A slow but steady body is not. */
  bodyStallMs: number;
  analysisThreads: number;
  workerConcurrency: number;
}

/**
 * Reads every setting once. This is the only reader of the environment; tests and commands pass their own record.
 * Throws {@link ConfigError} for the first value that does not fit.
 */
export function readConfig(env: Env): Config {
  const reader = readerOf(env);
  const { text, integer, decimal, oneOf, url, web, base, cidrs, nameServers, secrets, thresholds } = reader;
  const database = readDatabase(reader);
  return {
    host: text('HOST') ?? 'localhost',
    port: integer('PORT', 0, 65_535, 8080),
    workerPort: text('WORKER_PORT') === null ? null : integer('WORKER_PORT', 0, 65_535, 0),
    tls: false,
    dataDir: resolve(text('DATA_DIR') ?? './data'),
    publicUrl: base('PUBLIC_URL'),
    captureBaseUrl: base('CAPTURE_BASE_URL'),
    ...database,
    s3: readS3(reader),
    redisUrl: url('REDIS_URL', ['redis:', 'rediss:']),
    smtpUrl: url('SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: text('MAIL_FROM') ?? 'Firsthand <no-reply@localhost>',
    sessionSecrets: secrets('SESSION_SECRETS'),
    botSecrets: secrets('BOT_SECRETS'),
    vision: readVision(reader),
    finalizeBudgetMs: decimal('FINALIZE_SECONDS', 0, 60, 15) * 1_000,
    tesseract: { command: text('TESSERACT') ?? null, languages: text('TESSERACT_LANGUAGES') ?? 'eng' },
    geocoderUrl: web('GEOCODER_URL'),
    reverseSearch: {
      googleApiKey: text('REVERSE_SEARCH_GOOGLE_API_KEY'),
      tineyeApiKey: text('REVERSE_SEARCH_TINEYE_API_KEY'),
      googleUrl: web('REVERSE_SEARCH_GOOGLE_URL') ?? 'https://vision.googleapis.com',
      tineyeUrl: web('REVERSE_SEARCH_TINEYE_URL') ?? 'https://api.tineye.com',
    },
    ...readAiModel(reader),
    aiModelToken: text('AI_MODEL_TOKEN'),
    ...readContentCredentials(reader),
    evidenceOrigin: readOrigin(reader),
    tsaUrl: web('TSA_URL'),
    backupDays: text('BACKUP_DAYS') === null ? null : integer('BACKUP_DAYS', 0, 3_650, 0),
    ...readWitnesses(reader),
    ...readAttestation(reader),
    ...readSignIn(reader, env),
    webhookAllowCidrs: cidrs('WEBHOOK_ALLOW_CIDRS'),
    webhookNameServers: nameServers('WEBHOOK_NAME_SERVERS'),
    webhookRetrySeconds: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    // The second pause outlasts a node in a restart loop.
    analysisRetrySeconds: [10, 120],
    trustedProxies: cidrs('TRUSTED_PROXIES'),
    mode: oneOf('MODE', ['both', 'live', 'test'], 'both'),
    logLevel: oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
    metricsToken: text('METRICS_TOKEN'),
    telemetry: readTelemetry(reader),
    screenThresholds: thresholds('SCREEN_SUSPICIOUS_AT', 'SCREEN_FAILED_AT'),
    drainMs: decimal('DRAIN_SECONDS', 0, 300, database.databaseUrl ? 5 : 0) * 1_000,
    bodyStallMs: integer('BODY_STALL_SECONDS', 1, 600, 30) * 1_000,
    rateLimitPerMinute: integer('RATE_LIMIT_PER_MINUTE', 1, 1_000_000, 600),
    analysisThreads: integer('ANALYSIS_THREADS', 1, 64, 2),
    workerConcurrency: integer('WORKER_CONCURRENCY', 1, 100, 8),
  };
}

function readDatabase({ database, list, integer, decimal }: Reader) {
  const databaseUrl = database('DATABASE_URL');
  const databaseDirectUrl = database('DATABASE_DIRECT_URL');
  if (databaseDirectUrl && !databaseUrl) {
    throw new ConfigError('Set DATABASE_URL too: DATABASE_DIRECT_URL goes around the pooler that DATABASE_URL names.');
  }
  const encryptionKeys = list('ENCRYPTION_KEYS').map(value => {
    const key = Buffer.from(value, 'base64');
    if (key.length !== 32) {
      throw new ConfigError(
        'ENCRYPTION_KEYS takes 32-byte keys in base64, comma-separated. Make one with: openssl rand -base64 32',
      );
    }
    return key;
  });
  if (databaseUrl && encryptionKeys.length === 0) {
    throw new ConfigError(
      'Set ENCRYPTION_KEYS too: DATABASE_URL is set, and every node needs the same keys. Make one with: openssl rand -base64 32',
    );
  }
  return {
    databaseUrl,
    databaseDirectUrl,
    databasePoolSize: integer('DATABASE_POOL_SIZE', 4, 200, 12),
    databaseTimeouts: {
      connectMs: decimal('DATABASE_CONNECT_SECONDS', 0.5, 60, 3) * 1_000,
      statementMs: decimal('DATABASE_STATEMENT_SECONDS', 0, 3_600, 30) * 1_000,
      lockMs: 10_000,
      idleTransactionMs: 10_000,
    },
    encryptionKeys: encryptionKeys.length > 0 ? encryptionKeys : null,
  };
}

function readS3({ text, web, boolean }: Reader): S3Config | null {
  const bucket = text('S3_BUCKET');
  if (!bucket && text('S3_ENDPOINT')) throw new ConfigError('Set S3_BUCKET too: S3_ENDPOINT is set.');
  if (!bucket) return null;
  return {
    endpoint: web('S3_ENDPOINT'),
    bucket,
    region: text('S3_REGION') ?? 'us-east-1',
    accessKeyId: text('S3_ACCESS_KEY_ID'),
    secretAccessKey: text('S3_SECRET_ACCESS_KEY'),
    forcePathStyle: boolean('S3_FORCE_PATH_STYLE', false),
  };
}

function readOrigin({ text, fail }: Reader): string | null {
  const value = text('EVIDENCE_ORIGIN');
  return value === null || /^[^\s+]{1,200}$/.test(value)
    ? value
    : fail('EVIDENCE_ORIGIN', 'a name without spaces or plus signs, like log.example.com');
}

/** `AI_MODEL` is `built-in`, `off` or the path of a manifest. */
function readAiModel({ text, file }: Reader): Pick<Config, 'aiModel' | 'aiBuiltIn'> {
  const value = text('AI_MODEL') ?? 'built-in';
  const named = value === 'built-in' || value === 'off';
  return { aiModel: named ? null : file('AI_MODEL'), aiBuiltIn: value === 'built-in' };
}
