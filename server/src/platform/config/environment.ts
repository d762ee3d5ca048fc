import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

// Apart from the reader of the settings: a command that needs none of them starts without it.

export type Env = Readonly<Record<string, string | undefined>>;

/** The public keys of this installation, in its data folder: `verify-evidence` trusts them. */
export const OWN_KEYS_FILE = 'evidence-keys.json';

/** Returns the process environment merged over a `.env` file in the working directory, if any. */
export function loadEnvironment(): Env {
  const file = resolve('.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}

/** The default address at which commands look for the running service. */
export const defaultServiceUrl = (env: Env): string =>
  env.PUBLIC_URL?.trim() || `http://localhost:${env.PORT?.trim() || 8080}`;
