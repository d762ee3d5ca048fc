import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { ImageFault } from '@firsthand/forensics/files/inspect.ts';
import { MIN_QUALITY } from '@firsthand/forensics/phash/fingerprint.ts';
import { fromHex } from '@firsthand/forensics/phash/hash.ts';
import { WHOLE } from '@firsthand/forensics/phash/plane.ts';
import { AnalysisFault } from '@firsthand/forensics/running/pool.ts';
import { one, transaction } from '../../../platform/db/sql.ts';
import type { Deps } from '../../../platform/deps.ts';
import { rememberPicture, scopeId } from './store.ts';

export interface ImportReport {
  list: string;
  imported: number;
  /** Already in the list. */
  known: number;
  skipped: { item: string; why: string }[];
}

export interface ImportOptions {
  /** A text file of hashes, or a folder of pictures. */
  path: string;
  /** The list's owner; null for a list that every tenant searches. */
  tenantId: string | null;
  /** Defaults to the name of the file or folder. A second import into the same list adds only what is new. */
  name?: string;
}

const MAX_PICTURE_BYTES = 100 * 1024 * 1024;
const PICTURE = /\.(jpe?g|png|webp|heic|heif|avif)$/i;

/**
 * Imports a list for reverse search. A file has one picture per line: a PDQ hash (64 hexadecimal digits) and optional labels before or
 * after it, separated by comma, semicolon or tab. From a folder it fingerprints every picture, subfolders included. The report names each
 * rejected line or file.
 */
export async function importCorpus(
  deps: Pick<Deps, 'db' | 'clock' | 'pictures'>,
  { path, tenantId, name }: ImportOptions,
): Promise<ImportReport> {
  const folder = (await stat(path)).isDirectory();
  if (!folder) await expectHashes(path);
  const list = name ?? basename(path);
  const scope = await scopeId(deps.db, { tenantId, livemode: null });
  const row = await one<{ id: string }>(
    deps.db,
    `insert into reverse_lists (scope_id, name, created_at) values ($1, $2, $3)
     on conflict (scope_id, name) do update set name = excluded.name returning id`,
    [scope, list, deps.clock.now()],
  );
  const target = { listId: Number(row!.id), scope };
  const report: ImportReport = { list, imported: 0, known: 0, skipped: [] };
  if (folder) await importFolder(deps, path, target, report);
  else await importHashes(deps, path, target, report);
  if (report.imported + report.known === 0) {
    await deps.db.query(
      'delete from reverse_lists l where id = $1 and not exists (select 1 from reverse_pictures where list_id = l.id)',
      [target.listId],
    );
    throw new Error(`${path} holds no picture that can be recognised. Nothing was imported.`);
  }
  return report;
}

interface Target {
  listId: number;
  scope: number;
}

async function keep(
  deps: Pick<Deps, 'db' | 'clock'>,
  target: Target,
  label: string,
  kept: Parameters<typeof rememberPicture>[2],
  report: ImportReport,
): Promise<void> {
  const isNew = await transaction(deps.db, tx => rememberPicture(tx, { ...target, label }, kept, deps.clock.now()));
  if (isNew) report.imported += 1;
  else report.known += 1;
}

const hashIn = (cells: readonly string[]) => cells.find(cell => /^[0-9a-f]{64}$/i.test(cell));
const cellsOf = (text: string) => text.split(/[,;\t]/).map(cell => cell.trim().replaceAll(/^"|"$/g, ''));
const linesOf = (path: string) =>
  createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });

/** Throws unless most lines have a hash: a text that only quotes one is no list. */
async function expectHashes(path: string): Promise<void> {
  const lines = { hashes: 0, others: 0 };
  let isHeading = true;
  for await (const text of linesOf(path)) {
    if (hashIn(cellsOf(text))) lines.hashes += 1;
    else if (text.trim() !== '' && !isHeading) lines.others += 1;
    isHeading = false;
  }
  if (lines.hashes > 0 && lines.hashes >= lines.others) return;
  throw new Error(
    `${path} is not a list of PDQ hashes: ${lines.hashes} of ${lines.hashes + lines.others} lines have one. ` +
      'Give one hash of 64 hexadecimal digits per line, or name a folder of pictures. Nothing was imported.',
  );
}

async function importHashes(
  deps: Pick<Deps, 'db' | 'clock'>,
  path: string,
  target: Target,
  report: ImportReport,
): Promise<void> {
  let line = 0;
  for await (const text of linesOf(path)) {
    line += 1;
    const cells = cellsOf(text);
    const hex = hashIn(cells);
    if (!hex) {
      // Accept a heading in the first line, and empty lines.
      if (text.trim() !== '' && line > 1)
        report.skipped.push({ item: `line ${line}`, why: 'no hash of 64 hexadecimal digits' });
      continue;
    }
    const label = cells.filter(cell => cell !== hex && cell !== '').join(', ') || hex.toLowerCase();
    const hash = fromHex(hex);
    await keep(deps, target, label, { hash, quality: 100, entries: [{ hash, region: WHOLE, frame: WHOLE }] }, report);
  }
}

async function importFolder(
  deps: Pick<Deps, 'db' | 'clock' | 'pictures'>,
  path: string,
  target: Target,
  report: ImportReport,
): Promise<void> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  for (const file of files.sort()) {
    const item = relative(path, file);
    if (!PICTURE.test(file)) {
      report.skipped.push({ item, why: 'not a JPEG, PNG, WebP, HEIC, HEIF or AVIF by its name' });
      continue;
    }
    if ((await stat(file)).size > MAX_PICTURE_BYTES) {
      report.skipped.push({ item, why: 'larger than 100 MB' });
      continue;
    }
    try {
      const { fingerprint } = await deps.pictures.analyze({ bytes: await readFile(file), signals: [] });
      if (fingerprint.quality < MIN_QUALITY) report.skipped.push({ item, why: 'too little in it to be recognised by' });
      else await keep(deps, target, item, fingerprint, report);
    } catch (fault) {
      if (!(fault instanceof ImageFault) && !(fault instanceof AnalysisFault)) throw fault;
      report.skipped.push({ item, why: fault.message });
    }
  }
}
