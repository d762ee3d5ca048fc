import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns a self-signed certificate, created once and kept in the data folder. Browsers warn about it but then allow the camera. */
export async function selfMadeCertificate(
  dataDir: string,
  address: string | null,
): Promise<{ key: string; cert: string }> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const stem = join(dataDir, `tls-${address ?? 'localhost'}`);
  if (!existsSync(`${stem}.crt`)) {
    const { generate } = await import('selfsigned');
    const pems = await generate([{ name: 'commonName', value: 'Firsthand' }], {
      keyType: 'ec',
      notAfterDate: new Date(Date.now() + 365 * 86_400_000),
      extensions: [
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'localhost' },
            { type: 7, ip: '127.0.0.1' },
            ...(address ? [{ type: 7 as const, ip: address }] : []),
          ],
        },
      ],
    });
    await writeFile(`${stem}.key`, pems.private, { mode: 0o600 });
    await writeFile(`${stem}.crt`, pems.cert);
  }
  return { key: await readFile(`${stem}.key`, 'utf8'), cert: await readFile(`${stem}.crt`, 'utf8') };
}
