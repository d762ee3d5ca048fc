import { sha256 } from '#sha256';
import { EXTENSIONS, type Manifest } from './bundle.ts';
import { hex } from './bytes.ts';
import { canonical, isObject, type Json, type JsonObject, parseCanonical } from './json.ts';
import type { CheckName, Report } from './report.ts';
import type { Statement } from './statement.ts';
import type { Findings } from './verify.ts';
import type { ByteRange } from './zip/read.ts';

/** Checks photos, record and verdict against the statements about them. */
export function checkContent(findings: Findings, manifest: Manifest, statements: readonly Statement[]): void {
  checkPhotos(findings, statements);
  const verdict = statements.findLast(({ type }) => type === 'verdict');
  checkRecord(findings, manifest, verdict);
  checkVerdict(findings, verdict);
  checkCopy(findings, 'case_analysis.json', statements.findLast(({ type }) => type === 'case_analysis')?.case_analysis);
  const reviews = statements.filter(({ type }) => type === 'review').map(({ review }) => review ?? null);
  checkCopy(findings, 'reviews.json', reviews.length > 0 ? reviews : undefined);
  markPhotos(findings.report);
}

/** Says of each photo which of its marks hold, from the faults that were found. */
function markPhotos({ photos, faults }: Report): void {
  const clean = (check: CheckName, ...entries: (string | null | undefined)[]) =>
    !faults.some(fault => fault.check === check && (entries.length === 0 || entries.includes(fault.entry)));
  for (const photo of photos) {
    const { entry, statement } = photo;
    const proof = statement?.replace(/^statements\/(\d+)\.json$/, 'proofs/$1.tlog-proof');
    photo.marks = [
      { name: 'bytes', holds: statement !== null && clean('photos', entry, statement) },
      { name: 'listed', holds: clean('manifest', entry) && clean('manifest_signature') },
      { name: 'logged', holds: statement !== null && clean('log', proof) && clean('checkpoint') },
    ];
    photo.holds = photo.marks.every(({ holds }) => holds);
  }
}

/** A file of canonical JSON; undefined when it is missing or something else, with a fault. */
function jsonOf(findings: Findings, check: CheckName, name: string): Json | undefined {
  const entry = findings.entries.get(name);
  if (!entry?.bytes) {
    findings.fault(check, name, {}, 'the file is missing');
    return undefined;
  }
  try {
    return parseCanonical(entry.bytes);
  } catch (error) {
    findings.fault(check, name, { bytes: entry.range }, (error as Error).message);
    return undefined;
  }
}

function checkPhotos(findings: Findings, statements: readonly Statement[]): void {
  const captures = new Map<string, Statement>();
  for (const statement of statements.filter(({ type }) => type === 'capture')) {
    const name = `statements/${statement.seq}.json`;
    if (typeof statement.capture_id !== 'string' || !isObject(statement.image)) {
      findings.fault('photos', name, { field: 'statement.image' }, 'it does not say which photo was received');
    } else if (captures.has(statement.capture_id)) {
      findings.fault('photos', name, { field: 'statement.capture_id' }, 'the photo was received twice');
    } else captures.set(statement.capture_id, statement);
  }
  for (const [id, statement] of captures) checkPhoto(findings, id, statement);
  for (const { name, range, sha256, size } of findings.entries.values()) {
    const [, folder, id] = /^(originals|previews)\/([^.]+)\./.exec(name) ?? [];
    if (id === undefined || captures.has(id)) continue;
    findings.fault('photos', name, { bytes: range }, 'no statement in the log is about this photo');
    if (folder === 'originals') report(findings, id, name, { hash: sha256, bytes: size }, null);
  }
}

/** Adds a photo to the report; its marks come last. */
function report(
  findings: Findings,
  id: string,
  entry: string,
  { hash, bytes }: { hash: unknown; bytes: unknown },
  statement: Statement | null,
): void {
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');
  findings.report.photos.push({
    capture_id: id,
    entry,
    sha256: String(hash),
    bytes: Number(bytes),
    statement: statement && `statements/${statement.seq}.json`,
    step_key: text(statement?.step_key),
    received_at: text(statement?.received_at),
    client_captured_at: text(statement?.client_captured_at),
    marks: [],
    holds: false,
  });
}

