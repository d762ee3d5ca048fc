import { ownCertificates, rotateCredentialKey } from '../custody/credentials/keys.ts';
import { listEvidenceKeys, rotateKeys, writeOwnKeys } from '../record/evidence/log.ts';
import { printJson, withDeps } from './tenants.ts';

/** `firsthand rotate-evidence-key`: prints the JWK Set with the new keys first. */
export const rotateEvidenceKeyCommand = (): Promise<void> =>
  withDeps(async deps => {
    await rotateKeys(deps);
    await writeOwnKeys(deps);
    printJson(await listEvidenceKeys(deps.db));
  });

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
