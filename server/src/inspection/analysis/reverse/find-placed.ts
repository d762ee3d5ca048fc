import { hamming } from '@firsthand/forensics/phash/hash.ts';
import { place } from '@firsthand/forensics/phash/place.ts';
import { round } from '@firsthand/forensics/pixels/round.ts';
import { many, type Pool, transaction } from '../../../platform/db/sql.ts';
import { turn } from '../../../platform/lib/event-loop.ts';
import { soughtWords, unpackCorners } from './corners.ts';
import { CAME_BEFORE, matchOf, OWN, type PictureRow, type Search, type StoredMatch } from './match.ts';

/** A picture in which fewer groups of corners are found is no candidate. A crop to 60% is found by 8 and more. */
const MIN_GROUPS = 4;
/** The placing of one candidate takes some 10 ms. */
const MAX_CANDIDATES = 12;

interface Candidate extends PictureRow {
  corners: Buffer;
  pdq: Buffer;
}

/**
 * Returns the stored pictures that the searched one shows a part of, turned, tilted or bent: found by corners, confirmed by
 * placing it on them. Skips pictures that `known` names.
 */
export async function findPlaced(pool: Pool, search: Search, known: ReadonlySet<string>): Promise<StoredMatch[]> {
  const { plane, corners, scopes } = search;
  if (corners.length === 0) return [];
  const groups = soughtWords(scopes, corners, plane.width / Math.max(plane.width, plane.height));
  const rows = await transaction(pool, async tx => {
    // The planner takes the words for frequent ones and would read the whole table, once for each group.
    await tx.query('set local enable_seqscan = off');
    return many<Candidate>(
      tx,
      `with own as (${OWN}), found as (
         select id, count(*) as groups
         from json_array_elements_text($4::json) as group_words (words)
           cross join lateral (select id from reverse_pictures where reverse_pictures.words && group_words.words::integer[]) hits
         group by id having count(*) >= ${MIN_GROUPS}
       )
       select pictures.id as picture_id, capture_id, pictures.verification_id,
         coalesce(captures.analysis_turn > own.turn, false) as later, lists.name as list, label, thumbnail, thumbnail_width,
         thumbnail_height, corners, substring(bit_send(pdq) from 5) as pdq
       from found join reverse_pictures pictures using (id)
         left join reverse_lists lists on lists.id = list_id
         left join captures on captures.id = capture_id left join own on true
       where pictures.scope_id = any($3::bigint[]) and not pictures.id = any($5::bigint[]) and thumbnail is not null
         and (capture_id is null or (pictures.verification_id <> $2 and ${CAME_BEFORE}))
       order by groups desc, pictures.id limit ${MAX_CANDIDATES}`,
      [
        search.captureId,
        search.verificationId,
        scopes,
        JSON.stringify(groups.map(words => `{${words.join(',')}}`)),
        [...known],
      ],
    );
  });
  const found: StoredMatch[] = [];
  for (const row of rows) {
    await turn();
    const thumbnail = { data: row.thumbnail!, width: row.thumbnail_width!, height: row.thumbnail_height! };
    const placed = place({ plane, corners }, { thumbnail, corners: unpackCorners(row.corners) });
    if (!placed?.confirmed) continue;
    found.push({
      ...matchOf(row, hamming(search.probes[0]!.hash, row.pdq)),
      correlation: round(placed.correlation),
      overlap: round(placed.overlap),
      share: round(placed.share),
      corners: placed.corners,
    });
  }
  return found;
}
