import * as x509 from '@peculiar/x509';

const YEAR_MS = 365.25 * 86_400_000;
/** Readers compare a signature without a time stamp with the clock of the day, so a photo must outlast its case. */
const YEARS = 10;

const EMAIL_PROTECTION = '1.3.6.1.5.5.7.3.4';
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface Chain {
  /** PEM, the signing certificate first. */
  certificate: string;
  /** PEM, PKCS #8. */
  privateKey: string;
}

/**
 * Makes a signing certificate under a root of its own, by the profile of C2PA 2.2, 14.5.1 (a signing certificate may not be its own
 * issuer). Readers say that they do not know the signer. The root's key is dropped at once, so nobody can issue under it later.
 */
export async function makeChain(host: string, now: Date): Promise<Chain> {
  const makeKeys = () => crypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  const [root, leaf] = await Promise.all([makeKeys(), makeKeys()]);
  const rootName = name('Firsthand self-signed root', host);
  const issue = (subject: x509.JsonName, publicKey: x509.PublicKeyType, extensions: x509.Extension[]) =>
    x509.X509CertificateGenerator.create(
      {
        subject,
        issuer: rootName,
        notBefore: new Date(now.getTime() - 300_000),
        notAfter: new Date(now.getTime() + YEARS * YEAR_MS),
        publicKey,
        signingKey: root.privateKey,
        signingAlgorithm: P256,
        extensions,
      },
      crypto,
    );
  const keyId = (key: x509.PublicKeyType) => x509.SubjectKeyIdentifierExtension.create(key, false, crypto);
  const signing = await issue(name('Firsthand', host), leaf.publicKey, [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([EMAIL_PROTECTION]),
    await x509.AuthorityKeyIdentifierExtension.create(root.publicKey, false, crypto),
    await keyId(leaf.publicKey),
  ]);
  const authority = await issue(rootName, root.publicKey, [
    new x509.BasicConstraintsExtension(true, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    await keyId(root.publicKey),
  ]);
  const privateKey = await crypto.subtle.exportKey('pkcs8', leaf.privateKey);
  return {
    certificate: [signing, authority].map(one => `${one.toString('pem')}\n`).join(''),
    privateKey: `${x509.PemConverter.encode(privateKey, 'PRIVATE KEY')}\n`,
  };
}

/** Certificates have room for 64 characters. */
const name = (organization: string, commonName: string): x509.JsonName => [
  { O: [organization] },
  { CN: [commonName.slice(0, 64)] },
];
