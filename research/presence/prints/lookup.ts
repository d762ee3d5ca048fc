import { filedKeys, soughtKeys } from '@firsthand/forensics/presence/film-print.ts';
import { filmCameBefore } from 'firsthand/verification/captures/film-prints.ts';
import { median, percentile } from '../../../bench/src/measure.ts';
import { type OwnService, startOwnService } from '../../../bench/src/own-service.ts';
import { createVerification, phone, photograph, post } from '../../../bench/src/receivers.ts';
import { printOfHand } from './hands.ts';

const CHUNK = 500;
const TIMES = 200;
/** Not among the seeds of the table of hands. */
const FIRST_SEED = 1_000_000;

/** Files films in the database of a service of its own, and times filing one more beside a bare probe of the index for its keys. */
export async function reportLookup(count: number, print: (line?: string) => void): Promise<void> {
  const service = await startOwnService();
  try {
    const pool = await service.openPool(2);
    const verification = await withPhoto(service);
    // No photo stands behind these films.
    await pool.query('alter table film_prints drop constraint film_prints_capture_id_fkey');
    for (let at = 0; at < count; at += CHUNK) {
      const prints = Array.from({ length: Math.min(CHUNK, count - at) }, (_, i) => printOfHand(FIRST_SEED + at + i));
      await pool.query(
        `with filed as (
           insert into film_prints (capture_id, tenant_id, livemode, print, keys, came_before)
           select 'cap_' || ($1 + i), 'tnt_bench', true, decode(print, 'hex'), keys::int[], false
           from unnest($2::text[], $3::text[]) with ordinality each (print, keys, i) returning film, keys
         ) insert into film_keys (key, film) select distinct key, film from filed, unnest(keys) key`,
        [at, prints.map(each => Buffer.from(each).toString('hex')), prints.map(each => `{${filedKeys(each).join()}}`)],
      );
    }
    await pool.query('analyze film_prints, film_keys');
    const { rows } = await pool.query<{ films: string; keys: string; bytes: string }>(
      `select (select count(*) from film_prints) as films, (select count(*) from film_keys) as keys,
         pg_total_relation_size('film_prints') + pg_total_relation_size('film_keys') as bytes`,
    );
    const { films, keys, bytes } = rows[0]!;
    const bare: number[] = [];
    const filed: number[] = [];
    for (let i = 0; i < TIMES; i++) {
      const own = printOfHand(FIRST_SEED + count + i);
      const sought = soughtKeys(own);
      bare.push(await timed(() => pool.query('select film from film_keys where key = any($1)', [sought])));
      const id = `cap_new_${i}`;
      await pool.query(
        'insert into captures select (jsonb_populate_record(c, $1)).* from captures c where verification_id = $2 limit 1',
        [{ id }, verification],
      );
      filed.push(await timed(() => filmCameBefore({ db: pool }, { id, tenant_id: 'tnt_bench' }, true, own)));
    }
    print('\n## Look-up\n');
    print(
      `${Number(films).toLocaleString('en')} films are filed under ${Number(keys).toLocaleString('en')} keys, in ${Math.round(Number(bytes) / Number(films)).toLocaleString('en')} bytes each with their indexes.\n`,
    );
    print('| | median | 95% within |\n|---|---|---|');
    const row = (name: string, list: number[]): void =>
      print(`| ${name} | ${median(list).toFixed(1)} ms | ${percentile(list, 0.95).toFixed(1)} ms |`);
    row('bare probe of the index for the keys of one film', bare);
    row('one film: look-up, comparison, filing, commit', filed);
  } finally {
    await service.close();
  }
}

/** A verification with a photo, whose row the captures of this bench are copied from. */
async function withPhoto({ url, tenant }: OwnService): Promise<string> {
  const from = phone('127.0.0.2');
  const { id } = await createVerification(url, tenant, from, { max_captures: 2 });
  const image_base64 = (await photograph(1280, 960)).toString('base64');
  await post(url, `/v1/verifications/${id}/captures`, { image_base64 }, from);
  await from.close();
  return id;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}
