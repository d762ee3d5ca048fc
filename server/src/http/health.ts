import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';
import { equalSecrets } from '../lib/keyring.ts';
import { unauthorized } from './problem.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** `starting` until the first tenant and the worker are there, `draining` once the process has been asked to stop. */
export type Phase = 'starting' | 'serving' | 'draining';

/** Liveness, readiness and metrics. */
export function registerHealth(app: FastifyInstance, deps: Deps, phase: () => Phase): void {
  app.get('/healthz', async () => ({ status: 'ok' }));

  app.get('/readyz', async (_request, reply) => {
    const checks: Record<string, string> = {};
    const check = async (name: string, work: () => Promise<unknown>) => {
      checks[name] = await work().then(
        () => 'ok',
        error => {
          deps.log.warn({ err: error, check: name }, 'not ready');
          return 'failed';
        },
      );
    };
    await Promise.all([
      check('database', () => deps.db.query('select 1')),
      check('store', () => deps.blobs.check()),
      check('queue', () => deps.db.query('select 1 from graphile_worker._private_jobs limit 1')),
    ]);
    const now = phase();
    const ready = now === 'serving' && Object.values(checks).every(value => value === 'ok');
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ready' : now === 'serving' ? 'not ready' : now, checks });
  });

  app.get('/metrics', async (request, reply) => {
    const { metricsToken } = deps.config;
    const token = request.headers.authorization?.replace(/^Bearer /i, '') ?? '';
    const allowed = metricsToken ? equalSecrets(token, metricsToken) : LOOPBACK.has(request.ip);
    if (!allowed) throw unauthorized();
    return reply.type(deps.metrics.registry.contentType).send(await deps.metrics.registry.metrics());
  });
}
