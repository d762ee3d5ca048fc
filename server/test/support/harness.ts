import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { createTenant, type NewTenant } from '../../src/identity/tenants/create.ts';
import { openDeps } from '../../src/open.ts';
import { type Config, readConfig } from '../../src/platform/config/config.ts';
import { transaction } from '../../src/platform/db/sql.ts';
import type { Deps } from '../../src/platform/deps.ts';
import { createLog } from '../../src/platform/lib/log.ts';
import { startService } from '../../src/service.ts';
import { undescribed } from './conformance.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import type { Failure } from './failure.ts';
import { errorsIn, leftoversIn } from './leftovers.ts';
import { sharedThread } from './shared-threads.ts';

export interface TestService {
  url: string;
  deps: Deps;
  /** The keys of the first tenant. */
  tenant: NewTenant;
  /** The link that signs the first tenant's owner in, once. */
  dashboardUrl: string;
  /** Everything the service logged, a JSON line each. */
  logged: string[];
  /** Another tenant with keys of its own. */
  newTenant(name?: string): Promise<NewTenant>;
  /** Fails when the service leaves connections, claims or failed jobs, or logged an error that the test does not expect. */
  stop(): Promise<void>;
}

export interface TestOptions {
  config?: Partial<Config>;
  /** False: only the API; jobs wait. */
  worker?: boolean;
  /** An empty database of the test's own making; one on the run's own server unless given. */
  database?: TestDatabase;
  /** Share the database and the data folder of another service: a second node. */
  beside?: TestService;
  /** Environment-style settings, read as the real ones are. */
  env?: Record<string, string>;
  /** Open reviews of a random share of what is verified, as settings do. Off, so that no test depends on chance. */
  reviewSample?: boolean;
  /** The clock of the service, where a test steps it. */
  now?: () => Date;
  /** Patterns of error lines and of failed jobs that belong to the test. */
  expects?: readonly RegExp[];
}

/** Starts the whole service on a database and a data folder of its own, on an ephemeral port. */
export async function startTestService(o: TestOptions = {}): Promise<TestService> {
  const database = o.beside ? null : (o.database ?? (await freshDatabase()));
  const dataDir = o.beside?.deps.config.dataDir ?? (await mkdtemp(join(tmpdir(), 'fh-test-')));
  const config: Config = {
    ...readConfig({
      DATA_DIR: dataDir,
      PORT: '0',
      DATABASE_URL: database?.url ?? o.beside?.deps.config.databaseUrl ?? '',
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      ANALYSIS_THREADS: '1',
      DRAIN_SECONDS: '0',
      RATE_LIMIT_PER_MINUTE: '100000',
      ...o.env,
    }),
    ...(o.beside ? { encryptionKeys: o.beside.deps.config.encryptionKeys } : {}),
    ...o.config,
  };
  const logged: string[] = [];
  const log = createLog('info', { write: line => void logged.push(line) });
  const opened = await openDeps(config, log, { database: 'own' });
  if (o.now) opened.deps.clock.now = o.now;
  if (config.analysisThreads === 1) {
    await opened.deps.pictures.close();
    opened.deps.pictures = sharedThread();
  }
  // The threads load what a picture needs when it comes: most tests never send one, and a full warm-up costs three seconds.
  opened.deps.pictures.warmUp = async (eachReady = () => {}) => {
    for (let n = 0; n < config.analysisThreads; n += 1) eachReady();
  };
  const service = await startService(opened, { http: true, worker: o.worker ?? true });
  if (!o.beside && !o.reviewSample) {
    await opened.deps.db.query(
      'alter table tenants alter column review_sample set default 0; update tenants set review_sample = 0',
    );
  }
  const { dashboard_url: dashboardUrl = '', ...made } = service.firstRun ?? {};
  const tenant = o.beside?.tenant ?? (service.firstRun ? (made as NewTenant) : undefined);
  if (!tenant) throw new Error('a fresh database has no tenant');
  return {
    url: opened.deps.origins.public,
    deps: opened.deps,
    tenant,
    dashboardUrl,
    logged,
    async newTenant(name = 'Another tenant') {
      const { owner_id: _, ...made } = await transaction(opened.deps.db, tx => createTenant(tx, opened.deps, name));
      return made;
    },
    async stop() {
      await service.stop();
      const expected = o.expects ?? [];
      const left = errorsIn(logged, expected);
      if (database && !o.database) {
        left.push(...(await leftoversIn(database.url)).filter(what => !expected.some(pattern => pattern.test(what))));
      }
      if (!o.beside) {
        await database?.drop();
        await rm(dataDir, { recursive: true, force: true });
      }
      if (left.length > 0) throw new Error(`the stopped service left:\n${left.join('\n')}`);
    },
  };
}

