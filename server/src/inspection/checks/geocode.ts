import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { askJson } from '../../platform/lib/ask-json.ts';
import type { Place } from './distance.ts';
import { decodeCentre } from './open-location-code.ts';

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 1_000_000;
/** How long a failed lookup stays valid. The map may gain a missing address later; a found address does not move. */
const NEGATIVE_TTL_MS = 24 * 3_600_000;

/** Parses a place written as `lat,lng` or as a full Open Location Code (plus.codes), without a geocoder. */
export function literalPlace(text: string): Place | null {
  const pair = /^\s*([+-]?\d{1,2}(?:\.\d+)?)\s*,\s*([+-]?\d{1,3}(?:\.\d+)?)\s*$/.exec(text);
  if (pair) {
    const place = { latitude: Number(pair[1]), longitude: Number(pair[2]) };
    return Math.abs(place.latitude) <= 90 && Math.abs(place.longitude) <= 180 ? place : null;
  }
  return decodeCentre(text.trim());
}

/**
 * Resolves a declared place. Asks the geocoder (Nominatim's /search, format jsonv2) at most once for each address and
 * keeps the answer. Null: the place cannot be resolved. Throws when the geocoder does not answer, so that the job tries
 * again.
 */
export async function geocode(deps: Pick<Deps, 'config' | 'db' | 'clock'>, text: string): Promise<Place | null> {
  const literal = literalPlace(text);
  const base = deps.config.geocoderUrl;
  if (literal || !base) return literal;
  const query = queryOf(text);
  const known = await one<{ latitude: number | null; longitude: number | null; answered_at: Date }>(
    deps.db,
    'select latitude, longitude, answered_at from geocodes where query = $1',
    [query],
  );
  const now = deps.clock.now();
  if (known?.latitude != null && known.longitude != null) {
    return { latitude: known.latitude, longitude: known.longitude };
  }
  if (known && now.getTime() - known.answered_at.getTime() < NEGATIVE_TTL_MS) return null;
  const place = await ask(base, text);
  await deps.db.query(
    `insert into geocodes (query, latitude, longitude, answered_at) values ($1, $2, $3, $4)
     on conflict (query) do update set latitude = $2, longitude = $3, answered_at = $4`,
    [query, place?.latitude ?? null, place?.longitude ?? null, now],
  );
  return place;
}

const queryOf = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

/** Deletes the answers on declared places. Another verification with the same place asks the geocoder again. */
export async function eraseGeocodes(tx: Queryable, places: readonly string[]): Promise<void> {
  if (places.length > 0) await tx.query('delete from geocodes where query = any($1)', [places.map(queryOf)]);
}

async function ask(base: string, text: string): Promise<Place | null> {
  const url = `${base}/search?${new URLSearchParams({ q: text, format: 'jsonv2', limit: '1' })}`;
  const { status, body } = await askJson(url, {
    headers: { accept: 'application/json', 'user-agent': 'firsthand' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    maxBytes: MAX_ANSWER_BYTES,
  });
  if (status !== 200) throw new Error(`the geocoder answered ${status}`);
  const first = Array.isArray(body) ? (body[0] as { lat?: unknown; lon?: unknown } | undefined) : undefined;
  const place = { latitude: Number(first?.lat), longitude: Number(first?.lon) };
  const valid = Math.abs(place.latitude) <= 90 && Math.abs(place.longitude) <= 180;
  return first && valid ? place : null;
}
