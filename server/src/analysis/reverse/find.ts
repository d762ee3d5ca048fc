import { type Agreement, confirmAny } from '@firsthand/forensics/phash/confirm.ts';
import type { Probe } from '@firsthand/forensics/phash/fingerprint.ts';
import type { Plane, Region } from '@firsthand/forensics/phash/plane.ts';
import { round } from '@firsthand/forensics/pixels/round.ts';
import type { Pool } from '../../db/sql.ts';
import { bitString, candidates, probeKeys } from './slots.ts';

/** PDQ's distance limit for "the same picture", in bits. The lookup finds every entry within it. */
export const EXACT = 31;
/** Candidates up to this distance count only when geometry confirms that the pictures overlap. */
const CANDIDATE = 63;
/** At most this many of the nearest pictures are confirmed; more matches would add no information. */
const MAX_PICTURES = 50;

export interface StoredMatch {
  /** `earlier_capture`: a capture of the same tenant. `list`: an entry of an imported list. */
  source: 'earlier_capture' | 'list';
  capture_id?: string;
  verification_id?: string;
  list?: string;
  label?: string;
  /** Number of differing bits between the closest pair of hashes. */
  distance: number;
  /** Similarity of the overlapping areas; absent for a hash that was imported without its picture. */
  correlation?: number;
  overlap?: number;
}

export interface Search {
  scopes: number[];
  probes: readonly Probe[];
  plane: Plane;
  /** The search skips captures of this verification and captures made after `captureId`. */
  verificationId: string;
  captureId: string;
}

interface Hit {
  entry_id: string;
  distance: number;
}

/** Returns entries within {@link CANDIDATE} bits of one hash: all of those within {@link EXACT}, most of the others. */
export async function lookUp(db: Pick<Pool, 'query'>, scopes: readonly number[], hash: Uint8Array): Promise<Hit[]> {
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

interface EntryRow {
  entry_id: string;
  picture_id: string;
  region: number[];
  frame: number[];
  capture_id: string | null;
  verification_id: string | null;
  list: string | null;
  label: string | null;
  thumbnail: Buffer | null;
  thumbnail_width: number | null;
  thumbnail_height: number | null;
}

/** Returns the stored pictures that show the same content, closest first. Opens no transaction. */
export async function findStored(pool: Pool, search: Search): Promise<StoredMatch[]> {
  const agreements = new Map<string, { probe: Probe; distance: number }[]>();
  for (const probe of search.probes)
    for (const { entry_id, distance } of await lookUp(pool, search.scopes, probe.hash)) {
      const list = agreements.get(entry_id) ?? [];
      if (!list.some(known => known.probe === probe)) list.push({ probe, distance });
      agreements.set(entry_id, list);
    }
  if (agreements.size === 0) return [];
  const { rows } = await pool.query<EntryRow>(
    `select entries.id as entry_id, picture_id, region, frame, capture_id, verification_id, lists.name as list, label,
       thumbnail, thumbnail_width, thumbnail_height
     from reverse_entries entries join reverse_pictures pictures on pictures.id = picture_id
       left join reverse_lists lists on lists.id = list_id
     where entries.id = any($1::bigint[]) and (capture_id is null or (verification_id <> $2 and capture_id < $3))`,
    [[...agreements.keys()], search.verificationId, search.captureId],
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
    .flatMap(candidate => judge(search.plane, candidate.row, candidate.agreements) ?? [])
    .sort((a, b) => a.distance - b.distance);
}

const region = ([left, top, right, bottom]: number[]): Region => ({ left, top, right, bottom }) as Region;

function judge(plane: Plane, row: EntryRow, agreements: Agreement[]): StoredMatch | undefined {
  const distance = Math.min(...agreements.map(agreement => agreement.distance));
  const match: StoredMatch = row.capture_id
    ? { source: 'earlier_capture', capture_id: row.capture_id, verification_id: row.verification_id ?? '', distance }
    : { source: 'list', list: row.list ?? '', label: row.label ?? '', distance };
  if (!row.thumbnail) return distance <= EXACT ? match : undefined;
  const thumbnail = { data: row.thumbnail, width: row.thumbnail_width!, height: row.thumbnail_height! };
  const { confirmed, correlation, overlap, agreement } = confirmAny(plane, thumbnail, agreements);
  if (!confirmed) return undefined;
  return { ...match, distance: agreement.distance, correlation: round(correlation), overlap: round(overlap) };
}
