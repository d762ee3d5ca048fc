import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvidenceKeys } from '@firsthand/contract/evidence/evidence.ts';
import { checkpointText } from '@firsthand/evidence/checkpoint.ts';
import { EMPTY_ROOT } from '@firsthand/evidence/merkle.ts';
import { parseNote, type Signer, signerOf, signNote, verifierOf, vkeyOf } from '@firsthand/evidence/note.ts';
import { base64url, generateKey, thumbprint } from '@firsthand/evidence/trust.ts';
import { OWN_KEYS_FILE } from '../../platform/config/environment.ts';
import { many, one, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { rootOf } from '../../platform/http/root.ts';

export interface LogRow {
  id: number;
  origin: string;
  size: string;
  checkpoint: string | null;
  checkpoint_size: string;
}

export type KeyRole = 'log' | 'bundle';

/** The log that grows: the last epoch. */
export const currentLog = (db: Queryable): Promise<LogRow | undefined> =>
  one<LogRow>(db, 'select * from evidence_logs order by id desc limit 1');

/** The log of an epoch, by its number; undefined for what is no number. */
export const logOf = async (db: Queryable, epoch: string): Promise<LogRow | undefined> =>
  /^[1-9]\d{0,8}$/.test(epoch) ? one<LogRow>(db, 'select * from evidence_logs where id = $1', [epoch]) : undefined;

/** Makes the first log with its keys where there is none, and writes the public keys beside the data. Safe beside itself. */
export async function ensureLog(deps: Pick<Deps, 'config' | 'db' | 'keyring' | 'origins' | 'clock'>): Promise<void> {
  if (!(await currentLog(deps.db))) {
    const base = deps.config.evidenceOrigin ?? `${new URL(deps.origins.public).host}${rootOf(deps.origins.public)}/log`;
    await transaction(deps.db, async tx => {
      await tx.query('lock table evidence_logs in exclusive mode');
      if (!(await currentLog(tx))) await createLog(tx, deps, 1, base);
    });
  }
  await writeOwnKeys(deps);
}

/** Starts a log of its own name with new keys: the first one, or the next epoch. Its first checkpoint says that it is empty. */
export async function createLog(
  tx: Tx,
  deps: Pick<Deps, 'keyring' | 'clock'>,
  id: number,
  origin: string,
): Promise<void> {
  await tx.query('insert into evidence_logs (id, origin, created_at) values ($1, $2, $3)', [
    id,
    origin,
    deps.clock.now(),
  ]);
  for (const role of ['log', 'bundle'] as const) await createKey(tx, deps, id, role);
  const note = signNote(
    checkpointText({ origin, size: 0n, root: EMPTY_ROOT }),
    await signerFor(tx, deps, { id, origin }, 'log'),
  );
  // Not `checkpoint_size`: the publisher signs the same again and tells the blob store.
  await tx.query('update evidence_logs set checkpoint = $2 where id = $1', [id, note]);
}

export async function createKey(
  tx: Tx,
  deps: Pick<Deps, 'keyring' | 'clock'>,
  logId: number,
  role: KeyRole,
): Promise<void> {
  const { secretKey, publicKey } = generateKey();
  await tx.query(
    'insert into evidence_keys (kid, log_id, role, public_key, sealed, created_at) values ($1, $2, $3, $4, $5, $6)',
    [
      thumbprint(publicKey),
      logId,
      role,
      Buffer.from(publicKey),
      deps.keyring.encrypt(Buffer.from(secretKey).toString('base64')),
      deps.clock.now(),
    ],
  );
}

/**
 * Retires both keys of every epoch, and signs the state of each log with its new key: a retired key counts for nothing that nobody else
 * dates. Retired keys stay listed.
 */
export const rotateKeys = (deps: Pick<Deps, 'db' | 'keyring' | 'clock'>): Promise<void> =>
  transaction(deps.db, async tx => {
    const logs = await many<LogRow>(tx, 'select * from evidence_logs order by id for update');
    if (logs.length === 0) throw new Error('There is no log yet: start the service once.');
    await tx.query('update evidence_keys set retired_at = $1, sealed = null where retired_at is null', [
      deps.clock.now(),
    ]);
    for (const log of logs) {
      for (const role of ['log', 'bundle'] as const) await createKey(tx, deps, log.id, role);
      if (!log.checkpoint) continue;
      const { text } = parseNote(Buffer.from(log.checkpoint));
      const note = signNote(text, await signerFor(tx, deps, log, 'log'));
      await tx.query('update evidence_logs set checkpoint = $2 where id = $1', [log.id, note]);
    }
    // Below any size and another than before: a publisher that is signing with the old key does not store its note.
    await tx.query('update evidence_logs set checkpoint_size = least(checkpoint_size, 0) - 1 where id = $1', [
      logs.at(-1)!.id,
    ]);
  });

/** The key that signs for a log now. */
export async function signerFor(
  db: Queryable,
  deps: Pick<Deps, 'keyring'>,
  log: Pick<LogRow, 'id' | 'origin'>,
  role: KeyRole,
): Promise<Signer> {
  const row = await one<{ sealed: string }>(
    db,
    'select sealed from evidence_keys where log_id = $1 and role = $2 and retired_at is null',
    [log.id, role],
  );
  if (!row) throw new Error(`log ${log.origin} has no ${role} key`);
  return signerOf(log.origin, Buffer.from(deps.keyring.decrypt(row.sealed), 'base64'));
}

/** Every key that ever signed, the current ones first. */
export async function listEvidenceKeys(db: Queryable): Promise<EvidenceKeys> {
  const rows = await many<{
    kid: string;
    origin: string;
    role: KeyRole;
    public_key: Buffer;
    created_at: Date;
    retired_at: Date | null;
  }>(
    db,
    `select k.*, l.origin from evidence_keys k join evidence_logs l on l.id = k.log_id
     order by k.retired_at is not null, k.log_id desc, k.role desc, k.created_at desc`,
  );
  return {
    keys: rows.map(row => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: base64url(row.public_key),
      kid: row.kid,
      alg: 'EdDSA',
      use: 'sig',
      role: row.role,
      vkey: vkeyOf(verifierOf(row.origin, new Uint8Array(row.public_key))),
      created_at: row.created_at.toISOString(),
      ...(row.retired_at ? { retired_at: row.retired_at.toISOString() } : {}),
    })),
  };
}

export async function writeOwnKeys(deps: Pick<Deps, 'config' | 'db'>): Promise<void> {
  const file = join(deps.config.dataDir, OWN_KEYS_FILE);
  await mkdir(deps.config.dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(await listEvidenceKeys(deps.db), null, 2)}\n`);
  await rename(draft, file);
}
