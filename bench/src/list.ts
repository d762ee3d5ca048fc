// Lists 100,000 verifications page by page while others are created, and compares each page with a bare keyset SELECT
// of the same rows: node bench/src/list.ts [--rows N]. Exits 1 unless each older verification was shown exactly once.
import { setTimeout as sleep } from 'node:timers/promises';
import type { VerificationSummary } from '@firsthand/contract/verification/verification.ts';
import type { Pool } from 'firsthand/platform/db/sql.ts';
import { encodeCursor } from 'firsthand/platform/http/cursor.ts';
import { normalizeRequest } from 'firsthand/verification/verifications/issue.ts';
import { Agent } from 'undici';
import { median } from './measure.ts';
import { startOwnService } from './own-service.ts';
import { ask } from './receivers.ts';
import { optionsOf } from './report.ts';

const ROWS = Number(optionsOf({ rows: '100000' }).rows);
const PAGE = 100;
/** Number of pages at each end; their median represents that end. */
const END = 50;
const CREATE_EVERY_MS = 50;

const service = await startOwnService();
const { url } = service;
const { tenant_id, pk_test, rk_secret } = service.tenant;
const agent = new Agent({ connections: 2 });
try {
  const pool = await service.openPool(4);
  const older = await fill(pool, tenant_id);
  // Warm up both programs, because the first pages are slower.
  await bothEnds(pk_test, older);
  for (let round = 0; round < 2 * END; round += 1) await barePage(pool, tenant_id, 'vfy_~');
  await listWhileCreating(pool, tenant_id, pk_test, older);
  console.log(`with the secret key, which sees both modes: ${await bothEnds(rk_secret, older)}`);
} finally {
  await agent.close();
  await service.close();
}

/** Inserts verifications that are older than any the service creates now. Their ids sort by age, like ULIDs. */
async function fill(db: Pool, tenantId: string): Promise<Set<string>> {
  const { config } = normalizeRequest({ metadata: { claim: 'C-1042' } }, null);
  const { rows } = await db.query<{ id: string }>(
    `insert into verifications (id, tenant_id, livemode, created_at, expires_at, config, private, event_sequence)
     select 'vfy_00' || upper(lpad(to_hex(n), 24, '0')), $1, false, now() - interval '1 day' + n * interval '100 ms',
       now() + interval '1 day', $2, '{}', 0
     from generate_series(1, $3::int) n returning id`,
    [tenantId, JSON.stringify(config), ROWS],
  );
  await db.query('vacuum analyze verifications');
  return new Set(rows.map(row => row.id));
}

/** Measures the cost of a page at either end of the list, over many requests. */
async function bothEnds(key: string, older: Set<string>): Promise<string> {
  const ids = [...older].sort();
  const costs: number[] = [];
  for (const query of ['', `&cursor=${encodeCursor(ids[PAGE + 1] ?? '')}`]) {
    const samples: number[] = [];
    for (let round = 0; round < END; round += 1) samples.push((await page(key, query)).ms);
    costs.push(median(samples));
  }
  return sideBySide(costs[0]!, costs[1]!);
}

function page(key: string, query: string) {
  const address = `${url}/v1/verifications?limit=${PAGE}${query}`;
  return ask<{ data: VerificationSummary[]; next_cursor?: string }>(address, { key }, agent);
}

/** Selects the same rows directly from the database. */
async function barePage(db: Pool, tenantId: string, after: string): Promise<void> {
  await db.query(
    `select * from verifications where tenant_id = $1 and livemode = false
       and (created_at, id) < (coalesce((select created_at from verifications where id = $2), 'infinity'), $2)
     order by created_at desc, id desc limit $3`,
    [tenantId, after, PAGE + 1],
  );
}

function sideBySide(first: number, end: number): string {
  return `${first.toFixed(2)} ms at the start, ${end.toFixed(2)} ms at the end (×${(end / first).toFixed(2)})`;
}

async function listWhileCreating(db: Pool, tenantId: string, key: string, older: Set<string>): Promise<void> {
  const stopping = new AbortController();
  let created = 0;
  const creating = (async () => {
    while (!stopping.signal.aborted) {
      await ask(`${url}/v1/verifications`, { key, body: {} }, agent);
      created += 1;
      await sleep(CREATE_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();

  const seen = new Map<string, number>();
  const pages: number[] = [];
  const bare: number[] = [];
  const began = performance.now();
  let cursor: string | undefined;
  let last = 'vfy_~';
  do {
    const query = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { ms, body: shown } = await page(key, query);
    pages.push(ms);

    const startBare = performance.now();
    await barePage(db, tenantId, last);
    bare.push(performance.now() - startBare);

    for (const { id } of shown.data) seen.set(id, (seen.get(id) ?? 0) + 1);
    last = shown.data.at(-1)?.id ?? last;
    cursor = shown.next_cursor;
  } while (cursor !== undefined);
  const seconds = (performance.now() - began) / 1_000;
  stopping.abort();
  await creating;

  const missing = [...older].filter(id => !seen.has(id)).length;
  const twice = [...seen.values()].filter(times => times > 1).length;
  const ends = (samples: number[]) =>
    sideBySide(median(samples.slice(1, END + 1)), median(samples.slice(-END - 1, -1)));
  console.log(`${ROWS} verifications in ${pages.length} pages of ${PAGE}, ${created} created meanwhile: ${seconds.toFixed(1)} s
older ones shown exactly once: ${ROWS - missing - twice} of ${ROWS} (${missing} missing, ${twice} twice)
a page over HTTP:     ${ends(pages)}
a bare keyset SELECT: ${ends(bare)}`);
  if (missing > 0 || twice > 0) process.exitCode = 1;
}
