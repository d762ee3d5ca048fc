import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Fault, fault } from '@firsthand/contract/base/fault.ts';
import { APPLE_APP_ATTEST_ROOT } from './apple-root.ts';
import type { Reader } from './reader.ts';

export interface TurnstileConfig {
  secret: string;
  siteKey: string;
  url: string;
}

export interface AppAttestConfig {
  /** The accepted apps as `<team>.<bundle>`. */
  appIds: string[];
  environment: 'production' | 'development';
  roots: X509Certificate[];
}

export interface ServiceAccount {
  clientEmail: string;
  privateKey: KeyObject;
  keyId: string | null;
  tokenUri: string;
}

/** The app's response keys from the Play Console. */
export interface PlayIntegrityKeys {
  /** 32 bytes. */
  decryption: Buffer;
  /** On curve P-256. */
  verification: KeyObject;
}

/** Has at least one of `serviceAccount` and `keys`. */
export interface PlayIntegrityConfig {
  packageName: string;
  /** SHA-256 of the accepted signing certificates; empty accepts any that Play recognises. */
  certificates: Buffer[];
  serviceAccount: ServiceAccount | null;
  keys: PlayIntegrityKeys | null;
  url: string;
}

export interface AttestationConfig {
  turnstile: TurnstileConfig | null;
  appAttest: AppAttestConfig | null;
  playIntegrity: PlayIntegrityConfig | null;
}

/** Reads the configured verifiers of attestation tokens. */
export const readAttestation = (read: Reader): AttestationConfig => ({
  turnstile: read.together(['TURNSTILE_SECRET', 'TURNSTILE_SITE_KEY'])
    ? {
        secret: read.text('TURNSTILE_SECRET')!,
        siteKey: read.text('TURNSTILE_SITE_KEY')!,
        url: read.web('TURNSTILE_URL') ?? 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
      }
    : null,
  appAttest: readAppAttest(read),
  playIntegrity: readPlayIntegrity(read),
});

/**
 * The fault of a body that asks for attested photos on a service that checks no attestation of a photo's bytes: every photo
 * would be suspicious.
 */
export function attestedFaults(
  { appAttest, playIntegrity }: AttestationConfig,
  body: unknown,
  path = 'depth_policy',
): Fault[] {
  const policy = (body as { depth_policy?: unknown } | null | undefined)?.depth_policy;
  if (policy !== 'attested' || appAttest || playIntegrity) return [];
  const message = 'needs a verifier: set APP_ATTEST_APP_IDS or PLAY_INTEGRITY_PACKAGE';
  return [fault(path, 'not_configured', message, { settings: ['APP_ATTEST_APP_IDS', 'PLAY_INTEGRITY_PACKAGE'] })];
}

function needs(read: Reader, first: string, others: string[]): boolean {
  if (read.text(first) !== null) return true;
  for (const other of others) if (read.text(other) !== null) read.failSecret(first, `a value when ${other} is set`);
  return false;
}

function readAppAttest(read: Reader): AppAttestConfig | null {
  if (!needs(read, 'APP_ATTEST_APP_IDS', ['APP_ATTEST_ENVIRONMENT', 'APP_ATTEST_ROOT'])) return null;
  const appIds = read.list('APP_ATTEST_APP_IDS');
  if (!appIds.every(id => /^[A-Z0-9]{10}\.[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(id))) {
    read.fail('APP_ATTEST_APP_IDS', 'app ids (ten characters of the team, a dot, the bundle id), comma-separated');
  }
  return {
    appIds,
    environment: read.oneOf('APP_ATTEST_ENVIRONMENT', ['production', 'development'], 'production'),
    roots: certificatesOf(read, read.pem('APP_ATTEST_ROOT') ?? APPLE_APP_ATTEST_ROOT),
  };
}

function certificatesOf(read: Reader, pem: string): X509Certificate[] {
  try {
    return pem
      .split(/(?=-----BEGIN CERTIFICATE-----)/)
      .filter(part => part.includes('-----BEGIN'))
      .map(part => new X509Certificate(part));
  } catch {
    return read.fail('APP_ATTEST_ROOT', 'a file of certificates in PEM');
  }
}

function readPlayIntegrity(read: Reader): PlayIntegrityConfig | null {
  const keyNames = ['PLAY_INTEGRITY_DECRYPTION_KEY', 'PLAY_INTEGRITY_VERIFICATION_KEY'];
  const others = [...keyNames, 'PLAY_INTEGRITY_SERVICE_ACCOUNT', 'PLAY_INTEGRITY_CERTIFICATES'];
  if (!needs(read, 'PLAY_INTEGRITY_PACKAGE', others)) return null;
  const packageName = read.text('PLAY_INTEGRITY_PACKAGE')!;
  if (!/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/.test(packageName))
    read.fail('PLAY_INTEGRITY_PACKAGE', 'the package name of an app');
  const serviceAccount = readServiceAccount(read);
  const keys = read.together(keyNames) ? readKeys(read) : null;
  if (!serviceAccount && !keys) {
    read.failSecret(
      'PLAY_INTEGRITY_SERVICE_ACCOUNT',
      `a value when PLAY_INTEGRITY_PACKAGE is set, or ${keyNames.join(' and ')}`,
    );
  }
  return {
    packageName,
    certificates: read.list('PLAY_INTEGRITY_CERTIFICATES').map(text => {
      const hex = text.replaceAll(':', '');
      const digest = /^[0-9a-fA-F]{64}$/.test(hex) ? Buffer.from(hex, 'hex') : Buffer.from(text, 'base64');
      const takes = 'SHA-256 fingerprints of signing certificates, in hex or base64, comma-separated';
      return digest.length === 32 ? digest : read.fail('PLAY_INTEGRITY_CERTIFICATES', takes);
    }),
    serviceAccount,
    keys,
    url: read.web('PLAY_INTEGRITY_URL') ?? 'https://playintegrity.googleapis.com',
  };
}

function readServiceAccount(read: Reader): ServiceAccount | null {
  const path = read.file('PLAY_INTEGRITY_SERVICE_ACCOUNT');
  if (path === null) return null;
  try {
    const account = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    const { client_email, private_key, private_key_id, token_uri } = account;
    if (account.type === 'service_account' && typeof client_email === 'string' && URL.canParse(String(token_uri))) {
      return {
        clientEmail: client_email,
        privateKey: createPrivateKey(String(private_key)),
        keyId: typeof private_key_id === 'string' ? private_key_id : null,
        tokenUri: String(token_uri),
      };
    }
  } catch {
    // Reported below without the parser's message, which would repeat the key.
  }
  return read.fail('PLAY_INTEGRITY_SERVICE_ACCOUNT', "the path of a service account's key file (JSON)");
}

function readKeys(read: Reader): PlayIntegrityKeys {
  const decryption = Buffer.from(read.text('PLAY_INTEGRITY_DECRYPTION_KEY')!, 'base64');
  if (decryption.length !== 32) read.failSecret('PLAY_INTEGRITY_DECRYPTION_KEY', '32 bytes in base64');
  return { decryption, verification: readVerificationKey(read) };
}

function readVerificationKey(read: Reader): KeyObject {
  try {
    const der = Buffer.from(read.text('PLAY_INTEGRITY_VERIFICATION_KEY')!, 'base64');
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // Reported below.
  }
  return read.failSecret('PLAY_INTEGRITY_VERIFICATION_KEY', 'a public key on P-256 in base64');
}
