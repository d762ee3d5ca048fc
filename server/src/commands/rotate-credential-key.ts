import { ownCertificates, rotateCredentialKey } from '../custody/credentials/keys.ts';
import { withDeps } from './tenants.ts';

/** `firsthand rotate-credential-key`: prints the new certificate and its root as PEM. */
export const rotateCredentialKeyCommand = (): Promise<void> =>
  withDeps(async deps => {
    if (deps.config.c2paSigner) {
      throw new Error('C2PA_CERTIFICATE names the key that signs. Set another certificate and key, and restart.');
    }
    await rotateCredentialKey(deps);
    const [certificate] = await ownCertificates(deps.db);
    process.stdout.write(certificate!);
  });
