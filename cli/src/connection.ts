import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Firsthand } from '@firsthand/sdk';

/** What the first start of a service writes into its data folder. */
export interface FirstRun {
  pk_test: string;
  rk_secret: string;
  webhook_secret: string;
}

export interface RemoteOptions {
  url: string;
  key?: string;
}

/** The data folder of a service on this machine. */
export const dataFolder = (): string => resolve(process.env.DATA_DIR?.trim() || './data');
const firstRunFile = () => join(dataFolder(), 'first-run.json');

/** Returns the keys of the service on this machine; null where there is none. */
export async function readFirstRun(): Promise<FirstRun | null> {
  const text = await readFile(firstRunFile(), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as FirstRun);
}

/** Returns a client with the given key, or else with the secret key of the service on this machine. */
export async function connect(o: RemoteOptions): Promise<Firsthand> {
  const key = o.key ?? (await readFirstRun())?.rk_secret;
  if (!key) {
    throw new Error(`${firstRunFile()} does not exist. Pass the secret key of your account: --key rk_secret_…`);
  }
  return new Firsthand(key, { baseUrl: o.url });
}

/** The same for the words of `demo`. */
export const noFirstRun = (): Error =>
  new Error(`${firstRunFile()} does not exist. Start the service first (npm start), or pass --key.`);
