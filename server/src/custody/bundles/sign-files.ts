import { FORMAT, type Manifest, manifestText } from '@firsthand/evidence/bundle.ts';
import { canonical } from '@firsthand/evidence/json.ts';
import { signNote, vkeyOf } from '@firsthand/evidence/note.ts';
import { one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { type LogRow, signerFor } from '../../record/evidence/log.ts';
import type { CaptureRow, VerificationRow } from '../../verification/verifications/row.ts';
import { type BundleFile, inline } from './bundle-file.ts';
import { makeCertificate } from './certificate.ts';
import type { LoggedFacts } from './credential.ts';
import type { Head, MadeStamp } from './head.ts';
import { readmeOf } from './readme.ts';

/** Completes the files of a bundle: adds stamp, certificate and README, lists them all, and signs the list with the bundle key. */
export async function signFiles(
  deps: Deps,
  o: Pick<LoggedFacts, 'statements' | 'leaves'> & {
    row: VerificationRow;
    captures: readonly CaptureRow[];
    head: Head;
    stamp: MadeStamp | null;
    files: readonly BundleFile[];
  },
): Promise<BundleFile[]> {
  const { row, captures, statements, leaves, head, stamp } = o;
  const log = (await one<LogRow>(deps.db, 'select * from evidence_logs where origin = $1', [head.origin]))!;
  const signer = await signerFor(deps.db, deps, log, 'bundle');
  const createdAt = deps.clock.now();
  const facts = { row, captures, statements, leaves, head, bundleKey: signer, createdAt, stamp: stamp?.stamp ?? null };
  const readme = readmeOf({
    verificationId: row.id,
    livemode: row.livemode,
    head,
    bundleKey: signer,
    statements: statements.length,
    verifyUrl: `${deps.origins.public}/verify`,
  });
  const files = [
    ...o.files,
    ...(stamp ? [inline('timestamp.tsr', stamp.response)] : []),
    inline('certificate.pdf', await makeCertificate(deps, facts)),
    inline('README.txt', readme),
  ];
  const manifest: Manifest = {
    format: FORMAT,
    verification_id: row.id,
    origin: head.origin,
    created_at: createdAt.toISOString(),
    ...(row.livemode ? {} : { livemode: false as const }),
    keys: { log: vkeyOf(head.key), bundle: vkeyOf(signer) },
    files: files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
  };
  const manifestBytes = Buffer.from(canonical(manifest));
  return [
    inline('manifest.json', manifestBytes),
    inline('manifest.sig', signNote(manifestText(manifestBytes), signer)),
    ...files,
  ];
}
