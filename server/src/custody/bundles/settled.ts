import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { EXTENSIONS } from '@firsthand/evidence/bundle.ts';
import { parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { canonical } from '@firsthand/evidence/json.ts';
import { inclusionRanges, rangeHash } from '@firsthand/evidence/merkle.ts';
import { parseNote, parseVkey, type Verifier, verifyNote } from '@firsthand/evidence/note.ts';
import { formatProof } from '@firsthand/evidence/tlog-proof.ts';
import { many, one, type Queryable, type Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { C2paFault } from '../../platform/lib/c2pa-writer.ts';
import { awaitsCosignatures, cosignedNote } from '../../record/evidence/cosign.ts';
import { type LogRow, listEvidenceKeys } from '../../record/evidence/log.ts';
import { type OpenedStatement, openStatements } from '../../record/evidence/statements.ts';
import { loadNodes } from '../../record/evidence/tiles.ts';
import { type CaptureRow, capturesOf, type VerificationRow } from '../../verification/verifications/row.ts';
import { sealedText, sealHashOf } from '../../verification/verifications/seal.ts';
import { SignerFault } from '../credentials/sign-photo.ts';
import { type BundleFile, inline } from './bundle-file.ts';
import { credentialOf, type LoggedFacts, stampsOf } from './credential.ts';
import type { Head } from './head.ts';
import { hasCurrentKeys, renewedFiles } from './renewed.ts';
import { signFiles } from './sign-files.ts';
import { spliceOf } from './splice.ts';
import { stampOf } from './time-stamp.ts';

interface Leaf {
  seq: number;
  log_id: number | null;
  leaf_index: string | null;
}

/**
 * Returns the files of a verification's bundle: the same at each call until a statement is added or the keys are rotated. Null while the
 * signed log does not contain every entry.
 */
export async function settledBundle(deps: Deps, row: VerificationRow): Promise<BundleFile[] | null> {
  const leaves = await leavesShown(deps.db, row.id);
  const kept = await readKept(deps, row.id);
  const same = kept?.statements === leaves.length ? kept : null;
  if (same && (await hasCurrentKeys(deps.db, same.files))) return same.files;
  const files = same ? await renewedFiles(deps, row, same.files) : await makeFiles(deps, row, leaves);
  if (!files) return null;
  await deps.db.query(
    // Waits for an erasure in progress, and keeps nothing after one.
    `insert into evidence_bundles (verification_id, statements, sealed, created_at)
     select id, $2, $3, $4 from verifications where id = $1 and redacted_at is null for share
     on conflict (verification_id) do update
     set statements = excluded.statements, sealed = excluded.sealed, created_at = excluded.created_at
     where evidence_bundles.statements < excluded.statements or evidence_bundles.created_at = $5`,
    [row.id, leaves.length, deps.keyring.encrypt(JSON.stringify(files)), deps.clock.now(), same?.created_at ?? null],
  );
  // If two calls settle at once, the first one wins.
  const settled = await readKept(deps, row.id);
  return settled?.statements === leaves.length ? settled.files : files;
}

/** Where the statements of a bundle lie. While a second reviewer is blind, it ends before the first review: a prefix has no gap. */
const leavesShown = (db: Queryable, verificationId: string): Promise<Leaf[]> =>
  many<Leaf>(
    db,
    `select seq, log_id, leaf_index from evidence_statements s
     where verification_id = $1 and not exists (
       select from evidence_statements r join verifications v on v.id = r.verification_id
       where r.verification_id = $1 and r.type = 'review' and r.seq <= s.seq
         and v.review_state = 'open' and v.review_needs = 2)
     order by seq`,
    [verificationId],
  );

/** What the credential of a photo says of the log, at this moment. Null while the signed log does not contain every entry. */
export async function loggedFacts(deps: Deps, row: VerificationRow): Promise<LoggedFacts | null> {
  const leaves = await leavesShown(deps.db, row.id);
  const head = await headOver(deps, leaves);
  return head && factsOf(await openStatements(deps.db, deps, row.id), leaves, head);
}

const factsOf = (statements: readonly OpenedStatement[], leaves: readonly Leaf[], head: Head): LoggedFacts => ({
  statements: statements.slice(0, leaves.length),
  leaves: leaves.map(leaf => leaf.leaf_index!),
  log: { origin: head.origin, size: head.size, root: head.root },
});

/** Deletes the bundles that are kept for verifications. */
export async function eraseBundles(tx: Tx, verificationIds: readonly string[]): Promise<void> {
  await tx.query('delete from evidence_bundles where verification_id = any($1)', [verificationIds]);
}

async function readKept(deps: Pick<Deps, 'db' | 'keyring'>, id: string) {
  const found = await one<{ statements: number; sealed: string; created_at: Date }>(
    deps.db,
    'select statements, sealed, created_at from evidence_bundles where verification_id = $1',
    [id],
  );
  return found && { ...found, files: JSON.parse(deps.keyring.decrypt(found.sealed)) as BundleFile[] };
}

/** Returns the published log head that covers all entries of a verification; null while there is none. */
async function headOver(
  deps: Pick<Deps, 'config' | 'db'>,
  leaves: readonly Leaf[],
): Promise<(Head & { logId: number }) | null> {
  const [logId] = leaves.map(leaf => leaf.log_id);
  if (logId == null || leaves.some(leaf => leaf.log_id !== logId)) return null;
  const log = await one<LogRow>(deps.db, 'select * from evidence_logs where id = $1', [logId]);
  if (!log?.checkpoint) return null;
  const note = parseNote(Buffer.from(log.checkpoint));
  const { origin, size, root } = parseCheckpoint(note.text);
  if (leaves.some(leaf => BigInt(leaf.leaf_index!) >= size)) return null;
  if (await awaitsCosignatures(deps, log)) return null;
  const [signed] = verifyNote(note, await logKeys(deps.db));
  if (!signed) throw new Error(`the checkpoint of ${origin} is signed by no known key`);
  const cosigned = (await cosignedNote(deps.db, log))!;
  return { origin, size, root, signed: log.checkpoint, note: cosigned, key: signed.verifier, logId };
}

async function logKeys(db: Queryable): Promise<Verifier[]> {
  const { keys } = await listEvidenceKeys(db);
  return keys.filter(({ role }) => role === 'log').map(({ vkey }) => parseVkey(vkey));
}

/** Null while the published log does not cover all entries. */
async function makeFiles(deps: Deps, row: VerificationRow, leaves: readonly Leaf[]): Promise<BundleFile[] | null> {
  const head = await headOver(deps, leaves);
  if (!head) return null;
  const statements = (await openStatements(deps.db, deps, row.id)).slice(0, leaves.length);
  const captures = await capturesOf(deps.db, row.id);
  const analysis = statements.findLast(({ statement }) => statement.type === 'case_analysis');
  const reviews = statements.filter(({ statement }) => statement.type === 'review');
  const verdict = row.verdict && verdictOf(statements);
  const photos = await photoFiles(deps, captures);
  const logged = factsOf(statements, leaves, head);
  const credentials = await credentialFiles(deps, row, captures, logged);
  const files = [
    inline('record.json', sealedText(row)),
    inline(
      'seal.json',
      canonical({
        algorithm: 'sha256',
        hash: sealHashOf(row),
        covers: ['record', 'answers'],
        answers_provenance: 'user_declared',
      }),
    ),
    inline('verdict.json', canonical(verdict ?? null)),
    ...(analysis ? [inline('case_analysis.json', canonical(analysis.statement.case_analysis))] : []),
    ...(reviews.length > 0
      ? [inline('reviews.json', canonical(reviews.map(({ statement }) => statement.review)))]
      : []),
    ...statements.map(({ seq, statement, salt }) => inline(`statements/${seq}.json`, canonical({ salt, statement }))),
    ...(await proofFiles(deps, head, leaves)),
    ...photos,
    ...credentials,
  ];
  return signFiles(deps, { row, captures, ...logged, head, stamp: await stampOf(deps, head.signed), files });
}

/** The verdict as the log has it, in the form that the tenant sees. */
function verdictOf(statements: readonly OpenedStatement[]): object | null {
  const logged = statements.findLast(({ statement }) => statement.type === 'verdict')?.statement;
  if (!logged) return null;
  const { label, score, reason_code, signals } = logged;
  return { label, score, signals, ...(reason_code === undefined ? {} : { reason_code }) };
}

async function proofFiles(
  deps: Pick<Deps, 'db'>,
  head: Head & { logId: number },
  leaves: readonly Leaf[],
): Promise<BundleFile[]> {
  const paths = leaves.map(leaf => inclusionRanges(BigInt(leaf.leaf_index!), head.size));
  const hashOf = await loadNodes(deps.db, head.logId, paths.flat());
  return leaves.map((leaf, at) => {
    const hashes = paths[at]!.map(range => rangeHash(range, hashOf));
    const proof = formatProof({ index: BigInt(leaf.leaf_index!), hashes, checkpoint: head.note });
    return inline(`proofs/${leaf.seq}.tlog-proof`, proof);
  });
}

/** Lists the originals, then the previews. Reads each once for its hash and does not copy it. */
async function photoFiles(deps: Pick<Deps, 'blobs'>, captures: readonly CaptureRow[]): Promise<BundleFile[]> {
  const files: BundleFile[] = [];
  for (const capture of captures) {
    files.push(await blobFile(deps, `originals/${capture.id}.${EXTENSIONS[capture.content_type]}`, capture.image_blob));
  }
  for (const { id, preview_blob } of captures) {
    if (preview_blob) files.push(await blobFile(deps, `previews/${id}.jpg`, preview_blob));
  }
  return files;
}

/**
 * Signs each original. A photo that cannot be signed has none: a signer out of reach must not keep anybody from the evidence. Kept is
 * only what differs from the original.
 */
async function credentialFiles(
  deps: Deps,
  row: VerificationRow,
  captures: readonly CaptureRow[],
  logged: LoggedFacts,
): Promise<BundleFile[]> {
  const files: BundleFile[] = [];
  const stamp = stampsOf(deps);
  for (const capture of captures) {
    const received = await deps.blobs.get(capture.image_blob, { maxBytes: UPLOAD_HARD_CAP_BYTES });
    try {
      const photo = await credentialOf(
        deps,
        { row, capture, of: 'original', logged },
        { received, photo: received },
        stamp,
      );
      const { content: _, ...file } = inline(`credentials/${capture.id}.${EXTENSIONS[capture.content_type]}`, photo);
      const { splice, middle } = spliceOf(received, photo);
      files.push({ ...file, blob: capture.image_blob, splice, content: middle.toString('base64') });
    } catch (error) {
      if (!(error instanceof SignerFault || error instanceof C2paFault)) throw error;
      deps.log.warn({ err: error, captureId: capture.id }, 'a bundle is issued without the credential of a photo');
      if (error instanceof SignerFault) return files;
    }
  }
  return files;
}

async function blobFile(deps: Pick<Deps, 'blobs'>, path: string, blob: string): Promise<BundleFile> {
  const { content: _, ...file } = inline(path, await deps.blobs.get(blob, { maxBytes: UPLOAD_HARD_CAP_BYTES }));
  return { ...file, blob };
}
