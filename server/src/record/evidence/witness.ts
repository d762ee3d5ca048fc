import { utf8 } from '@firsthand/evidence/bytes.ts';
import { type Checkpoint, parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { verifyConsistency } from '@firsthand/evidence/merkle.ts';
import {
  COSIGNATURE,
  type Note,
  NoteFault,
  parseNote,
  type Signer,
  signatureLine,
  signerOf,
  verifyNote,
  vkeyOf,
} from '@firsthand/evidence/note.ts';
import { generateKey } from '@firsthand/evidence/trust.ts';
import type { FastifyInstance } from 'fastify';
import { addressPermit, takePermits } from '../../identity/auth/limits.ts';
import { one, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/http/problem.ts';
import { rootOf } from '../../platform/http/root.ts';
import type { Limiter } from '../../platform/limits/limiter.ts';
import { parseAddCheckpoint, SIZE_TYPE } from './witness-protocol.ts';

// This installation as a witness of others' logs (c2sp.org/tlog-witness): it cosigns a state of a log that only grew.

/** 63 hashes and a note with some signatures. */
const MAX_BODY_BYTES = 65_536;

interface Answer {
  status: 200 | 400 | 403 | 404 | 409 | 422;
  body: string;
  type?: string;
}

/** Adds the witness's two addresses; without `WITNESS_FOR` there is no witness. */
export function registerWitness(
  app: FastifyInstance,
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'keyring' | 'origins' | 'clock'>,
  limiter: Limiter,
): void {
  if (deps.config.witnessFor.length === 0) return;
  const schema = { hide: true } as object;
  app.get('/witness/vkey', { schema }, async (_request, reply) =>
    reply
      .header('access-control-allow-origin', '*')
      .type('text/plain; charset=utf-8')
      .send(`${vkeyOf(await witnessSigner(deps))}\n`),
  );
  app.post('/witness/add-checkpoint', { schema, bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    await takePermits(limiter, reply, [addressPermit('address', request.ip)]);
    const raw = request.received?.raw;
    if (!raw) throw notFound();
    const { status, body, type = 'text/plain; charset=utf-8' } = await addCheckpoint(deps, raw);
    return reply.code(status).type(type).send(body);
  });
}

/** The key that cosigns; made when it is first needed. */
export async function witnessSigner(deps: Pick<Deps, 'db' | 'keyring' | 'clock' | 'origins'>): Promise<Signer> {
  const find = () => one<{ name: string; sealed: string }>(deps.db, 'select name, sealed from witness_keys');
  let row = await find();
  if (!row) {
    const { secretKey, publicKey } = generateKey();
    await deps.db.query(
      `insert into witness_keys (name, public_key, sealed, created_at) values ($1, $2, $3, $4) on conflict do nothing`,
      [
        `${new URL(deps.origins.public).host}${rootOf(deps.origins.public)}/witness`,
        Buffer.from(publicKey),
        deps.keyring.encrypt(Buffer.from(secretKey).toString('base64')),
        deps.clock.now(),
      ],
    );
    row = (await find())!;
  }
  return signerOf(row.name, new Uint8Array(Buffer.from(deps.keyring.decrypt(row.sealed), 'base64')), COSIGNATURE);
}

/** Cosigns a checkpoint that continues the last one of its log, after noting it down. */
export async function addCheckpoint(
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'keyring' | 'origins' | 'clock'>,
  body: Uint8Array,
): Promise<Answer> {
  const refused = (status: Answer['status'], reason: string): Answer => ({ status, body: `${reason}\n` });
  const request = parseAddCheckpoint(body);
  if (!request) return refused(400, 'the request is not a valid add-checkpoint request');
  // The origin decides first: what an unknown log signed is not worth checking.
  const keys = deps.config.witnessFor.filter(({ name }) => name === request.note.split('\n', 1)[0]);
  if (keys.length === 0) return refused(404, 'unknown log');
  const note = readNote(request.note, keys);
  if (!note) return refused(403, 'invalid signature');
  let checkpoint: Checkpoint;
  try {
    checkpoint = parseCheckpoint(note.text);
  } catch (error) {
    if (!(error instanceof NoteFault)) throw error;
    return refused(400, error.message);
  }
  if (request.old > checkpoint.size) return refused(400, 'the old size is larger than the checkpoint');
  const signer = await witnessSigner(deps);
  return transaction(deps.db, async tx => {
    const known = await lockLog(tx, checkpoint.origin);
    const size = BigInt(known?.size ?? 0);
    const conflict: Answer = { status: 409, body: `${size}\n`, type: SIZE_TYPE };
    if (request.old !== size) return conflict;
    const root = new Uint8Array(known?.root ?? []);
    const same = known && size === checkpoint.size;
    if (same && !Buffer.from(root).equals(checkpoint.root)) {
      deps.log.error({ origin: checkpoint.origin, seen: known.note, offered: request.note }, 'a log was forked');
      return conflict;
    }
    const { root: newRoot, size: newSize } = checkpoint;
    // Before the first state there is no root to be consistent with.
    const consistent =
      size === 0n
        ? request.proof.length === 0
        : verifyConsistency({ old: size, oldRoot: root, size: newSize, root: newRoot, proof: request.proof });
    if (!consistent) {
      deps.log.error(
        { origin: checkpoint.origin, seen: known?.note, offered: request.note },
        'a log did not show that it only grew',
      );
      return refused(422, 'the consistency proof does not verify');
    }
    const now = deps.clock.now();
    await tx.query('update witnessed_logs set size = $2, root = $3, note = $4, cosigned_at = $5 where origin = $1', [
      checkpoint.origin,
      checkpoint.size,
      Buffer.from(checkpoint.root),
      request.note,
      now,
    ]);
    return { status: 200, body: signatureLine(note.text, signer, BigInt(Math.floor(now.getTime() / 1_000))) };
  });
}

/** The note when one of the keys signed it; null when none did or the signatures cannot be read. */
function readNote(text: string, keys: Deps['config']['witnessFor']): Note | null {
  try {
    const note = parseNote(utf8(text));
    return verifyNote(note, keys).length > 0 ? note : null;
  } catch (error) {
    if (error instanceof NoteFault) return null;
    throw error;
  }
}

interface WitnessedLog {
  size: string;
  root: Buffer;
  note: string;
}

/** The last state of a log, locked; a new log starts with nothing. */
async function lockLog(tx: Tx, origin: string): Promise<WitnessedLog | undefined> {
  await tx.query(
    `insert into witnessed_logs (origin, size, root, note, cosigned_at) values ($1, 0, '', '', now()) on conflict do nothing`,
    [origin],
  );
  return one<WitnessedLog>(tx, 'select size, root, note from witnessed_logs where origin = $1 for update', [origin]);
}
