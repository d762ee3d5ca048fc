import type { BlobStore } from './blobs/store.ts';
import type { Config } from './config/config.ts';
import type { Pool } from './db/sql.ts';
import type { C2paWriter } from './lib/c2pa-writer.ts';
import type { Clock } from './lib/clock.ts';
import type { Keyring } from './lib/keyring.ts';
import type { Log } from './lib/log.ts';
import type { Mailer } from './lib/mail.ts';
import type { Metrics } from './lib/metrics.ts';
import type { Pictures } from './lib/pictures.ts';
import type { SessionTokens } from './lib/session-tokens.ts';
import type { Vision } from './vision/client.ts';

/** Where the service is reached from outside, without a trailing slash. Known once it listens. */
export interface Origins {
  public: string;
  capture: string;
}

/**
 * Everything a handler or a job reaches the world through. Opened in one place, passed by hand. A function that needs a few of
 * them says so (`Pick<Deps, …>`), so a test opens no more.
 */
export interface Deps {
  config: Config;
  log: Log;
  db: Pool;
  /** The same database without a pooler in between, for LISTEN; `db` itself unless DATABASE_DIRECT_URL is set. */
  direct: Pool;
  blobs: BlobStore;
  keyring: Keyring;
  sessionTokens: SessionTokens;
  origins: Origins;
  clock: Clock;
  metrics: Metrics;
  /** Null where no SMTP server is configured. */
  mailer: Mailer | null;
  pictures: Pictures;
  /** Writes Content Credentials into photos, in a thread. */
  c2paWriter: C2paWriter;
  /** The vision model; null where none is configured. */
  vision: Vision | null;
}
