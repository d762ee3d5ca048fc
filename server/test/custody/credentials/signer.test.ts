import { execFileSync } from 'node:child_process';
import { randomUUID, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPhoto } from '../../../../verify/src/credential.ts';
import { credentialFindings } from '../../../src/commands/doctor-credentials.ts';
import { makeChain } from '../../../src/custody/credentials/chain.ts';
import { signRaw } from '../../../src/custody/credentials/cose.ts';
import { rotateCredentialKey } from '../../../src/custody/credentials/keys.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import { withAuthority } from '../../support/authority.ts';
import { completedVerification } from '../../support/completed.ts';
import { downloadCredential, requestCredential } from '../../support/credential.ts';
import { bodyOf, openServer } from '../../support/local-server.ts';
import { firstHand } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { askC2paRs, askC2paTs } from './judges.ts';

const service = serviceOfSuite();
let made: { id: string; capture: string };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-c2pa-'));
  const { id, captures } = await completedVerification(service, { photo: await firstHand(1) });
  made = { id, capture: captures[0]!.id };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const download = () => downloadCredential(service, made);

/** The answer of the page /verify, and its last line, on the time stamp. */
async function pageOn(photo: Buffer) {
  const { outcome, lines } = await checkPhoto(new File([new Uint8Array(photo)], 'photo.jpg'));
  return { outcome, stamp: lines.at(-1) };
}

/** Runs `work` with a signer of the settings, as the service would have read it. */
async function withSigner(env: Record<string, string>, work: () => Promise<void>): Promise<void> {
  service.deps.config.c2paSigner = readConfig(env).c2paSigner;
  try {
    await work();
  } finally {
    service.deps.config.c2paSigner = null;
  }
}

/** A chain by openssl, as an authority would issue it, with a key of the kind. */
function issued(...kind: string[]): { certificate: string; key: string; root: string } {
  const name = join(folder, randomUUID());
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const ca = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-384 -nodes -days 30 -addext keyUsage=critical,keyCertSign';
  const root = ['-keyout', `${name}.ca.key`, '-out', `${name}.ca.pem`, '-subj', '/O=Test Authority/CN=Root'];
  openssl('req', ...ca.split(' '), ...root);
  openssl('genpkey', ...kind, '-out', `${name}.key`);
  openssl('req', '-new', '-key', `${name}.key`, '-subj', '/O=Example Insurance/CN=photos', '-out', `${name}.csr`);
  writeFileSync(
    `${name}.ext`,
    'basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=emailProtection\nauthorityKeyIdentifier=keyid\n',
  );
  const by = ['-CA', `${name}.ca.pem`, '-CAkey', `${name}.ca.key`, '-CAcreateserial', '-extfile', `${name}.ext`];
  openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-days', '20', '-out', `${name}.pem`);
  const read = (file: string) => readFileSync(file, 'utf8');
  return { certificate: read(`${name}.pem`), key: read(`${name}.key`), root: read(`${name}.ca.pem`) };
}