export interface Reply<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
  text: string;
}

export interface RequestOptions {
  method?: string;
  key?: string;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  redirect?: 'manual';
}

/** One request to the service; the answer's body is parsed where it is JSON. */
export async function ask<T = unknown>(
  service: {
    url: string;
    /** Answers may come from another version, which this one's interface description does not describe. */
    anyVersion?: boolean;
  },
  path: string,
  o: RequestOptions = {},
): Promise<Reply<T>> {
  const answer = await fetch(path.startsWith('http') ? path : `${service.url}${path}`, {
    method: o.method ?? (o.body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(o.key ? { authorization: `Bearer ${o.key}` } : {}),
      ...(o.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...o.headers,
    },
    ...(o.body === undefined ? {} : { body: JSON.stringify(o.body) }),
    ...(o.redirect ? { redirect: o.redirect } : {}),
  });
  const text = await answer.text();
  const json = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body = json ? JSON.parse(text) : text;
  // Every answer of the whole suite is held against the interface description.
  const wrong =
    !service.anyVersion && undescribed(o.method ?? (o.body === undefined ? 'GET' : 'POST'), path, answer.status, body);
  if (wrong) throw new Error(wrong);
  return { status: answer.status, headers: answer.headers, text, body: body as T };
}

/** Creates a verification with the test key; throws unless it is answered 201. */
export async function createVerification(service: TestService, body: object = {}, key = service.tenant.pk_test) {
  const reply = await ask<Verification & { capture_url: string }>(service, '/v1/verifications', { key, body });
  if (reply.status !== 201) throw new Error(`creating a verification was answered ${reply.status}: ${reply.text}`);
  return reply.body;
}

/** Submits picture bytes inline. */
export const submit = (service: { url: string }, id: string, bytes: Uint8Array, more: object = {}, headers = {}) =>
  ask<Verification & Partial<Failure>>(service, `/v1/verifications/${id}/captures`, {
    body: { image_base64: Buffer.from(bytes).toString('base64'), ...more },
    headers,
  });

/** Polls until `ready` gives something, less often the longer it waits; throws after `timeoutMs`. */
export async function until<T>(
  ready: () => Promise<T | null | undefined | false>,
  what: string,
  timeoutMs = 240_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = 50; ; pause = Math.min(pause * 1.3, 300)) {
    const value = await ready();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await sleep(pause);
  }
}

/** The bundle of an ended verification, once every entry of the log about it has its signed place. */
export const bundleOf = (service: TestService, id: string, key = service.tenant.pk_test): Promise<Buffer> =>
  until(async () => {
    const answer = await fetch(`${service.url}/v1/verifications/${id}/evidence`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return answer.status === 200 ? bytes : null;
  }, `the bundle of ${id}`);

/** Reads a verification until it has one of these statuses. */
export const untilStatus = (service: TestService, id: string, statuses: string[], key = service.tenant.pk_test) =>
  until(
    async () => {
      const { body } = await ask<Verification>(service, `/v1/verifications/${id}`, { key });
      return statuses.includes(body.status) ? body : null;
    },
    `verification ${id} to be ${statuses.join(' or ')}`,
  );