function checkPhoto(findings: Findings, id: string, stated: Statement): void {
  const { sha256: hash, bytes, media_type } = stated.image as JsonObject;
  const extension = EXTENSIONS[String(media_type)];
  const name = `originals/${id}.${extension ?? 'jpg'}`;
  const statement = `statements/${stated.seq}.json`;
  if (!extension)
    findings.fault('photos', statement, { field: 'statement.image.media_type' }, 'it is no type of a photo');
  const files = [...findings.entries.values()].filter(entry => entry.name.startsWith(`originals/${id}.`));
  const entry = findings.entries.get(name);
  const fault = (range: ByteRange | undefined, reason: string) =>
    findings.fault('photos', name, range ? { bytes: range } : {}, reason);
  if (!entry) fault(undefined, `the photo that ${statement} names is missing`);
  else {
    if (entry.sha256 !== hash) fault(entry.range, `its SHA-256 is ${entry.sha256}; the log recorded ${String(hash)}`);
    if (entry.size !== bytes) fault(entry.range, `it has ${entry.size} bytes; the log recorded ${String(bytes)}`);
  }
  if (files.length > 1) fault(files[1]!.range, 'there are two files for one photo');
  report(findings, id, name, { hash, bytes }, stated);
}

function checkRecord(findings: Findings, manifest: Manifest, verdict: Statement | undefined): void {
  const record = jsonOf(findings, 'record', 'record.json');
  const seal = jsonOf(findings, 'record', 'seal.json');
  if (record === undefined || seal === undefined) return;
  if (!isObject(record) || !isObject(record.record) || !isObject(record.answers)) {
    findings.fault('record', 'record.json', {}, 'it does not hold record and answers');
    return;
  }
  if (record.record.id !== manifest.verification_id) {
    findings.fault('record', 'record.json', { field: 'record.id' }, 'it is the record of another verification');
  }
  const hash = hex(sha256(findings.entries.get('record.json')!.bytes!));
  if (!isObject(seal) || seal.algorithm !== 'sha256' || seal.hash !== hash) {
    findings.fault('record', 'seal.json', { field: 'hash' }, `the record and its answers have the SHA-256 ${hash}`);
  }
  if (!verdict) {
    findings.report.notes.push(
      'No verdict was reached, so the log holds no seal of the record; the bundle key alone signs it.',
    );
  } else if (!isObject(verdict.record_seal) || verdict.record_seal.hash !== hash) {
    const name = `statements/${verdict.seq}.json`;
    findings.fault('record', 'record.json', {}, `its SHA-256 is ${hash}, not the seal that ${name} recorded`);
  }
}

function checkVerdict(findings: Findings, statement: Statement | undefined): void {
  const shown = jsonOf(findings, 'verdict', 'verdict.json');
  if (shown === undefined) return;
  if (!statement) {
    if (shown !== null) findings.fault('verdict', 'verdict.json', {}, 'no statement in the log is about a verdict');
    return;
  }
  const { label, score, reason_code, signals } = statement;
  const logged = { label, score, signals, ...(reason_code === undefined ? {} : { reason_code }) } as JsonObject;
  if (!isObject(shown)) {
    findings.fault('verdict', 'verdict.json', {}, `statements/${statement.seq}.json records a verdict`);
    return;
  }
  for (const field of new Set([...Object.keys(logged), ...Object.keys(shown)])) {
    if (textOrNone(shown[field]) !== textOrNone(logged[field])) {
      findings.fault('verdict', 'verdict.json', { field }, `statements/${statement.seq}.json recorded another value`);
    }
  }
}

const textOrNone = (value: Json | undefined): string | null => (value === undefined ? null : canonical(value));

/** A file that repeats what statements say. */
function checkCopy(findings: Findings, name: string, logged: Json | undefined): void {
  if (!findings.entries.has(name)) {
    if (logged !== undefined)
      findings.fault('verdict', name, {}, 'a statement in the log is about it, but the file is missing');
    return;
  }
  const shown = jsonOf(findings, 'verdict', name);
  if (shown === undefined) return;
  if (logged === undefined) findings.fault('verdict', name, {}, 'no statement in the log is about it');
  else if (canonical(shown) !== canonical(logged))
    findings.fault('verdict', name, {}, 'the log recorded something else');
}
