import type { Fingerprint, FingerprintEntry } from '@firsthand/forensics/phash/fingerprint.ts';
import { many, one, type Queryable } from '../../../platform/db/sql.ts';
import { filedWords, packCorners } from './corners.ts';
import { file, fileWhenMany } from './filing.ts';
import { bitString, filings } from './slots.ts';

/** Pictures that one search may see together: see `reverse_scopes` in `0001_baseline.sql`. */
export interface Scope {
  tenantId: string | null;
  livemode: boolean | null;
}

/** Returns the scope's number, and creates it on first use. */
export async function scopeId(db: Queryable, { tenantId, livemode }: Scope): Promise<number> {
  const row = await one<{ id: string }>(
    db,
    `with made as (
       insert into reverse_scopes (tenant_id, livemode) values ($1, $2)
       on conflict do nothing returning id
     )
     select id from made
     union all
     select id from reverse_scopes where tenant_id is not distinct from $1 and livemode is not distinct from $2
     limit 1`,
    [tenantId, livemode],
  );
  // Another transaction may have inserted the row since this statement began.
  return row ? Number(row.id) : scopeId(db, { tenantId, livemode });
}

export type PictureOf =
  | { captureId: string; verificationId: string; tenantId: string; livemode: boolean }
  | { listId: number; scope: number; label: string };

type Kept = Pick<Fingerprint, 'hash' | 'quality' | 'entries'> & Partial<Pick<Fingerprint, 'thumbnail' | 'corners'>>;

/**
 * Stores a picture's fingerprint. An existing one (same capture, or same label in a list) stays unchanged. Captures of one
 * scope are stored one after the other until each commit, so the numbers of their pictures are in the order in which
 * searches see them.
 * @returns true when it was new
 */
export async function rememberPicture(db: Queryable, of: PictureOf, kept: Kept, now: Date): Promise<boolean> {
  const scope = 'scope' in of ? of.scope : await scopeId(db, of);
  const own = 'captureId' in of;
  const corners = kept.corners?.length ? kept.corners : null;
  if (own) await db.query("select pg_advisory_xact_lock(hashtextextended('reverse scope ' || $1, 0))", [scope]);
  const picture = await one<{ id: string }>(
    db,
    `insert into reverse_pictures (scope_id, capture_id, verification_id, list_id, label, pdq, quality, thumbnail,
       thumbnail_width, thumbnail_height, created_at, corners, words)
     values ($1, $2, $3, $4, $5, $6::bit(256), $7, $8, $9, $10, $11, $12, $13) on conflict do nothing returning id`,
    [
      scope,
      own ? of.captureId : null,
      own ? of.verificationId : null,
      own ? null : of.listId,
      own ? null : of.label,
      bitString(kept.hash),
      kept.quality,
      kept.thumbnail ? Buffer.from(kept.thumbnail.data) : null,
      kept.thumbnail?.width ?? null,
      kept.thumbnail?.height ?? null,
      now,
      corners ? packCorners(corners) : null,
      corners ? filedWords(scope, corners) : null,
    ],
  );
  if (!picture) return false;
  const ids = await addEntries(db, picture.id, kept.entries);
  if (own) await fileWhenMany(db, scope, picture.id);
  else
    await file(
      db,
      kept.entries.flatMap((entry, n) => filings(scope, ids[n]!, entry.hash)),
    );
  return true;
}

/** Returns the numbers of the entries, in their order. */
async function addEntries(db: Queryable, picture: string, entries: readonly FingerprintEntry[]): Promise<number[]> {
  const corners = ({ left, top, right, bottom }: FingerprintEntry['region']) => [left, top, right, bottom];
  const rows = await many<{ id: string }>(
    db,
    `insert into reverse_entries (picture_id, hash, region, frame)
     select $1, hash::bit(256), array(select jsonb_array_elements_text(region)::real), array(select jsonb_array_elements_text(frame)::real)
     from rows from (unnest($2::text[]), unnest($3::jsonb[]), unnest($4::jsonb[])) with ordinality as e (hash, region, frame, place)
     order by place returning id`,
    [
      picture,
      entries.map(({ hash }) => bitString(hash)),
      entries.map(({ region }) => JSON.stringify(corners(region))),
      entries.map(({ frame }) => JSON.stringify(corners(frame))),
    ],
  );
  return rows.map(({ id }) => Number(id));
}

/** Removes the fingerprints of captures when their pictures are erased. */
export async function forgetCaptures(db: Queryable, captureIds: readonly string[]): Promise<void> {
  // Waits for a filing that has begun, so that the next statement sees its records.
  await db.query('select 1 from reverse_pictures where capture_id = any($1) order by id for update', [captureIds]);
  const entries = await many<{ id: string; scope_id: string; hash: Buffer }>(
    db,
    // `bit_send` puts four bytes of length first.
    `select entries.id, scope_id, substring(bit_send(hash) from 5) as hash
     from reverse_pictures pictures join reverse_entries entries on picture_id = pictures.id where capture_id = any($1)`,
    [captureIds],
  );
  const filed = entries.flatMap(({ id, scope_id, hash }) => filings(Number(scope_id), Number(id), hash));
  const of = [filed.map(({ key }) => key), filed.map(({ record }) => record)];
  await db.query('select 1 from reverse_slots where key = any($1::bigint[]) order by key, part for update', [of[0]]);
  await db.query(
    `update reverse_slots set records = kept.records
     from (select key, part, coalesce(string_agg(record, '' order by place) filter (where gone.key is null), '') as records
           from reverse_slots slots
             cross join lateral generate_series(1, octet_length(records), 14) place
             cross join lateral substring(records from place for 14) record
             left join unnest($1::bigint[], $2::bytea[]) as gone (key, record) using (key, record)
           where slots.key = any($1::bigint[])
           group by key, part) kept
     where kept.key = reverse_slots.key and kept.part = reverse_slots.part`,
    of,
  );
  await db.query("delete from reverse_slots where key = any($1::bigint[]) and records = ''", [of[0]]);
  await db.query('delete from reverse_pictures where capture_id = any($1)', [captureIds]);
}
