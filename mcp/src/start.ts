import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { serveHttp } from './http.ts';
import { createServer } from './server.ts';
import { createService } from './service.ts';
import { HELP, readSettings, SettingsError, VERSION } from './settings.ts';

export async function start(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    const settings = readSettings(args, env);
    // A terminal that closes takes the server along.
    process.on('SIGHUP', () => process.exit(0));
    if (settings === 'help') process.stdout.write(HELP);
    else if (settings === 'version') process.stdout.write(`${VERSION}\n`);
    else if (settings.http) {
      const address = await serveHttp(settings, settings.http);
      console.error(`Firsthand's MCP server listens on ${address}`);
    } else {
      const { key = '', session } = settings.credentials;
      const service = createService(settings.url, { key, ...(session ? { session } : {}) });
      endWithTheClient();
      serveStdio(() => createServer(service, settings.allowed), { onerror: error => console.error(error.message) });
    }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}

/** A server that outlives its client would stay on the machine for good. */
function endWithTheClient(): void {
  const end = () => process.exit(0);
  process.stdin.on('end', end).on('close', end).on('error', end);
  process.stdout.on('error', end).on('close', end);
}
