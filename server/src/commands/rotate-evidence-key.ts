import { listEvidenceKeys, rotateKeys, writeOwnKeys } from '../record/evidence/log.ts';
import { withDeps } from './tenants.ts';

/** `firsthand rotate-evidence-key`: prints the JWK Set with the new keys first. */
export const rotateEvidenceKeyCommand = (): Promise<void> =>
  withDeps(async deps => {
    await rotateKeys(deps);
    await writeOwnKeys(deps);
    console.log(JSON.stringify(await listEvidenceKeys(deps.db), null, 2));
  });