describe('the signer of Content Credentials', () => {
  it('is a self-signed chain made at the first start, its key in the database encrypted only', async () => {
    const { rows } = await service.deps.db.query('select certificate, sealed from credential_keys');
    expect(rows).toHaveLength(1);
    expect(service.deps.keyring.decrypt(rows[0].sealed)).toContain('PRIVATE KEY');
    expect(JSON.stringify(rows)).not.toContain('PRIVATE KEY');
    const leaf = new X509Certificate(rows[0].certificate);
    expect(leaf.subject).not.toBe(leaf.issuer);
    expect((await askC2paRs(await download(), 'image/jpeg')).state).toBe('Valid');
  });

  it('is replaced by rotation, and what the old key signed stays valid', async () => {
    const before = await download();
    await rotateCredentialKey(service.deps);
    const after = await download();
    const [old, fresh] = [await askC2paRs(before, 'image/jpeg'), await askC2paRs(after, 'image/jpeg')];
    expect([old.state, fresh.state]).toEqual(['Valid', 'Valid']);
    expect(after.equals(before)).toBe(false);
    const { rows } = await service.deps.db.query('select sealed, retired_at from credential_keys order by id');
    expect(rows).toMatchObject([{ sealed: null }, { retired_at: null }]);
    expect(rows[0].retired_at).not.toBeNull();
  });

  it.each([
    ['P-256', ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'], 'Es256'],
    ['P-384', ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'], 'Es384'],
    ['Ed25519', ['-algorithm', 'ED25519'], 'Ed25519'],
    ['RSA', ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:3072'], 'Ps256'],
  ])('is the key of C2PA_PRIVATE_KEY, on or of %s', async (_name, kind, alg) => {
    const { certificate, key, root } = issued(...kind);
    writeFileSync(join(folder, 'key.pem'), key);
    // One as a file, the other as text.
    await withSigner({ C2PA_CERTIFICATE: certificate, C2PA_PRIVATE_KEY: join(folder, 'key.pem') }, async () => {
      const photo = await download();
      const read = await askC2paRs(photo, 'image/jpeg', root);
      expect(read).toMatchObject({ state: 'Trusted', failures: [] });
      expect(read.manifest.signature_info).toMatchObject({ alg, issuer: 'Example Insurance' });
      expect((await askC2paTs(photo))?.failures).toEqual([]);
      const page = await (await fetch(`${service.url}/c/${made.id}`)).text();
      expect(page).toContain('<meta name="firsthand-signer" content="Example Insurance, photos">');
      expect(page).toContain('<meta name="firsthand-issuer" content="Test Authority, Root">');
    });
  });

  it('may be remote: it gets the bytes and answers the signature, which must fit the certificate', async () => {
    const { certificate, privateKey } = await makeChain('signer.example.com', new Date());
    let mode: 'signs' | 'lies' | 'fails' = 'signs';
    const answer: RequestListener = async (request, response) => {
      const bytes = await bodyOf(request);
      if (mode === 'fails') response.writeHead(500).end();
      else response.end(signRaw(privateKey, mode === 'lies' ? Buffer.concat([bytes, bytes]) : bytes));
    };
    const server = await openServer(answer);
    await withSigner({ C2PA_CERTIFICATE: certificate, C2PA_SIGNER_URL: server.url }, async () => {
      const read = await askC2paRs(await download(), 'image/jpeg', certificate);
      expect(read).toMatchObject({ state: 'Trusted', failures: [] });
      for (mode of ['lies', 'fails'] as const) {
        const refused = await requestCredential(service, made);
        expect(refused.status).toBe(503);
        expect(await refused.json()).toMatchObject({ error: { code: 'storage_unavailable' } });
        expect((await credentialFindings(service.deps))[0]).toMatchObject({ state: 'wrong' });
      }
    }).finally(server.close);
  });

  it('has its signature stamped by TSA_URL, as /verify reads too, and signs without where the authority fails', async () => {
    await withAuthority(service, async authority => {
      // Stamps count whole seconds, and c2pa-ts takes a certificate that begins in the second of its stamp for not yet valid.
      await sleep(1_000);
      const stamped = await download();
      const read = await askC2paRs(stamped, 'image/jpeg');
      expect(read).toMatchObject({ valid: true });
      expect(Math.abs(Date.parse(read.manifest.signature_info.time!) - Date.now())).toBeLessThan(120_000);
      const stampedAt = read.manifest.signature_info.time!.slice(0, 19);
      const page = await pageOn(stamped);
      expect(page).toMatchObject({ outcome: 'holds', stamp: { mark: 'holds' } });
      expect(page.stamp?.text).toContain(stampedAt);
      // GeneralizedTime, 15 bytes: the year. A stamp that does not hold counts as none.
      const redated = Buffer.from(stamped);
      redated[redated.lastIndexOf(`\x18\x0f${stampedAt.slice(0, 4)}`) + 5]! ^= 1;
      expect(await pageOn(redated)).toMatchObject({
        outcome: 'holds',
        stamp: { mark: 'absent', text: expect.stringContaining('timeStamp.mismatch') },
      });
      // Anybody can damage a stamp: the signature does not cover it. What is signed is checked all the same.
      redated[redated.length - 100]! ^= 1;
      expect(await pageOn(redated)).toMatchObject({ outcome: 'fails' });
      authority.answers = false;
      const without = await askC2paRs(await download(), 'image/jpeg');
      expect(without.valid).toBe(true);
      expect(without.manifest.signature_info.time).toBeUndefined();
    });
  });

  it('is named by doctor, with how long its certificate lasts', async () => {
    const [own, list] = await credentialFindings(service.deps);
    expect(own).toMatchObject({
      part: 'content_credentials',
      state: 'missing',
      what: expect.stringMatching(/self-signed$/),
    });
    expect(list).toMatchObject({ part: 'trust_list', what: expect.stringMatching(/of 20\d\d-\d\d-\d\d$/) });
    const { certificate, key } = issued('-algorithm', 'ED25519');
    await withSigner({ C2PA_CERTIFICATE: certificate, C2PA_PRIVATE_KEY: key }, async () => {
      // It lasts 20 days.
      expect((await credentialFindings(service.deps))[0]).toMatchObject({
        state: 'wrong',
        advice: expect.stringContaining('C2PA_CERTIFICATE'),
      });
    });
  });

  it('is refused at the start where key and certificate do not belong together', async () => {
    const [one, other] = [await makeChain('a', new Date()), await makeChain('b', new Date())];
    for (const [env, words] of [
      [{ C2PA_CERTIFICATE: one.certificate, C2PA_PRIVATE_KEY: other.privateKey }, 'C2PA_PRIVATE_KEY takes the key of'],
      [{ C2PA_CERTIFICATE: one.certificate }, 'either C2PA_PRIVATE_KEY or C2PA_SIGNER_URL'],
      [{ C2PA_PRIVATE_KEY: one.privateKey }, 'C2PA_CERTIFICATE takes the certificate of C2PA_PRIVATE_KEY'],
      [{ C2PA_CERTIFICATE: 'nowhere.pem', C2PA_PRIVATE_KEY: one.privateKey }, 'or the path of a file'],
      [{ C2PA_TRUST_LIST: 'maybe' }, 'C2PA_TRUST_LIST'],
    ] as const) {
      expect(() => readConfig(env)).toThrow(words);
    }
  });
});
