import { parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { consistencyRanges, rangeHash } from '@firsthand/evidence/merkle.ts';
import { type Note, parseNote, parseSignatureLine, verifyNote, vkeyOf } from '@firsthand/evidence/note.ts';
import { many, one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import type { LogRow } from './log.ts';
import { loadNodes } from './tiles.ts';
import { formatAddCheckpoint, SIZE_TYPE } from './witness-protocol.ts';

// Asks the witnesses of `WITNESSES` to cosign each published state of our log.

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 16_384;
/** How long a node that dies keeps the others waiting. */
const LEASE_SECONDS = 3 * (TIMEOUT_MS / 1_000);
/** A bundle waits this long for witnesses that answered the last time. */
const PATIENCE_SECONDS = 10;

type Witness = Deps['config']['witnesses'][number];

interface Followed {
  vkey: string;
  size: string;
  line: string | null;
  failed_at: Date | null;
}

const followedBy = (db: Queryable, logId: number): Promise<Followed[]> =>
  many<Followed>(db, 'select vkey, size, line, failed_at from evidence_witnesses where log_id = $1 order by vkey', [
    logId,
  ]);

/** The published note with the cosignatures of exactly this state. */
export async function cosignedNote(db: Queryable, log: LogRow): Promise<string | null> {
  if (!log.checkpoint) return null;
  const { size } = parseCheckpoint(parseNote(Buffer.from(log.checkpoint)).text);
  const lines = (await followedBy(db, log.id)).flatMap(row =>
    row.line !== null && BigInt(row.size) === size ? [`${row.line}\n`] : [],
  );
  return log.checkpoint + lines.join('');
}

/** Whether cosignatures of the published state may still come, so that a bundle should wait for them. */
export async function awaitsCosignatures(deps: Pick<Deps, 'db' | 'config'>, log: LogRow): Promise<boolean> {
  if (deps.config.witnesses.length === 0) return false;
  const fresh = await one<{ fresh: boolean }>(
    deps.db,
    'select checkpoint_at > now() - make_interval(secs => $2) as fresh from evidence_logs where id = $1',
    [log.id, PATIENCE_SECONDS],
  );
  if (!fresh?.fresh) return false;
  const rows = new Map((await followedBy(deps.db, log.id)).map(row => [row.vkey, row]));
  return deps.config.witnesses.some(({ verifier }) => {
    const row = rows.get(vkeyOf(verifier));
    return !row || (row.failed_at === null && (row.line === null || row.size !== log.checkpoint_size));
  });
}

/** Asks each witness that has not cosigned the published state. Gives back whether all have. One node at a time does it. */
export async function cosign(deps: Pick<Deps, 'config' | 'log' | 'db' | 'clock'>): Promise<boolean> {
  const log = await one<LogRow>(
    deps.db,
    `update evidence_logs set cosigning_until = now() + make_interval(secs => $1)
     where id = (select max(id) from evidence_logs) and checkpoint_size > 0
       and (cosigning_until is null or cosigning_until < now())
       and exists (
         select from unnest($2::text[]) as asked (vkey) where not exists (
           select from evidence_witnesses w
           where w.log_id = evidence_logs.id and w.vkey = asked.vkey and w.line is not null and w.size = checkpoint_size
         )
       )
     returning *`,
    [LEASE_SECONDS, deps.config.witnesses.map(({ verifier }) => vkeyOf(verifier))],
  );
  if (!log?.checkpoint) return true;
  try {
    const note = parseNote(Buffer.from(log.checkpoint));
    const rows = new Map((await followedBy(deps.db, log.id)).map(row => [row.vkey, row]));
    const behind = deps.config.witnesses.filter(({ verifier }) => {
      const row = rows.get(vkeyOf(verifier));
      return !row || row.line === null || row.size !== log.checkpoint_size;
    });
    const answers = await Promise.all(
      behind.map(witness => askAndKeep(deps, log, note, witness, rows.get(vkeyOf(witness.verifier)))),
    );
    return answers.every(Boolean);
  } finally {
    await deps.db.query('update evidence_logs set cosigning_until = null where id = $1', [log.id]);
  }
}

async function askAndKeep(
  deps: Pick<Deps, 'log' | 'db' | 'clock'>,
  log: LogRow,
  note: Note,
  witness: Witness,
  before: Followed | undefined,
): Promise<boolean> {
  const vkey = vkeyOf(witness.verifier);
  try {
    const line = await ask(deps, log, note, witness, BigInt(before?.size ?? 0));
    await deps.db.query(
      `insert into evidence_witnesses (log_id, vkey, size, line) values ($1, $2, $3, $4)
       on conflict (log_id, vkey) do update set size = excluded.size, line = excluded.line, failed_at = null`,
      [log.id, vkey, log.checkpoint_size, line],
    );
    if (before?.failed_at) deps.log.info({ witness: witness.verifier.name }, 'the witness cosigns again');
    return true;
  } catch (error) {
    // Once for each failure in a row: a witness that is away is asked every second.
    if (!before?.failed_at) {
      deps.log.warn({ err: error, witness: witness.verifier.name, url: witness.url }, 'a witness did not cosign');
    }
    await deps.db.query(
      `insert into evidence_witnesses (log_id, vkey, size, failed_at) values ($1, $2, 0, $3)
       on conflict (log_id, vkey) do update set failed_at = coalesce(evidence_witnesses.failed_at, excluded.failed_at)`,
      [log.id, vkey, deps.clock.now()],
    );
    return false;
  }
}

/** The witness's signature line. A witness that knows another size says so and is asked again from there. */
async function ask(deps: Pick<Deps, 'db'>, log: LogRow, note: Note, witness: Witness, known: bigint): Promise<string> {
  const { size } = parseCheckpoint(note.text);
  let old = known;
  for (let attempt = 1; ; attempt += 1) {
    const ranges = consistencyRanges(old, size);
    const hashOf = await loadNodes(deps.db, log.id, ranges);
    const proof = ranges.map(range => rangeHash(range, hashOf));
    const answer = await fetch(`${witness.url}/add-checkpoint`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: formatAddCheckpoint({ old, proof, note: log.checkpoint! }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    const text = await answer.text();
    if (text.length > MAX_ANSWER_BYTES) throw new Error(`it answered ${text.length} characters`);
    if (answer.status === 200) return lineIn(text, note, witness);
    const told = answer.headers.get('content-type')?.startsWith(SIZE_TYPE) ? Number(text) : Number.NaN;
    if (answer.status !== 409 || attempt > 1 || !Number.isSafeInteger(told) || told < 0 || BigInt(told) > size) {
      throw new Error(`it answered ${answer.status}: ${text.slice(0, 200).trim()}`);
    }
    old = BigInt(told);
  }
}

/** The line by this witness in an answer. Throws unless it verifies. */
function lineIn(answer: string, { text }: Note, { verifier }: Witness): string {
  const signatures = answer.split('\n').filter(Boolean).map(parseSignatureLine);
  const [found] = verifyNote({ text, signatures }, [verifier]);
  if (!found) throw new Error('its answer holds no cosignature by its key');
  return found.signature.line;
}
