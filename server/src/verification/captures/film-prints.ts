import { type FilmPrint, filedKeys, isSameFilm, soughtKeys } from '@firsthand/forensics/presence/film-print.ts';
import { many, one, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import type { CaptureRow } from '../verifications/row.ts';

/** An arbitrary number that stands for "filing films" among the advisory locks of a database. */
const LOCK = 4_710_310;
/** Films that are compared step by step at most: those that share the most keys. Each takes about 0.2 ms. */
const CANDIDATES = 32;

/**
 * Files the print of a capture's film, and says whether the same film, or a part of it, came before under any account's link. Test films are
 * compared with those of other accounts only, because a company's own tests play one film again and again; live and test films never meet.
 *
 * Its own short transaction: one film is filed at a time, so of two that arrive at once the second sees the first. A second analysis of a
 * capture gets the answer of the first.
 */
export function filmCameBefore(
  deps: Pick<Deps, 'db'>,
  capture: Pick<CaptureRow, 'id' | 'tenant_id'>,
  livemode: boolean,
  print: FilmPrint,
): Promise<boolean> {
  return transaction(deps.db, async tx => {
    // Before the lock of all films, which must not wait for an erasure of this capture.
    const there = await one(tx, 'select 1 from captures where id = $1 for key share', [capture.id]);
    if (!there) return false;
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
    const before = await one<{ came_before: boolean }>(
      tx,
      'select came_before from film_prints where capture_id = $1',
      [capture.id],
    );
    if (before) return before.came_before;
    const cameBefore = await isKnown(tx, capture.tenant_id, livemode, print);
    const keys = filedKeys(print).map(inMode(livemode));
    await tx.query(
      `with filed as (
         insert into film_prints (capture_id, tenant_id, livemode, print, keys, came_before)
         values ($1, $2, $3, $4, $5, $6) returning film, keys
       )
       insert into film_keys (key, film) select distinct key, film from filed, unnest(keys) key`,
      [capture.id, capture.tenant_id, livemode, Buffer.from(print), keys, cameBefore],
    );
    return cameBefore;
  });
}

async function isKnown(tx: Tx, tenantId: string, livemode: boolean, print: FilmPrint): Promise<boolean> {
  const candidates = await many<{ print: Buffer }>(
    tx,
    `select p.print from (
       select film, count(*) as shared from film_keys where key = any($1) group by film
     ) hit join film_prints p using (film)
     where p.livemode = $2 and ($2 or p.tenant_id <> $3)
     order by hit.shared desc, film limit ${CANDIDATES}`,
    [soughtKeys(print).map(inMode(livemode)), livemode, tenantId],
  );
  return candidates.some(earlier => isSameFilm(earlier.print, print));
}

/** Test films have other keys, so they hardly lengthen the lookups of live ones. */
const inMode =
  (livemode: boolean) =>
  (key: number): number =>
    livemode ? key : ~key;
