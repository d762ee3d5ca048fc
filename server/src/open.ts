import { join } from 'node:path';
import { createAnalysisPool } from '@firsthand/forensics/running/pool.ts';
import { resumeStatistics } from './desk/statistics/fold.ts';
import { openDiskStore } from './platform/blobs/disk.ts';
import type { UrlOptions } from './platform/blobs/signature.ts';
import type { Config } from './platform/config/config.ts';
import { openDatabaseClock } from './platform/db/clock.ts';
import { openEmbeddedPostgres, startEmbeddedPostgres } from './platform/db/embedded.ts';
import { migrate } from './platform/db/migrate.ts';
import { createPool, UNHURRIED } from './platform/db/pool.ts';
import { patientStart } from './platform/db/starting.ts';
import type { Deps, Origins } from './platform/deps.ts';
import { createC2paWriter } from './platform/lib/c2pa-writer.ts';
import type { Log } from './platform/lib/log.ts';
import { createMailer } from './platform/lib/mail.ts';
import { createMetrics } from './platform/lib/metrics.ts';
import { openKeyring } from './platform/lib/secrets.ts';
import { createSessionTokens } from './platform/lib/session-tokens.ts';
import { overdueCaptures } from './verification/captures/analysis-queue.ts';

/** One listens; the other is spare. */
const DIRECT_CONNECTIONS = 2;
export const ANALYSIS_TIMEOUT_MS = 60_000;
export const ANALYSIS_MEMORY_MB = 768;

export interface OpenDeps {
  deps: Deps;
  /** The database is this process's own: nobody else works on it. */
  alone: boolean;
  /** Resolves when the embedded database ended by itself; never otherwise. */
  databaseEnded: Promise<void>;
  /** Brings the database up to date, without any limit of time. */
  migrate(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** `own`: hold the data folder's database; `join`: use the one that a running service holds, or start it for a while. */
  database: 'own' | 'join';
}

/** Opens everything the service reaches the world through; `close` ends it all in the reverse order. */
export async function openDeps(config: Config, log: Log, o: OpenOptions): Promise<OpenDeps> {
  const keyring = await openKeyring(config);
  const embeddedOptions = { dataDir: config.dataDir, log };
  const embedded = config.databaseUrl
    ? null
    : await (o.database === 'own' ? startEmbeddedPostgres(embeddedOptions) : openEmbeddedPostgres(embeddedOptions));
  const url = config.databaseUrl ?? embedded!.url;
  const onError = (error: Error) => log.warn({ err: error }, 'an idle database connection was lost');
  // A command may take its time.
  const timeouts = o.database === 'own' ? config.databaseTimeouts : UNHURRIED;
  const direct = config.databaseDirectUrl
    ? createPool(config.databaseDirectUrl, DIRECT_CONNECTIONS, onError, { timeouts })
    : null;
  const db = createPool(url, config.databasePoolSize, onError, {
    timeouts,
    pooled: direct !== null,
    onSilence: silent =>
      silent
        ? log.error('the database does not answer; requests get 503 until it does')
        : log.warn('the database answers again'),
  });
  const open = () => openDatabaseClock(db, log);
  const clock = await (o.database === 'own' ? patientStart(log)(open) : open()).catch(async error => {
    await Promise.all([db.end(), direct?.end()]);
    await embedded?.stop();
    throw error;
  });
  const local = `${config.tls ? 'https' : 'http'}://localhost:${config.port}`;
  const origins: Origins = {
    public: config.publicUrl ?? local,
    capture: config.captureBaseUrl ?? config.publicUrl ?? local,
  };
  const folder = join(config.dataDir, 'blobs');
  const urls: UrlOptions = {
    secrets: keyring.derive('blob urls'),
    origin: () => origins.public,
    now: () => clock.now(),
  };
  // Half of what a start costs is loading packages: those of a bucket, of mail and of a vision model load where one is configured.
  const blobs = config.s3
    ? await (await import('./platform/blobs/s3.ts')).openS3Store(config.s3, {
        incoming: join(folder, 'incoming'),
        ...urls,
      })
    : await openDiskStore({ folder, ...urls });
  const pictures = createAnalysisPool({
    threads: config.analysisThreads,
    timeoutMs: ANALYSIS_TIMEOUT_MS,
    memoryMb: ANALYSIS_MEMORY_MB,
  });
  const c2paWriter = createC2paWriter();
  const metrics = createMetrics(() => overdueCaptures(db));
  const telemetry =
    config.telemetry && o.database === 'own'
      ? (await import('./platform/telemetry/start.ts')).startTelemetry(config.telemetry, metrics.registry, log)
      : null;
  const mailer = config.smtpUrl ? await createMailer({ url: config.smtpUrl, from: config.mailFrom }) : null;
  const deps: Deps = {
    config,
    log,
    db,
    direct: direct ?? db,
    blobs,
    keyring,
    sessionTokens: createSessionTokens(config.sessionSecrets, keyring),
    origins,
    clock,
    metrics,
    mailer,
    pictures,
    c2paWriter,
    vision:
      config.vision &&
      (await import('./platform/vision/connect.ts')).connectVision(config.vision, metrics.registry, log),
  };
  return {
    deps,
    alone: embedded !== null,
    databaseEnded: embedded?.exited ?? new Promise(() => {}),
    async migrate() {
      // One connection holds the turn, the queue's migrations take another.
      const pool = createPool(config.databaseDirectUrl ?? url, 2, onError);
      try {
        await migrate(pool, log);
        await resumeStatistics(pool);
      } finally {
        await pool.end();
      }
    },
    async close() {
      await Promise.all([deps.pictures.close(), c2paWriter.close()]);
      mailer?.close();
      clock.close();
      await Promise.all([db.end(), direct?.end()]);
      await embedded?.stop();
      await telemetry?.stop();
    },
  };
}
