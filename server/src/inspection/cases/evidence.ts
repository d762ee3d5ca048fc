import { fromHex } from '@firsthand/forensics/phash/hash.ts';
import { many } from '../../platform/db/sql.ts';
import { capturesOf, type VerificationRow } from '../../verification/verifications/row.ts';
import { EXACT, lookUp } from '../analysis/reverse/find.ts';
import { readUnfiled } from '../analysis/reverse/unfiled.ts';
import { type CaptureFacts, type CaseFacts, factsOf, type Repeat } from './facts.ts';

/** The minimum PDQ quality of a hash worth comparing (facebook/ThreatExchange). */
const MIN_QUALITY = 50;
const MAX_REPEATS = 20;

type Db = Parameters<typeof lookUp>[0];

/** Gathers everything the record holds about a finalized case, only from the database. */
export async function gatherFacts(db: Db, row: VerificationRow): Promise<CaseFacts> {
  const own = (await capturesOf(db, row.id)).map(factsOf);
  const hashes = await hashesOf(db, own);
  const captures = own.map(capture => ({ ...capture, pdq: hashes.get(capture.id)?.hash ?? null }));
  return {
    captures,
    repeats: await findRepeats(db, row, captures, hashes),
    narrative: row.narrative ?? '',
    finalizedAt: (row.finalized_at ?? row.created_at).getTime(),
    verdict: row.verdict,
    namedPlaces: [],
  };
}

type Hashes = Map<string, { hash: string; scope: number }>;

/** Reads the perceptual hashes of the captures, with the scope in which earlier captures are visible. */
async function hashesOf(db: Db, captures: readonly CaptureFacts[]): Promise<Hashes> {
  const rows = await many<{ capture_id: string; scope_id: string; pdq: string }>(
    db,
    'select capture_id, scope_id, pdq::text from reverse_pictures where capture_id = any($1) and quality >= $2',
    [captures.map(capture => capture.id), MIN_QUALITY],
  );
  const hex = (bits: string) => bits.replace(/.{4}/g, four => Number.parseInt(four, 2).toString(16));
  return new Map(rows.map(row => [row.capture_id, { hash: hex(row.pdq), scope: Number(row.scope_id) }]));
}

interface Earlier {
  id: string;
  verification_id: string;
  sha256: string;
  external_ref: string | null;
  asset_ref: string | null;
}

/** Finds the tenant's earlier captures in the same mode that are the same file or show the same picture. */
async function findRepeats(db: Db, row: VerificationRow, captures: CaptureFacts[], hashes: Hashes): Promise<Repeat[]> {
  const alike = new Map<string, string[]>();
  const scopes = [...new Set([...hashes.values()].map(({ scope }) => scope))];
  const unfiled = await readUnfiled(db, scopes);
  for (const [id, { hash, scope }] of hashes) {
    const hits = await lookUp(db, [scope], fromHex(hash), unfiled);
    const entries = hits.filter(hit => hit.distance <= EXACT).map(hit => hit.entry_id);
    if (entries.length > 0) alike.set(id, await capturesBehind(db, entries));
  }
  const earlier = await many<Earlier>(
    db,
    `select c.id, c.verification_id, c.sha256, v.external_ref, v.private ->> 'asset_ref' as asset_ref
     from captures c join verifications v on v.id = c.verification_id
     where c.tenant_id = $1 and v.livemode = $2 and c.verification_id <> $3 and c.created_at < $4
       and (c.sha256 = any($5) or c.id = any($6))
     order by c.id desc limit 500`,
    [
      row.tenant_id,
      row.livemode,
      row.id,
      row.finalized_at ?? row.created_at,
      captures.map(capture => capture.sha256),
      [...alike.values()].flat(),
    ],
  );
  const sameSubject = (other: Earlier) =>
    (row.external_ref !== null && other.external_ref === row.external_ref) ||
    (row.private.asset_ref !== undefined && other.asset_ref === row.private.asset_ref);
  return captures.flatMap(capture => {
    const repeatOf = (other: Earlier): Repeat[] => {
      const sameFile = other.sha256 === capture.sha256;
      if (!sameFile && !alike.get(capture.id)?.includes(other.id)) return [];
      const kind = sameFile ? 'same_file' : 'near_duplicate';
      return [
        { captureId: capture.id, otherVerificationId: other.verification_id, kind, sameSubject: sameSubject(other) },
      ];
    };
    return earlier.flatMap(repeatOf).slice(0, MAX_REPEATS);
  });
}

async function capturesBehind(db: Db, entries: readonly string[]): Promise<string[]> {
  const rows = await many<{ capture_id: string }>(
    db,
    `select distinct capture_id from reverse_entries e join reverse_pictures p on p.id = e.picture_id
     where e.id = any($1::bigint[]) and capture_id is not null`,
    [entries],
  );
  return rows.map(row => row.capture_id);
}
