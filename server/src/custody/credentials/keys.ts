import { X509Certificate } from 'node:crypto';
import { many, one, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { type CoseSigner, certificatesOf, coseSigner, signRaw } from './cose.ts';

/** `settings`: the operator's key. `remote`: the operator's signer. `own`: the chain that this installation made for itself. */
export type KeySource = 'settings' | 'remote' | 'own';

export interface CredentialKey {
  source: KeySource;
  /** PEM, the signing certificate first. */
  certificate: string;
  sign(data: Uint8Array): Promise<Uint8Array>;
}

const TIMEOUT_MS = 10_000;
/** Of a signature: RSA with 16,384 bits has 2,048 bytes. */
const MAX_SIGNATURE_BYTES = 4_096;

type KeyDeps = Pick<Deps, 'config' | 'db' | 'keyring'>;
type MakerDeps = KeyDeps & Pick<Deps, 'origins' | 'clock'>;

/** Makes a self-signed chain where the settings name no signer and none was made before. Safe on several nodes at once. */
export async function ensureCredentialKey(deps: MakerDeps): Promise<void> {
  if (deps.config.c2paSigner || (await currentKey(deps.db))) return;
  await transaction(deps.db, async tx => {
    await tx.query('lock table credential_keys in exclusive mode');
    if (!(await currentKey(tx))) await createKey(tx, deps);
  });
}

/** Retires the chain that this installation made and makes another. Photos that the old one signed stay checkable: they carry it. */
export const rotateCredentialKey = (deps: MakerDeps): Promise<void> =>
  transaction(deps.db, async tx => {
    await tx.query('lock table credential_keys in exclusive mode');
    await tx.query('update credential_keys set retired_at = $1, sealed = null where retired_at is null', [
      deps.clock.now(),
    ]);
    await createKey(tx, deps);
  });

/** The certificates that this installation made, the current one first. */
export const ownCertificates = async (db: Queryable): Promise<string[]> =>
  (
    await many<{ certificate: string }>(
      db,
      'select certificate from credential_keys order by retired_at is not null, id desc',
    )
  ).map(({ certificate }) => certificate);

/** The key that signs now. */
export async function credentialKey(deps: KeyDeps): Promise<CredentialKey> {
  const configured = deps.config.c2paSigner;
  if (configured?.privateKey) {
    const { certificate, privateKey } = configured;
    return { source: 'settings', certificate, sign: async data => signRaw(privateKey, data) };
  }
  if (configured?.url) {
    const { certificate, url } = configured;
    return { source: 'remote', certificate, sign: data => askSigner(url, data) };
  }
  const row = await currentKey(deps.db);
  if (!row?.sealed) throw new Error('there is no key for Content Credentials yet: start the service once');
  const privateKey = deps.keyring.decrypt(row.sealed);
  return { source: 'own', certificate: row.certificate, sign: async data => signRaw(privateKey, data) };
}

/** Who signs the Content Credentials of photos, and who issued that certificate unless this installation made it. */
export interface PhotoSigner {
  signer?: string;
  issuer?: string;
}

/** Organisation and common name of who signs now and, unless this installation made the certificate, of its issuer. */
export async function photoSigner({ config, db }: Pick<Deps, 'config' | 'db'>): Promise<PhotoSigner> {
  const pem = config.c2paSigner?.certificate ?? (await currentKey(db))?.certificate;
  if (!pem) return {};
  const { subject, issuer } = new X509Certificate(pem);
  return { signer: nameIn(subject), ...(config.c2paSigner ? { issuer: nameIn(issuer) } : {}) };
}

/** Organisation and common name of a subject as Node.js prints it. */
function nameIn(subject: string): string {
  const part = (key: string) => new RegExp(`^${key}=(.+)$`, 'm').exec(subject)?.[1];
  return [part('O'), part('CN')].filter(Boolean).join(', ') || subject.replaceAll('\n', ', ');
}

/** A COSE signer of the key. `stamp`: see `cose.ts`. */
export const signerOf = (key: CredentialKey, stamp?: (data: Uint8Array) => Promise<Uint8Array | null>): CoseSigner =>
  coseSigner(certificatesOf(key.certificate), key.sign, stamp);

const currentKey = (db: Queryable) =>
  one<{ certificate: string; sealed: string | null }>(
    db,
    'select certificate, sealed from credential_keys where retired_at is null',
  );

async function createKey(tx: Tx, { origins, keyring, clock }: MakerDeps): Promise<void> {
  const now = clock.now();
  // Once in ten years: the library that writes certificates is not loaded with each start.
  const { makeChain } = await import('./chain.ts');
  const chain = await makeChain(new URL(origins.public).hostname, now);
  await tx.query('insert into credential_keys (certificate, sealed, created_at) values ($1, $2, $3)', [
    chain.certificate,
    keyring.encrypt(chain.privateKey),
    now,
  ]);
}

/** Posts the bytes to be signed and gets the bare signature, for ECDSA as r ‖ s. docs/evidence.md shows a signer. */
async function askSigner(url: string, data: Uint8Array): Promise<Uint8Array> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', accept: 'application/octet-stream' },
    body: Buffer.from(data),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`the signer answered ${answer.status}`);
  const signature = new Uint8Array(await answer.arrayBuffer());
  if (signature.length === 0 || signature.length > MAX_SIGNATURE_BYTES) {
    throw new Error(`the signer answered ${signature.length} bytes`);
  }
  return signature;
}
