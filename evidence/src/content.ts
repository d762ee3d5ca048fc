import { sha256 } from '#sha256';
import { EXTENSIONS, type Manifest } from './bundle.ts';
import { hex } from './bytes.ts';
import type { Findings } from './findings.ts';
import { canonical, isObject, type Json, type JsonObject, parseCanonical } from './json.ts';
import type { CheckName, PhotoReport } from './report.ts';
import type { Statement } from './statement.ts';

/** Checks photos, record and verdict against the statements about them. */
export function checkContent(findings: Findings, manifest: Manifest, statements: readonly Statement[]): void {
  checkPhotos(findings, statements);
  const verdict = statements.findLast(({ type }) => type === 'verdict');
  checkRecord(findings, manifest, verdict);
  checkVerdict(findings, verdict);
  checkCopy(findings, 'case_analysis.json', statements.findLast(({ type }) => type === 'case_analysis')?.case_analysis);
  const reviews = statements.filter(({ type }) => type === 'review').map(({ review }) => review ?? null);
  checkCopy(findings, 'reviews.json', reviews.length > 0 ? reviews : undefined);
  for (const photo of findings.report.photos) markPhoto(findings, photo);
}

const fileOf = ({ seq }: Statement): string => `statements/${seq}.json`;

/** Says which marks of a photo hold, from the faults that were found. */
function markPhoto({ report: { faults } }: Findings, photo: PhotoReport): void {
  const { entry, statement } = photo;
  const proof = statement?.replace(/^statements\/(\d+)\.json$/, 'proofs/$1.tlog-proof');
  const clean = (check: CheckName, ...files: (string | null | undefined)[]) =>
    !faults.some(fault => fault.check === check && (files.length === 0 || files.includes(fault.entry)));
  photo.marks = [
    { name: 'bytes', holds: statement !== null && clean('photos', entry, statement) },
    { name: 'listed', holds: clean('manifest', entry) && clean('manifest_signature') },
    { name: 'logged', holds: statement !== null && clean('log', proof) && clean('checkpoint') },
  ];
  photo.holds = photo.marks.every(({ holds }) => holds);
}

function checkPhotos(findings: Findings, statements: readonly Statement[]): void {
  const captures = new Map<string, Statement>();
  for (const statement of statements.filter(({ type }) => type === 'capture')) {
    const id = statement.capture_id;
    const fault = (reason: string, field: string) => findings.fault('photos', fileOf(statement), reason, field);
    if (typeof id !== 'string' || !isObject(statement.image)) {
      fault('it does not say which photo was received', 'statement.image');
    } else if (captures.has(id)) fault('the photo was received twice', 'statement.capture_id');
    else captures.set(id, statement);
  }
  for (const [id, statement] of captures) checkPhoto(findings, id, statement, statement.image as JsonObject);
  for (const { name, range, sha256, size } of findings.entries.values()) {
    const [, folder, id] = /^(originals|previews)\/([^.]+)\./.exec(name) ?? [];
    if (id === undefined || captures.has(id)) continue;
    findings.fault('photos', name, 'no statement in the log is about this photo', range);
    if (folder === 'originals') findings.report.photos.push(photoReport(id, name, sha256, size, null));
  }
}

function checkPhoto(findings: Findings, id: string, statement: Statement, image: JsonObject): void {
  const { sha256: hash, bytes, media_type } = image;
  const extension = EXTENSIONS[String(media_type)];
  const name = `originals/${id}.${extension ?? 'jpg'}`;
  if (!extension) findings.fault('photos', fileOf(statement), 'it is no type of a photo', 'statement.image.media_type');
  const entry = findings.entries.get(name);
  if (!entry) findings.fault('photos', name, `the photo that ${fileOf(statement)} names is missing`);
  else {
    const fault = (reason: string) => findings.fault('photos', name, reason, entry.range);
    if (entry.sha256 !== hash) fault(`its SHA-256 is ${entry.sha256}; the log recorded ${String(hash)}`);
    if (entry.size !== bytes) fault(`it has ${entry.size} bytes; the log recorded ${String(bytes)}`);
  }
  const [, second] = [...findings.entries.values()].filter(file => file.name.startsWith(`originals/${id}.`));
  if (second) findings.fault('photos', name, 'there are two files for one photo', second.range);
  findings.report.photos.push(photoReport(id, name, String(hash), Number(bytes), statement));
}

