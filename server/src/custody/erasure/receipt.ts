import { createPrivateKey, sign } from 'node:crypto';
import { ERASED_KINDS, type RedactionReceipt } from '@firsthand/contract/evidence/erasure.ts';
import { canonical, canonicalBytes } from '@firsthand/evidence/json.ts';
import { thumbprint } from '@firsthand/evidence/trust.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { currentLog, signerFor } from '../../record/evidence/log.ts';

/** RFC 8410: what stands before the 32-byte seed in the PKCS #8 form of an Ed25519 key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const DAY_MS = 86_400_000;

export type Unsigned = Omit<RedactionReceipt, 'removed' | 'not_recalled' | 'backups_until' | 'key_id' | 'signature'>;

/** Signs receipts with the key for bundles and receipts. */
export async function receiptSigner(
  tx: Tx,
  deps: Pick<Deps, 'config' | 'keyring'>,
): Promise<(of: Unsigned) => RedactionReceipt> {
  const log = await currentLog(tx);
  if (!log) throw new Error('There is no log yet: start the service once.');
  const { secretKey, publicKey } = await signerFor(tx, deps, log, 'bundle');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, secretKey]), format: 'der', type: 'pkcs8' });
  const { backupDays } = deps.config;
  return of => {
    const until = backupDays === null ? null : new Date(Date.parse(of.redacted_at) + backupDays * DAY_MS);
    const receipt = {
      ...of,
      removed: [...ERASED_KINDS],
      not_recalled: 'bundles already downloaded' as const,
      ...(until ? { backups_until: until.toISOString() } : {}),
      key_id: thumbprint(publicKey),
    };
    return { ...receipt, signature: sign(null, canonicalBytes(receipt), key).toString('base64') };
  };
}

/** A receipt as it is stored: its canonical JSON. */
export const receiptText = (receipt: RedactionReceipt): string => canonical(receipt);
