import { createPublicKey } from 'node:crypto';
import type { AppAttestConfig } from '../../../platform/config/attestation.ts';
import { one, type Tx } from '../../../platform/db/sql.ts';
import type { Deps } from '../../../platform/deps.ts';
import { verifyAssertion, verifyAttestation } from './app-attest-objects.ts';
import { clientDataHash, proofOf } from './binding.ts';
import { type Passed, Refusal, type Subject } from './check.ts';
import type { Token } from './token.ts';

type AppAttestToken = Extract<Token, { provider: 'app_attest' }>;

interface KeyRow {
  app_id: string;
  environment: string;
  public_key: Buffer;
}

/**
 * Checks Apple's App Attest. An attestation registers its key. A registered key signs an assertion, whose counter must
 * be above the last one's; the capture's transaction compares them. Throws {@link Refusal}.
 */
export async function checkAppAttest(
  deps: Pick<Deps, 'db' | 'clock'>,
  config: AppAttestConfig,
  token: AppAttestToken,
  subject: Subject,
): Promise<Passed> {
  const now = deps.clock.now();
  const hash = clientDataHash(subject);
  const { keyId } = token;
  if ('attestation' in token) {
    const { appId, publicKey } = verifyAttestation({ ...config, ...token, clientDataHash: hash, now });
    const spki = publicKey.export({ format: 'der', type: 'spki' });
    // A known key keeps its counter: otherwise an old attestation would make old assertions valid again.
    const complete = async (tx: Tx) => {
      await tx.query(
        `insert into app_attest_keys (key_id, app_id, environment, public_key, created_at, used_at)
         values ($1, $2, $3, $4, $5, $5) on conflict (key_id) do nothing`,
        [keyId, appId, config.environment, spki, now],
      );
    };
    return { complete, proof: proofOf('app_attest', keyId, hash) };
  }
  const key = await one<KeyRow>(
    deps.db,
    'select app_id, environment, public_key from app_attest_keys where key_id = $1',
    [keyId],
  );
  if (!key) throw new Refusal('the key has not been attested here');
  if (!config.appIds.includes(key.app_id)) throw new Refusal('made by another app');
  if (key.environment !== config.environment) throw new Refusal(`not made in the ${config.environment} environment`);
  const counter = verifyAssertion({
    assertion: token.assertion,
    clientDataHash: hash,
    publicKey: createPublicKey({ key: key.public_key, format: 'der', type: 'spki' }),
    appId: key.app_id,
  });
  const complete = async (tx: Tx) => {
    const risen = await tx.query(
      'update app_attest_keys set counter = $2, used_at = $3 where key_id = $1 and counter < $2',
      [keyId, counter, now],
    );
    if (risen.rowCount === 0) throw new Refusal('the counter did not rise: an assertion is used once, in order');
  };
  return { complete };
}
