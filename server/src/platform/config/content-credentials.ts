import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Reader } from './reader.ts';

/** Who signs the Content Credentials of photos. Has a private key or the address of a signer. */
export interface C2paSignerConfig {
  /** PEM, the signing certificate first. */
  certificate: string;
  privateKey: string | null;
  url: string | null;
}

export interface ContentCredentialsConfig {
  /** Null: a self-signed chain that the installation makes for itself. */
  c2paSigner: C2paSignerConfig | null;
  /** PEM of further certificates trusted to sign photos; null: none. */
  c2paTrustAnchors: string | null;
  /** Whether the C2PA's own trust list, which comes along, is used. */
  c2paTrustList: boolean;
}

export const readContentCredentials = (read: Reader): ContentCredentialsConfig => ({
  c2paSigner: readSigner(read),
  c2paTrustAnchors: read.pem('C2PA_TRUST_ANCHORS'),
  c2paTrustList: read.oneOf('C2PA_TRUST_LIST', ['on', 'off'], 'on') === 'on',
});

function readSigner(read: Reader): C2paSignerConfig | null {
  const [certificate, privateKey] = [pemOf(read, 'C2PA_CERTIFICATE'), pemOf(read, 'C2PA_PRIVATE_KEY')];
  const url = read.web('C2PA_SIGNER_URL');
  if (certificate === null) {
    const set = privateKey !== null ? 'C2PA_PRIVATE_KEY' : url !== null ? 'C2PA_SIGNER_URL' : null;
    return set === null ? null : read.failSecret('C2PA_CERTIFICATE', `the certificate of ${set}, which is set`);
  }
  if ((privateKey === null) === (url === null)) {
    return read.failSecret('C2PA_CERTIFICATE', 'either C2PA_PRIVATE_KEY or C2PA_SIGNER_URL beside it');
  }
  const leaf = attempt(() => new X509Certificate(certificate));
  if (!leaf)
    return read.failSecret('C2PA_CERTIFICATE', 'certificates in PEM, the signing one first, or a file of them');
  if (privateKey !== null) {
    const key = attempt(() => createPrivateKey(privateKey));
    if (!key) return read.failSecret('C2PA_PRIVATE_KEY', 'a private key in PEM without a passphrase, or a file of it');
    if (!leaf.checkPrivateKey(key)) {
      return read.failSecret('C2PA_PRIVATE_KEY', 'the key of the first certificate in C2PA_CERTIFICATE');
    }
  }
  return { certificate, privateKey, url };
}

/** PEM as the value itself, with `\n` for line ends where a file of settings has one line, or the file that it names. */
function pemOf(read: Reader, name: string): string | null {
  const value = read.text(name);
  if (value === null || value.includes('-----BEGIN')) return value?.replaceAll('\\n', '\n') ?? null;
  return existsSync(value) ? readFileSync(value, 'utf8') : read.failSecret(name, 'PEM, or the path of a file of it');
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
