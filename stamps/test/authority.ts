import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A time-stamping authority made of `openssl ts`, with a root of its own. */
export function openAuthority(o: { usage?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'fh-tsa-'));
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const file = (name: string) => join(folder, name);
  writeFileSync(
    file('root.ext'),
    'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n',
  );
  writeFileSync(
    file('tsa.ext'),
    `basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=${o.usage ?? 'critical,timeStamping'}\nsubjectKeyIdentifier=hash\n`,
  );
  writeFileSync(
    file('tsa.cnf'),
    `[tsa]\ndefault_tsa=t\n[t]\nserial=${file('serial')}\nsigner_cert=${file('tsa.pem')}\nsigner_key=${file('tsa.key')}\ncerts=${file('root.pem')}\nsigner_digest=sha256\ndefault_policy=1.2.3.4.1\ndigests=sha256\naccuracy=secs:1\nordering=yes\ntsa_name=yes\ness_cert_id_chain=no\ness_cert_id_alg=sha256\n`,
  );
  writeFileSync(file('serial'), '01\n');
  const request = (name: string, subject: string) =>
    openssl(
      'req',
      '-new',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      subject,
    );
  request('root', '/CN=Test root');
  openssl(
    'x509',
    '-req',
    '-in',
    'root.csr',
    '-signkey',
    'root.key',
    '-days',
    '30',
    '-extfile',
    'root.ext',
    '-out',
    'root.pem',
  );
  request('tsa', '/O=Test authority/CN=Test stamps');
  openssl(
    'x509',
    '-req',
    '-in',
    'tsa.csr',
    '-CA',
    'root.pem',
    '-CAkey',
    'root.key',
    '-CAcreateserial',
    '-days',
    '30',
    '-extfile',
    'tsa.ext',
    '-out',
    'tsa.pem',
  );
  return {
    root: readFileSync(file('root.pem'), 'utf8'),
    /** Answers a request as `openssl ts -reply` does. */
    reply(query: Uint8Array): Uint8Array {
      writeFileSync(file('query.tsq'), query);
      openssl('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query.tsq', '-out', 'reply.tsr');
      return new Uint8Array(readFileSync(file('reply.tsr')));
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
