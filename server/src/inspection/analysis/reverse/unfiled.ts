import { one, type Pool } from '../../../platform/db/sql.ts';
import { bitCount } from './slots.ts';

/** Words of 32 bits in a hash. */
const WORDS = 8;
/** Bytes of one entry in the answer: its number (8) and its hash (32). */
const PACKED = 40;

/** The entries of some scopes that no slot holds yet. */
export interface Unfiled {
  entries: string[];
  /** Their hashes, one after the other. */
  words: Int32Array;
  /** Whether slots hold other entries of these scopes. */
  filed: boolean;
}

/** Reads them. A search reads them before the slots: an entry that is filed meanwhile is then found twice, never missed. */
export async function readUnfiled(db: Pick<Pool, 'query'>, scopes: readonly number[]): Promise<Unfiled> {
  const row = await one<{ packed: string | null; filed: boolean }>(
    db,
    // `bit_send` puts four bytes of length first. The driver reads bytes as hexadecimal digits, which cost more than base64.
    `select encode(string_agg(int8send(entries.id) || substring(bit_send(hash) from 5), ''), 'base64') as packed,
       (select bool_or(livemode is null or filed_to > 0) from reverse_scopes where id = any($1::bigint[])) as filed
     from reverse_scopes scopes
       join reverse_pictures pictures on scope_id = scopes.id and capture_id is not null and pictures.id > filed_to
       join reverse_entries entries on picture_id = pictures.id
     where scopes.id = any($1::bigint[])`,
    [scopes],
  );
  const bytes = Buffer.from(row?.packed ?? '', 'base64');
  const count = bytes.length / PACKED;
  const entries: string[] = [];
  const words = new Int32Array(count * WORDS);
  for (let n = 0; n < count; n++) {
    entries.push(bytes.readBigInt64BE(n * PACKED).toString());
    for (let word = 0; word < WORDS; word++) words[n * WORDS + word] = bytes.readInt32BE(n * PACKED + 8 + word * 4);
  }
  return { entries, words, filed: row?.filed ?? false };
}

/** Returns the entries within `most` bits of a hash. */
export function nearest({ entries, words }: Unfiled, hash: Uint8Array, most: number) {
  const view = new DataView(hash.buffer, hash.byteOffset, hash.byteLength);
  const sought = Int32Array.from({ length: WORDS }, (_, word) => view.getInt32(word * 4));
  const hits: { entry_id: string; distance: number }[] = [];
  for (let n = 0; n < entries.length; n++) {
    let distance = 0;
    // Half of the words suffice to tell most strangers.
    for (let word = 0; word < WORDS && distance <= most; word++)
      distance += bitCount(words[n * WORDS + word]! ^ sought[word]!);
    if (distance <= most) hits.push({ entry_id: entries[n]!, distance });
  }
  return hits;
}