/** A photo without its marks. */
function photoReport(
  capture_id: string,
  entry: string,
  sha256: string,
  bytes: number,
  statement: Statement | null,
): PhotoReport {
  const said = (field: string) => {
    const value = statement?.[field];
    return typeof value === 'string' ? value : '';
  };
  return {
    capture_id,
    entry,
    sha256,
    bytes,
    statement: statement && fileOf(statement),
    step_key: said('step_key'),
    received_at: said('received_at'),
    client_captured_at: said('client_captured_at'),
    marks: [],
    holds: false,
  };
}

function checkRecord(findings: Findings, manifest: Manifest, verdict: Statement | undefined): void {
  const fault = (name: string, reason: string, field?: string) => findings.fault('record', name, reason, field);
  const record = findings.read('record', 'record.json', bytes => ({
    value: parseCanonical(bytes),
    hash: hex(sha256(bytes)),
  }));
  const seal = findings.read('record', 'seal.json', parseCanonical);
  if (!record || seal === undefined) return;
  const { value, hash } = record;
  if (!isObject(value) || !isObject(value.record) || !isObject(value.answers)) {
    fault('record.json', 'it does not hold record and answers');
    return;
  }
  if (value.record.id !== manifest.verification_id) {
    fault('record.json', 'it is the record of another verification', 'record.id');
  }
  if (!isObject(seal) || seal.algorithm !== 'sha256' || seal.hash !== hash) {
    fault('seal.json', `the record and its answers have the SHA-256 ${hash}`, 'hash');
  }
  if (!verdict) {
    findings.report.notes.push(
      'No verdict was reached, so the log holds no seal of the record; only the bundle key signs it.',
    );
  } else if (!isObject(verdict.record_seal) || verdict.record_seal.hash !== hash) {
    fault('record.json', `its SHA-256 is ${hash}, not the seal that ${fileOf(verdict)} recorded`);
  }
}

function checkVerdict(findings: Findings, statement: Statement | undefined): void {
  const fault = (reason: string, field?: string) => findings.fault('verdict', 'verdict.json', reason, field);
  const shown = findings.read('verdict', 'verdict.json', parseCanonical);
  if (shown === undefined) return;
  if (!statement) {
    if (shown !== null) fault('no statement in the log is about a verdict');
    return;
  }
  if (!isObject(shown)) {
    fault(`${fileOf(statement)} records a verdict`);
    return;
  }
  const { label, score, reason_code, signals } = statement;
  const logged = { label, score, signals, ...(reason_code === undefined ? {} : { reason_code }) } as JsonObject;
  for (const field of new Set([...Object.keys(logged), ...Object.keys(shown)])) {
    if (!same(shown[field], logged[field])) fault(`${fileOf(statement)} recorded another value`, field);
  }
}

/** A file that repeats what statements say. */
function checkCopy(findings: Findings, name: string, logged: Json | undefined): void {
  if (!findings.entries.has(name)) {
    if (logged !== undefined) {
      findings.fault('verdict', name, 'a statement in the log is about it, but the file is missing');
    }
    return;
  }
  const shown = findings.read('verdict', name, parseCanonical);
  if (shown === undefined) return;
  if (logged === undefined) findings.fault('verdict', name, 'no statement in the log is about it');
  else if (!same(shown, logged)) findings.fault('verdict', name, 'the log recorded something else');
}

const same = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : canonical(a) === canonical(b);
