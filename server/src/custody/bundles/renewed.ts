import type { Manifest } from '@firsthand/evidence/bundle.ts';
import { utf8 } from '@firsthand/evidence/bytes.ts';
import { parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { type Note, parseNote, type Signer, signatureLine } from '@firsthand/evidence/note.ts';
import { formatProof, parseProof } from '@firsthand/evidence/tlog-proof.ts';
import { verifyStamp } from '@firsthand/stamps/rfc3161.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { type LogRow, listEvidenceKeys, signerFor } from '../../record/evidence/log.ts';
import { openStatements } from '../../record/evidence/statements.ts';
import { capturesOf, type VerificationRow } from '../../verification/verifications/row.ts';
import { type BundleFile, inline } from './bundle-file.ts';
import type { Head, MadeStamp } from './head.ts';
import { signFiles } from './sign-files.ts';
import { stampOf } from './time-stamp.ts';

// A kept bundle that retired keys signed is signed anew, because a verifier counts a retired key only for what somebody else dates.

/** What `signFiles` adds. */
const SIGNED = /^(?:manifest\.(?:json|sig)|timestamp\.tsr|certificate\.pdf|README\.txt)$/;
const PROOF = /^proofs\//;

const bytesOf = ({ content }: BundleFile): Buffer => Buffer.from(content!, 'base64');

function manifestOf(files: readonly BundleFile[]): Manifest {
  return JSON.parse(bytesOf(files.find(({ path }) => path === 'manifest.json')!).toString('utf8')) as Manifest;
}

/** Whether the keys that signed the bundle still sign. */
export async function hasCurrentKeys(db: Queryable, files: readonly BundleFile[]): Promise<boolean> {
  const { keys } = await listEvidenceKeys(db);
  const current = new Set(keys.filter(key => key.retired_at === undefined).map(key => key.vkey));
  return Object.values(manifestOf(files).keys).every(vkey => current.has(vkey));
}

/** The files of a kept bundle under the current keys. The state of the log stays, with the stamp and cosignatures that date it. */
export async function renewedFiles(
  deps: Deps,
  row: VerificationRow,
  kept: readonly BundleFile[],
): Promise<BundleFile[]> {
  const proofs = kept.filter(({ path }) => PROOF.test(path)).map(file => parseProof(bytesOf(file)));
  const { origin } = manifestOf(kept);
  const log = (await one<LogRow>(deps.db, 'select * from evidence_logs where origin = $1', [origin]))!;
  const note = parseNote(utf8(proofs[0]!.checkpoint));
  const stampFile = kept.find(({ path }) => path === 'timestamp.tsr');
  const head = renewedHead(note, await signerFor(deps.db, deps, log, 'log'), stampFile !== undefined);
  const stamp = stampFile ? await readStamp(bytesOf(stampFile), head.signed) : await stampOf(deps, head.signed);
  const files = kept
    .filter(({ path }) => !SIGNED.test(path))
    .map(file =>
      PROOF.test(file.path)
        ? inline(file.path, formatProof({ ...parseProof(bytesOf(file)), checkpoint: head.note }))
        : file,
    );
  const statements = (await openStatements(deps.db, deps, row.id)).slice(0, proofs.length);
  const captures = await capturesOf(deps.db, row.id);
  const leaves = proofs.map(({ index }) => index.toString());
  return signFiles(deps, { row, captures, statements, leaves, head, stamp, files });
}

/** The stamp is over the first signature of the log, so a stamped note keeps that one before the new one. */
function renewedHead({ text, signatures }: Note, key: Signer, stamped: boolean): Head {
  const renewed = signatureLine(text, key);
  const first = signatures.find(({ name }) => name === key.name)!;
  const signed = `${text}\n${stamped ? `${first.line}\n` : renewed}`;
  const cosignatures = signatures.filter(({ name }) => name !== key.name).map(({ line }) => `${line}\n`);
  const note = [signed, ...(stamped ? [renewed] : []), ...cosignatures].join('');
  return { ...parseCheckpoint(text), signed, note, key };
}

const readStamp = async (response: Buffer, signed: string): Promise<MadeStamp> => ({
  response,
  stamp: await verifyStamp({ response, message: utf8(signed) }),
});
