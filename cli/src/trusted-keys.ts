import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseTrust, type TrustedKey } from '@firsthand/evidence/trust.ts';
import { dataFolder } from './connection.ts';
import { namingFile } from './file-fault.ts';

/** The public keys of a service on this machine, in its data folder. */
const OWN_KEYS_FILE = 'evidence-keys.json';

/** Each name is a verifier key or a file of keys. This installation's own keys are added. */
export async function trustedKeys(named: readonly string[]): Promise<TrustedKey[]> {
  const own = join(dataFolder(), OWN_KEYS_FILE);
  const texts = await Promise.all(
    named.map(text =>
      /^[^+/\\][^+]*\+[0-9a-f]{8}\+/.test(text) ? text : readFile(text, 'utf8').catch(namingFile(text)),
    ),
  );
  if (existsSync(own)) texts.push(await readFile(own, 'utf8'));
  return texts.flatMap(parseTrust);
}
