import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { createApp } from './app.ts';
import { ensureCredentialKey } from './custody/credentials/keys.ts';
import { restoreCheck } from './custody/erasure/restore-check.ts';
import { requireKeys } from './desk/system/sealed.ts';
import { type FirstRun, firstRun } from './identity/tenants/first-run.ts';
import type { OpenDeps } from './open.ts';
import { patientStart } from './platform/db/starting.ts';
import { drain } from './platform/http/drain.ts';
import { type Phase, registerHealth } from './platform/http/health.ts';
import { releaseAllKeys } from './platform/http/idempotency.ts';
import { createServer } from './platform/http/server.ts';
import { ensureLog } from './record/evidence/log.ts';
import { type RunningWorker, startWorker } from './worker.ts';

export interface Service {
  firstRun: FirstRun | null;
  /** Stops taking work, lets what runs finish or hands it back, closes everything. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  http: boolean;
  worker: boolean;
  https?: { key: string; cert: string };
}

/** Starts the parts asked for on opened dependencies: migrations first, then the API, then the worker. */
export async function startService({ deps, alone, migrate, close }: OpenDeps, o: ServiceOptions): Promise<Service> {
  let phase: Phase = 'starting';
  let app: FastifyInstance | undefined;
  let worker: RunningWorker | undefined;
  const step = patientStart(deps.log);
  try {
    await step(migrate);
    await step(() => requireKeys(deps));
    if (alone) await step(() => releaseAllKeys(deps.db));
    // Before anybody is served what a backup brought back.
    await step(() => restoreCheck(deps));
    if (o.http) {
      app = await createApp(deps, { phase: () => phase, ...(o.https ? { https: o.https } : {}) });
      await app.listen({ host: deps.config.host, port: deps.config.port });
      if (deps.config.port === 0) {
        const { port } = app.server.address() as AddressInfo;
        const origin = `${o.https ? 'https' : 'http'}://localhost:${port}`;
        if (!deps.config.publicUrl) deps.origins.public = origin;
        if (!deps.config.captureBaseUrl && !deps.config.publicUrl) deps.origins.capture = origin;
      }
    }
    if (!o.http && deps.config.workerPort !== null) {
      app = createServer(deps);
      registerHealth(app, deps, () => phase);
      await app.listen({ host: deps.config.host, port: deps.config.workerPort }).catch(error => {
        throw Object.assign(error, { setting: 'WORKER_PORT' });
      });
    }
    // A process that is only a worker writes no keys: nobody would look for them in its data folder.
    const run = o.http ? await step(() => firstRun(deps)) : null;
    await step(() => ensureLog(deps));
    await step(() => ensureCredentialKey(deps));
    if (o.worker) worker = await startWorker(deps, { alone });
    const serves = () => {
      if (phase === 'starting') phase = 'serving';
    };
    // Whoever restarts workers one after another waits until this one takes photos again.
    if (worker && !o.http) void worker.warm.then(serves);
    else serves();
    return {
      firstRun: run,
      async stop() {
        phase = 'draining';
        if (o.http) {
          // A proxy that looks at /readyz sends nothing more; until it has looked, requests are still answered.
          await sleep(deps.config.drainMs);
          await drain(app!);
          await worker?.stop();
        } else {
          await worker?.stop();
          if (app) await drain(app);
        }
        await close();
      },
    };
  } catch (error) {
    await app?.close();
    await worker?.stop();
    await close();
    throw error;
  }
}
