import { fromHex } from '@firsthand/forensics/phash/hash.ts';
import { many, type Queryable } from '../db/sql.ts';
import { type CaptureRow, capturesOf, type VerificationRow } from '../verifications/row.ts';
import { type CaptureFacts, type CaseFacts, factsOf, pdqOf, type Repeat } from './facts.ts';
import { resembles } from './repeats.ts';

/** Everything the record holds about a finalized case; from the database alone. */
export async function gatherFacts(db: Queryable, row: VerificationRow): Promise<CaseFacts> {
  const captures = (await capturesOf(db, row.id)).map(factsOf);
  return {
    captures,
    repeats: await findRepeats(db, row, captures),
    narrative: row.narrative ?? '',
    finalizedAt: (row.finalized_at ?? row.created_at).getTime(),
    verdict: row.verdict,
    namedPlaces: [],
  };
}

/** How many earlier pictures with a perceptual hash are compared: the latest ones. */
const COMPARED = 20_000;

interface Earlier {
  id: string;
  verification_id: string;
  sha256: string;
  metadata: CaptureRow['metadata'];
  external_ref: string | null;
  asset_ref: string | null;
}

/** Earlier captures of the tenant, in the same mode, that are the same file or look the same. At most 20 a capture. */
async function findRepeats(db: Queryable, row: VerificationRow, captures: CaptureFacts[]): Promise<Repeat[]> {
  const columns = `c.id, c.verification_id, c.sha256, c.metadata, v.external_ref, v.private ->> 'asset_ref' as asset_ref`;
  const source = `captures c join verifications v on v.id = c.verification_id
     where c.tenant_id = $1 and v.livemode = $2 and c.verification_id <> $3 and c.created_at < $4`;
  const scope = [row.tenant_id, row.livemode, row.id, row.finalized_at ?? row.created_at];
  const sameFile = await many<Earlier>(
    db,
    `select ${columns} from ${source} and c.sha256 = any($5) order by c.id desc limit 500`,
    [...scope, captures.map(capture => capture.sha256)],
  );
  const hashed = captures.filter(capture => capture.pdq !== null);
  const comparable =
    hashed.length === 0
      ? []
      : await many<Earlier>(
          db,
          `select ${columns} from ${source} and c.metadata ? 'pdq' order by c.id desc limit ${COMPARED}`,
          scope,
        );
  const sameSubject = (other: Earlier) =>
    (row.external_ref !== null && other.external_ref === row.external_ref) ||
    (row.private.asset_ref !== undefined && other.asset_ref === row.private.asset_ref);
  const hashes = comparable.flatMap(other => {
    const pdq = pdqOf(other.metadata?.pdq);
    return pdq ? [{ other, hash: fromHex(pdq) }] : [];
  });
  return captures.flatMap(capture => {
    const files = sameFile.filter(other => other.sha256 === capture.sha256);
    const own = capture.pdq === null ? null : fromHex(capture.pdq);
    const looks = hashes.flatMap(({ other, hash }) =>
      own && other.sha256 !== capture.sha256 && resembles(hash, own) ? [other] : [],
    );
    const repeatOf = (other: Earlier, kind: Repeat['kind']): Repeat => ({
      captureId: capture.id,
      otherVerificationId: other.verification_id,
      kind,
      sameSubject: sameSubject(other),
    });
    return [
      ...files.map(other => repeatOf(other, 'same_file')),
      ...looks.map(other => repeatOf(other, 'near_duplicate')),
    ].slice(0, 20);
  });
}
