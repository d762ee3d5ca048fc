import type { Probe } from '@firsthand/forensics/phash/fingerprint.ts';
import type { Keypoint } from '@firsthand/forensics/phash/keypoints.ts';
import type { Plane } from '@firsthand/forensics/phash/plane.ts';

export interface StoredMatch {
  /** `earlier_capture`: a capture of the same tenant. `list`: an entry of an imported list. */
  source: 'earlier_capture' | 'list';
  capture_id?: string;
  verification_id?: string;
  /** The matched capture was submitted after this one, but analysed before it. */
  later?: true;
  list?: string;
  label?: string;
  /** Number of differing bits between the closest pair of hashes. */
  distance: number;
  /** Similarity of the common area; absent, as the two shares, for a hash that was imported without its picture. */
  correlation?: number;
  /** Shares that the common area has of the stored picture and of this one. */
  overlap?: number;
  share?: number;
  /** Corners that agree on the place of this picture on the stored one; present where the hashes did not find it. */
  corners?: number;
}

/** A crop by a messenger or a screenshot takes less. */
const WHOLE = 0.9;

/** True when the two pictures are the same as a whole, mirrored or not: neither is a part of the other, turned, tilted or bent. */
export const isWhole = ({ corners, overlap = 0, share = 0 }: StoredMatch): boolean =>
  corners === undefined && overlap >= WHOLE && share >= WHOLE;

export interface Search {
  scopes: number[];
  probes: readonly Probe[];
  plane: Plane;
  corners: readonly Keypoint[];
  /** The search skips captures of this verification, and those that came after `captureId`: {@link CAME_BEFORE}. */
  verificationId: string;
  captureId: string;
}

/**
 * SQL: whether the picture in `pictures` and `captures` came before the capture that `own` names. A capture comes after
 * another when it was submitted later (a lane gives its turns in the order of the commits) and its fingerprint was stored later. So of two
 * captures with the same content, however they overlap, the one whose fingerprint was stored last finds the other.
 */
export const CAME_BEFORE = `coalesce(pictures.id < own.picture_id or captures.analysis_turn < own.turn, true)`;
/** SQL: the place of the capture `$1` in both orders. */
export const OWN = `select pictures.id as picture_id, captures.analysis_turn as turn
  from captures left join reverse_pictures pictures on capture_id = captures.id where captures.id = $1`;

export interface PictureRow {
  picture_id: string;
  capture_id: string | null;
  verification_id: string | null;
  later: boolean;
  list: string | null;
  label: string | null;
  thumbnail: Buffer | null;
  thumbnail_width: number | null;
  thumbnail_height: number | null;
}

export function matchOf(row: PictureRow, distance: number): StoredMatch {
  if (!row.capture_id) return { source: 'list', list: row.list ?? '', label: row.label ?? '', distance };
  return {
    source: 'earlier_capture',
    capture_id: row.capture_id,
    verification_id: row.verification_id ?? '',
    distance,
    ...(row.later ? { later: true } : {}),
  };
}
