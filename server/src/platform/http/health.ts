import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { equalSecrets } from '../lib/keyring.ts';
import { commitOf, VERSION } from '../lib/version.ts';
import { unauthorized } from './problem.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
/**
 * Headers that a scraper, a shell or a browser on this machine sends. Proxies add headers of countless names (`forwarded`,
 * `cf-connecting-ip`, `true-client-ip`…), so a request with any other header counts as one that came through a proxy.
 */
const OWN_HEADERS =
  /^(host|connection|user-agent|accept(-.+)?|authorization|cache-control|pragma|cookie|dnt|priority|referer|sec-.+|te|upgrade-insecure-requests|traceparent|tracestate|x-prometheus-scrape-timeout-seconds)$/;
/** The checks write to the store and query the database, so they run at most once in this time. */
const CHECKED_MS = 1_000;

/**
 * `starting` until the first tenant and the worker exist, and in a worker without API until its analysis threads are warm; `draining`
 * after the process was asked to stop.
 */
export type Phase = 'starting' | 'serving' | 'draining';

/** Liveness, readiness and metrics. */
export function registerHealth(app: FastifyInstance, deps: Deps, phase: () => Phase): void {
  app.get('/healthz', async () => ({ status: 'ok', version: VERSION, commit: commitOf() }));

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
      check(() => deps.db.query('select 1 from graphile_worker.jobs limit 1'), 'queue'),
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
    const { metricsToken } = deps.config;
    const token = request.headers.authorization?.replace(/^Bearer /i, '') ?? '';
    if (!(metricsToken ? equalSecrets(token, metricsToken) : isFromThisMachine(deps, request))) throw unauthorized();
    return reply.type(deps.metrics.registry.contentType).send(await deps.metrics.registry.metrics());
  });
}

/**
 * True for a request that a program on this machine sent itself. A proxy on this machine connects from loopback too, whoever
 * is behind it, and may add no header. So nobody is local once the settings say that there is a proxy or a public address.
 */
function isFromThisMachine({ config, origins }: Deps, { socket, raw, headers }: FastifyRequest): boolean {
  return (
    LOOPBACK.has(socket.remoteAddress ?? '') &&
    config.trustedProxies.length === 0 &&
    isLoopbackHost(new URL(origins.public).host) &&
    isLoopbackHost(headers.host ?? '') &&
    raw.httpVersion !== '1.0' &&
    Object.keys(headers).every(name => OWN_HEADERS.test(name))
  );
}

const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);
