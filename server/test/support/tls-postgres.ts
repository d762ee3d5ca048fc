import { execFileSync } from 'node:child_process';
import { appendFile, chmod, copyFile, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { chooseAccount, giveAll } from '../../src/platform/db/account.ts';
import { makeSocketFolder } from '../../src/platform/db/address.ts';
import { findBinaries } from '../../src/platform/db/binaries.ts';
import { createDatabase, initialise, ROLE } from '../../src/platform/db/cluster.ts';
import { launch, untilReady } from '../../src/platform/db/process.ts';
import { freePort } from './service-process.ts';

const log = pino({ level: 'silent' });

/** Who may connect: `plain` only without TLS, `secure` only with it, `certified` only with a certificate of its name. */
const HBA = `local all all trust
hostnossl all plain 127.0.0.1/32 trust
hostssl all secure 127.0.0.1/32 trust
hostssl all certified 127.0.0.1/32 cert
host all ${ROLE} 127.0.0.1/32 trust
`;

export interface TlsPostgres {
  port: number;
  /** The folder of its socket. */
  sockets: string;
  /** `ca.crt` issued its certificate, for `localhost`; `other.crt` is another authority; `certified.crt` and `.key` are a client's. */
  folder: string;
  stop(): Promise<void>;
}

/** A PostgreSQL on 127.0.0.1; with TLS by an authority of its own, or without any. */
export async function startTlsPostgres(tls: boolean): Promise<TlsPostgres> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'fh-tls-')));
  await chmod(home, 0o755);
  const data = join(home, 'data');
  const account = await chooseAccount(data);
  const binaries = await findBinaries(account, home);
  const port = await freePort();
  await initialise(home, data, binaries, account, log);
  makeCertificates(home);
  for (const name of ['server.crt', 'server.key', 'ca.crt']) await copyFile(join(home, name), join(data, name));
  await writeFile(join(data, 'pg_hba.conf'), HBA);
  await appendFile(join(data, 'postgresql.conf'), tls ? "ssl = on\nssl_ca_file = 'ca.crt'\n" : '');
  await giveAll(data, account);
  const sockets = await makeSocketFolder(account);
  const settings = { listen_addresses: '127.0.0.1', port: `${port}`, unix_socket_directories: sockets };
  const server = launch(data, binaries, account, settings, log);
  const admin = (database: string) => `postgresql:///${database}?host=${sockets}&port=${port}&user=${ROLE}`;
  await untilReady(admin('postgres'), server);
  await createDatabase(admin('postgres'));
  const client = new pg.Client({ connectionString: admin('postgres'), ssl: false });
  await client.connect();
  for (const role of ['plain', 'secure', 'certified']) await client.query(`create role ${role} login`);
  await client.end();
  return {
    port,
    sockets,
    folder: home,
    async stop() {
      await server.stop();
      await rm(home, { recursive: true, force: true });
      await rm(sockets, { recursive: true, force: true });
    },
  };
}

function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['ca', 'other']) {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
    openssl('req', '-x509', ...key, '-days', '20', '-subj', `/CN=${name} of this test`, ...files);
  }
  for (const [name, host] of [
    ['server', 'localhost'],
    ['certified', 'certified'],
  ] as const) {
    openssl(
      'req',
      ...key,
      '-subj',
      `/CN=${host}`,
      '-addext',
      `subjectAltName=DNS:${host}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
    );
    const by = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-copy_extensions', 'copy'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-days', '20', '-out', `${name}.crt`);
  }
}
