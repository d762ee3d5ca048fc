import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';
import { equalSecrets } from '../lib/keyring.ts';
import { unauthorized } from './problem.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
/** Headers that proxies add. A request with one of them did not originate where its connection did. */
const FORWARDING_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];
/** The checks write to the store and query the database, so they run at most once in this time. */
const CHECKED_MS = 1_000;

/**
 * `starting` until the first tenant and the worker exist, and in a worker without API until its analysis threads are warm; `draining`
 * after the process was asked to stop.
 */
export type Phase = 'starting' | 'serving' | 'draining';

/** Liveness, readiness and metrics. */
export function registerHealth(app: FastifyInstance, deps: Deps, phase: () => Phase): void {
  app.get('/healthz', async () => ({ status: 'ok' }));

  const check = (work: () => Promise<unknown>, name: string): Promise<'ok' | 'failed'> =>
    work().then(
      () => 'ok',
      error => {
        deps.log.warn({ err: error, check: name }, 'not ready');
        return 'failed';
      },
    );
  const checkAll = async () => {
    const [database, store, queue] = await Promise.all([
      check(() => deps.db.query('select 1'), 'database'),
      check(() => deps.blobs.check(), 'store'),
      check(() => deps.db.query('select 1 from graphile_worker._private_jobs limit 1'), 'queue'),
    ]);
    return { database, store, queue };
  };
  let last = { checks: checkAll, until: 0 };
  /** Concurrent callers share one run of the checks. */
  function recentChecks(): ReturnType<typeof checkAll> {
    if (last.until <= performance.now()) {
      const running = checkAll();
      const current = { checks: () => running, until: Number.POSITIVE_INFINITY };
      last = current;
      void running.then(() => {
        current.until = performance.now() + CHECKED_MS;
      });
    }
    return last.checks();
  }

  app.get('/readyz', async (_request, reply) => {
    const checks = await recentChecks();
    const now = phase();
    const ready = now === 'serving' && Object.values(checks).every(value => value === 'ok');
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ready' : now === 'serving' ? 'not ready' : now, checks });
  });

  app.get('/metrics', async (request, reply) => {
    const { metricsToken, trustedProxies } = deps.config;
    const token = request.headers.authorization?.replace(/^Bearer /i, '') ?? '';
    // A proxy on this machine also connects from loopback, whoever is behind it.
    const isLocal =
      LOOPBACK.has(request.socket.remoteAddress ?? '') &&
      trustedProxies.length === 0 &&
      !FORWARDING_HEADERS.some(name => name in request.headers);
    if (!(metricsToken ? equalSecrets(token, metricsToken) : isLocal)) throw unauthorized();
    return reply.type(deps.metrics.registry.contentType).send(await deps.metrics.registry.metrics());
  });
}
