import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createKeyring, type Keyring } from './keyring.ts';

/** Opens the keyring from the settings, or from a key that the first start writes to the data folder (mode 0600). */
export async function openKeyring(config: { encryptionKeys: Buffer[] | null; dataDir: string }): Promise<Keyring> {
  if (config.encryptionKeys) return createKeyring(config.encryptionKeys);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const file = join(config.dataDir, 'encryption.key');
  const made = await writeFile(file, `${randomBytes(32).toString('base64')}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64');
  if (key.length !== 32) throw new Error(`${file} does not hold a 32-byte key in base64${made ? '' : '; restore it'}`);
  return createKeyring([key]);
}
