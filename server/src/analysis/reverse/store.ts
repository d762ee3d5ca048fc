import type { Fingerprint, FingerprintEntry, Thumbnail } from '@firsthand/forensics/phash/fingerprint.ts';
import { one, type Queryable } from '../../db/sql.ts';
import { bitString, slotKeys } from './slots.ts';

/** What a search may see together; see the migration. */
export interface Scope {
  tenantId: string | null;
  livemode: boolean | null;
}

/** The scope's number, made when it is first needed. */
export async function scopeId(db: Queryable, { tenantId, livemode }: Scope): Promise<number> {
  const row = await one<{ id: string }>(
    db,
    `with made as (
       insert into reverse_scopes (tenant_id, livemode) values ($1, $2) on conflict do nothing returning id
     )
     select id from made
     union all
     select id from reverse_scopes where tenant_id is not distinct from $1 and livemode is not distinct from $2
     limit 1`,
    [tenantId, livemode],
  );
  // Another transaction may have made it since the statement began.
  return row ? Number(row.id) : scopeId(db, { tenantId, livemode });
}

export type PictureOf =
  | { captureId: string; verificationId: string; tenantId: string; livemode: boolean }
  | { listId: number; scope: number; label: string };

type Kept = Pick<Fingerprint, 'hash' | 'quality' | 'entries'> & { thumbnail?: Thumbnail };

/**
 * Files a picture's fingerprint. One that is filed already (the same capture, or the same label of a list) stays as it is.
 * @returns whether it was new
 */
export async function rememberPicture(db: Queryable, of: PictureOf, kept: Kept, now: Date): Promise<boolean> {
  const scope = 'scope' in of ? of.scope : await scopeId(db, of);
  const own = 'captureId' in of;
  const picture = await one<{ id: string }>(
    db,
    `insert into reverse_pictures (scope_id, capture_id, verification_id, list_id, label, pdq, quality, thumbnail,
       thumbnail_width, thumbnail_height, created_at)
     values ($1, $2, $3, $4, $5, $6::bit(256), $7, $8, $9, $10, $11) on conflict do nothing returning id`,
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
    ],
  );
  if (!picture) return false;
  for (const entry of kept.entries) await fileEntry(db, scope, picture.id, entry);
  return true;
}

async function fileEntry(db: Queryable, scope: number, picture: string, entry: FingerprintEntry): Promise<void> {
  const corners = (region: FingerprintEntry['region']) => [region.left, region.top, region.right, region.bottom];
  await db.query(
    `with entry as (
       insert into reverse_entries (picture_id, hash, region, frame) values ($1, $2::bit(256), $3, $4) returning id, hash
     )
     insert into reverse_slots (key, entry_id, hash) select key, entry.id, entry.hash from entry, unnest($5::bigint[]) key`,
    [picture, bitString(entry.hash), corners(entry.region), corners(entry.frame), slotKeys(scope, entry.hash)],
  );
}

/** Removes the fingerprints of captures: what erasing their pictures calls for. */
export async function forgetCaptures(db: Queryable, captureIds: readonly string[]): Promise<void> {
  await db.query(
    `delete from reverse_slots where (key, entry_id) in (
       select (scope_id << 20) | (slot << 16) | substring(hash from slot * 16 + 1 for 16)::integer, entries.id
       from reverse_pictures join reverse_entries entries on picture_id = reverse_pictures.id, generate_series(0, 15) slot
       where capture_id = any($1))`,
    [captureIds],
  );
  await db.query('delete from reverse_pictures where capture_id = any($1)', [captureIds]);
}
