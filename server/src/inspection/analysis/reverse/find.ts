import { type Agreement, confirmAny } from '@firsthand/forensics/phash/confirm.ts';
import type { Probe } from '@firsthand/forensics/phash/fingerprint.ts';
import type { Plane, Region } from '@firsthand/forensics/phash/plane.ts';
import { round } from '@firsthand/forensics/pixels/round.ts';
import type { Pool } from '../../../platform/db/sql.ts';
import { findPlaced } from './find-placed.ts';
import { CAME_BEFORE, matchOf, OWN, type PictureRow, type Search, type StoredMatch } from './match.ts';
import { bitString, candidates, probeKeys } from './slots.ts';
import { nearest, readUnfiled, type Unfiled } from './unfiled.ts';

/** PDQ's distance limit for "the same picture", in bits. The lookup finds every entry within it. */
export const EXACT = 31;
/** Candidates up to this distance count only when geometry confirms that the pictures overlap. */
const CANDIDATE = 63;
/** At most this many of the nearest pictures are confirmed; more matches would add no information. */
const MAX_PICTURES = 50;

interface Hit {
  entry_id: string;
  distance: number;
}

/**
 * Returns entries within {@link CANDIDATE} bits of one hash: all of those within {@link EXACT}, most of the others. Several look-ups share
 * `unfiled`, read before the first.
 */
export async function lookUp(
  db: Pick<Pool, 'query'>,
  scopes: readonly number[],
  hash: Uint8Array,
  unfiled?: Unfiled,
): Promise<Hit[]> {
  const waiting = unfiled ?? (await readUnfiled(db, scopes));
  const near = nearest(waiting, hash, CANDIDATE);
  if (!waiting.filed) return near;
  const known = new Set(near.map(hit => hit.entry_id));
  return [...near, ...(await lookUpFiled(db, scopes, hash)).filter(hit => !known.has(hit.entry_id))];
}

async function lookUpFiled(db: Pick<Pool, 'query'>, scopes: readonly number[], hash: Uint8Array): Promise<Hit[]> {
  const found = await db.query<{ slot: number; records: string }>({
    name: 'reverse_slots',
    // The driver reads bytes as hexadecimal digits, which are half as long again as base64 and slower on both sides.
    text: `select ((key >> 16) & 15)::smallint as slot, encode(records, 'base64') as records
           from reverse_slots where key = any($1::bigint[])`,
    values: [probeKeys(scopes, hash)],
  });
  const entries = candidates(
    found.rows.map(({ slot, records }) => ({ slot, records: Buffer.from(records, 'base64') })),
    hash,
  );
  if (entries.length === 0) return [];
  const { rows } = await db.query<Hit>({
    name: 'reverse_distances',
    text: `select id as entry_id, distance
           from reverse_entries cross join lateral (select bit_count(hash # $2::bit(256))::integer as distance offset 0) near
           where id = any($1::bigint[]) and distance <= ${CANDIDATE}`,
    values: [entries, bitString(hash)],
  });
  return rows;
}

interface EntryRow extends PictureRow {
  entry_id: string;
  region: number[];
  frame: number[];
}

/** Returns the stored pictures that show the same content: those that agree as a whole, closest first, then the others. */
export async function findStored(pool: Pool, search: Search): Promise<StoredMatch[]> {
  const matches = await findWhole(pool, search);
  const known = new Set(matches.map(({ picture }) => picture));
  return [...matches.map(({ match }) => match), ...(await findPlaced(pool, search, known))];
}

/** Finds pictures by the hashes of the whole and of its windows. Opens no transaction. */
async function findWhole(pool: Pool, search: Search): Promise<{ picture: string; match: StoredMatch }[]> {
  const agreements = new Map<string, { probe: Probe; distance: number }[]>();
  const unfiled = await readUnfiled(pool, search.scopes);
  for (const probe of search.probes)
    for (const { entry_id, distance } of await lookUp(pool, search.scopes, probe.hash, unfiled)) {
      const list = agreements.get(entry_id) ?? [];
      if (!list.some(known => known.probe === probe)) list.push({ probe, distance });
      agreements.set(entry_id, list);
    }
  if (agreements.size === 0) return [];
  const { rows } = await pool.query<EntryRow>(
    `with own as (${OWN})
     select entries.id as entry_id, entries.picture_id, region, frame, capture_id, pictures.verification_id,
       coalesce(captures.analysis_turn > own.turn, false) as later, lists.name as list, label, thumbnail, thumbnail_width,
       thumbnail_height
     from reverse_entries entries join reverse_pictures pictures on pictures.id = picture_id
       left join reverse_lists lists on lists.id = list_id
       left join captures on captures.id = capture_id left join own on true
     where entries.id = any($3::bigint[])
       and (capture_id is null or (pictures.verification_id <> $2 and ${CAME_BEFORE}))`,
    [search.captureId, search.verificationId, [...agreements.keys()]],
  );
  const pictures = Map.groupBy(rows, row => row.picture_id);
  const candidates = [...pictures.values()].map(entries => ({
    row: entries[0]!,
    agreements: entries.flatMap(entry =>
      agreements.get(entry.entry_id)!.map(({ probe, distance }) => ({
        probe,
        distance,
        entry: { region: region(entry.region), frame: region(entry.frame) },
      })),
    ),
  }));
  const nearest = (list: Agreement[]) => Math.min(...list.map(agreement => agreement.distance));
  return candidates
    .sort((a, b) => nearest(a.agreements) - nearest(b.agreements))
    .slice(0, MAX_PICTURES)
    .flatMap(({ row, agreements }) => {
      const match = judge(search.plane, row, agreements);
      return match ? [{ picture: row.picture_id, match }] : [];
    })
    .sort((a, b) => a.match.distance - b.match.distance);
}

const region = ([left, top, right, bottom]: number[]): Region => ({ left, top, right, bottom }) as Region;

function judge(plane: Plane, row: EntryRow, agreements: Agreement[]): StoredMatch | undefined {
  const distance = Math.min(...agreements.map(agreement => agreement.distance));
  const match = matchOf(row, distance);
  if (!row.thumbnail) return distance <= EXACT ? match : undefined;
  const thumbnail = { data: row.thumbnail, width: row.thumbnail_width!, height: row.thumbnail_height! };
  const { confirmed, correlation, overlap, share, agreement } = confirmAny(plane, thumbnail, agreements);
  if (!confirmed) return undefined;
  return {
    ...match,
    distance: agreement.distance,
    correlation: round(correlation),
    overlap: round(overlap),
    share: round(share),
  };
}
