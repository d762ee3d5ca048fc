import { existsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { workEnded } from '@firsthand/cli/outcome.ts';
import { dim } from '@firsthand/cli/print.ts';
import { openDeps } from '../open.ts';
import { type Config, readConfig } from '../platform/config/config.ts';
import { loadEnvironment } from '../platform/config/environment.ts';
import { createLog } from '../platform/lib/log.ts';
import { commitOf, VERSION } from '../platform/lib/version.ts';
import { ensurePagesBuilt } from './build-pages.ts';
import { showsSecrets } from './shows-secrets.ts';
import { selfMadeCertificate } from './tls.ts';

export interface ServeOptions {
  http: boolean;
  worker: boolean;
  tls: boolean;
}

/** Runs the service until SIGTERM or SIGINT, then drains and exits with 0. */
export async function serve(o: ServeOptions): Promise<void> {
  // Until the service runs there is nothing to drain, so exit at once. The embedded database stops with this process.
  let stop: (signal: string) => void = () => {
    workEnded();
    process.exit(0);
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  const environment = loadEnvironment();
  const read = readConfig(environment);
  const lan = o.tls ? lanAddress() : null;
  const config: Config = o.tls
    ? {
        ...read,
        tls: true,
        host: environment.HOST ? read.host : '0.0.0.0',
        publicUrl: read.publicUrl ?? `https://${lan ?? 'localhost'}:${read.port}`,
      }
    : read;
  const log = createLog(environment.LOG_LEVEL ? config.logLevel : process.stderr.isTTY ? 'warn' : 'info');
  log.info({ version: VERSION, commit: commitOf() }, 'starting');
  // A terminal shows no `info`; the log of a service has the database in it.
  const terminal = !environment.LOG_LEVEL && process.stderr.isTTY;
  const say = (line: string) => (terminal ? console.error(dim(line)) : log.info(line));
  const folder = join(config.dataDir, 'postgres');
  if (terminal && !config.databaseUrl && !existsSync(folder)) say(`creating the database in ${folder}`);
  // PostgreSQL starts while the rest of the code loads.
  const [opened, { startService }] = await Promise.all([
    openDeps(config, log, { database: 'own' }),
    import('../service.ts'),
    o.http ? ensurePagesBuilt(say) : undefined,
  ]);
  const { deps } = opened;
  const service = await startService(opened, {
    http: o.http,
    worker: o.worker,
    ...(o.tls ? { https: await selfMadeCertificate(config.dataDir, lan) } : {}),
  });

  let stopping = false;
  const drain = async (signal: string, code = 0) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // Last resort if stopping hangs. Another worker takes over the jobs.
    setTimeout(() => process.exit(1), config.drainMs + 60_000).unref();
    await service.stop();
    workEnded();
    process.exit(code);
  };
  stop = signal => void drain(signal);
  void opened.databaseEnded.then(() => {
    if (!stopping) log.fatal('the embedded database ended');
    void drain('database ended', 1);
  });

  // `--tls` makes up a public address for a laptop; only a setting says that this is none.
  if (o.http) {
    const { greet } = await import('./greet.ts');
    await greet(deps, service.firstRun, showsSecrets(read.publicUrl)).catch((error: unknown) => {
      // The greeting reads the database, which a stop at this moment has closed.
      if (!stopping) throw error;
    });
  } else console.log('The Firsthand worker is running.');
}

/** Returns the address at which a phone in the same network can reach this machine. */
function lanAddress(): string | null {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
  return addresses.find(address => address.family === 'IPv4' && !address.internal)?.address ?? null;
}
