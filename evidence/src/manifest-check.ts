import { FILES, FORMAT, isBundleFile, type Manifest, manifestText } from './bundle.ts';
import { isObject, type Json, parseCanonical } from './json.ts';
import { type Note, NoteFault, parseNote, parseVkey, type Verifier, verifyNote, vkeyOf } from './note.ts';
import type { CheckName, KeyUse } from './report.ts';
import { sameKey } from './trust.ts';
import type { Findings } from './verify.ts';

/** Checks the list of files against the files, and its signature. Null when there is no list that can be read. */
export function checkManifest(findings: Findings, trusted: readonly Verifier[]): Manifest | null {
  const entry = findings.entries.get('manifest.json');
  const manifest = entry?.bytes ? readManifest(findings, entry.bytes) : null;
  if (!entry?.bytes || !manifest) {
    if (!entry) findings.fault('manifest', null, {}, 'there is no manifest.json');
    return null;
  }
  checkFiles(findings, manifest);
  checkSignature(findings, manifest, entry.bytes, trusted);
  return manifest;
}

function readManifest(findings: Findings, bytes: Uint8Array): Manifest | null {
  const bad = (field: string, reason: string): null => {
    findings.fault('manifest', 'manifest.json', { field }, reason);
    return null;
  };
  let value: Json;
  try {
    value = parseCanonical(bytes);
  } catch (error) {
    return bad('', (error as Error).message);
  }
  if (!isObject(value) || value.format !== FORMAT) return bad('format', `it is not ${FORMAT}`);
  const { verification_id, origin, created_at, keys, files } = value;
  for (const [field, text] of Object.entries({ verification_id, origin, created_at })) {
    if (typeof text !== 'string' || text === '') return bad(field, 'it is not a text');
  }
  if (!isObject(keys) || typeof keys.log !== 'string' || typeof keys.bundle !== 'string') {
    return bad('keys', 'it does not name the log key and the bundle key');
  }
  if (!Array.isArray(files)) return bad('files', 'it is not a list');
  for (const [index, file] of files.entries()) {
    const fits =
      isObject(file) &&
      typeof file.path === 'string' &&
      Number.isSafeInteger(file.bytes) &&
      typeof file.sha256 === 'string' &&
      /^[0-9a-f]{64}$/.test(file.sha256);
    if (!fits) return bad(`files.${index}`, 'it does not give path, bytes and SHA-256');
  }
  const known = ['created_at', 'files', 'format', 'keys', 'origin', 'verification_id'];
  const unknown = Object.keys(value).find(key => !known.includes(key));
  if (unknown !== undefined) return bad(unknown, 'the format has no such member');
  return value as unknown as Manifest;
}

function checkFiles(findings: Findings, manifest: Manifest): void {
  const listed = new Set<string>();
  for (const [index, file] of manifest.files.entries()) {
    const field = `files.${index}`;
    if (listed.has(file.path)) findings.fault('manifest', 'manifest.json', { field }, `${file.path} is listed twice`);
    listed.add(file.path);
    const entry = findings.entries.get(file.path);
    if (!entry) findings.fault('manifest', file.path, {}, 'the file is listed but missing');
    else if (entry.size !== file.bytes) {
      findings.fault(
        'manifest',
        file.path,
        { bytes: entry.range },
        `it has ${entry.size} bytes, not the ${file.bytes} that are listed`,
      );
    } else if (entry.sha256 !== file.sha256) {
      findings.fault(
        'manifest',
        file.path,
        { bytes: entry.range },
        `its SHA-256 is ${entry.sha256}, not the listed ${file.sha256}`,
      );
    }
  }
  for (const { name, range } of findings.entries.values()) {
    if (!isBundleFile(name)) findings.fault('manifest', name, { bytes: range }, 'a bundle has no file of this name');
    else if (!listed.has(name) && name !== 'manifest.json' && name !== 'manifest.sig') {
      findings.fault('manifest', name, { bytes: range }, 'the file is not listed');
    }
  }
  for (const { required } of FILES) {
    if (required && !findings.entries.has(required) && !listed.has(required)) {
      findings.fault('manifest', required, {}, 'the file is missing');
    }
  }
}

/** The key that the manifest names for a role; a trusted key of the same name and id takes its place. */
export function keyFor(
  findings: Findings,
  check: CheckName,
  manifest: Manifest,
  role: KeyUse['role'],
): Verifier | null {
  const field = `keys.${role}`;
  try {
    const key = parseVkey(manifest.keys[role]);
    if (key.name === manifest.origin) return key;
    findings.fault(check, 'manifest.json', { field }, `the key is named ${key.name}, not ${manifest.origin}`);
  } catch (error) {
    findings.fault(check, 'manifest.json', { field }, (error as Error).message);
  }
  return null;
}

/** Checks that the key of a role signed the note, and notes in the report whether somebody vouched for it. */
export function checkSigned(
  findings: Findings,
  o: {
    check: CheckName;
    entry: string;
    role: KeyUse['role'];
    note: Note;
    key: Verifier | null;
    trusted: readonly Verifier[];
  },
): boolean {
  const { check, entry, role, key, trusted } = o;
  if (!key) return false;
  try {
    // Trusted keys first: where an id is theirs, only their signature counts.
    const verified = verifyNote(o.note, [...trusted.filter(other => other.name === key.name), key]);
    if (!verified.some(({ verifier }) => sameKey(verifier, key))) {
      findings.fault(check, entry, { field: 'signatures' }, `the ${role} key ${vkeyOf(key)} did not sign it`);
      return false;
    }
  } catch (error) {
    if (!(error instanceof NoteFault)) throw error;
    findings.fault(check, entry, { field: 'signatures' }, error.message);
    return false;
  }
  findings.report.keys.push({ role, vkey: vkeyOf(key), trusted: trusted.some(other => sameKey(other, key)) });
  return true;
}

function checkSignature(findings: Findings, manifest: Manifest, bytes: Uint8Array, trusted: readonly Verifier[]): void {
  const entry = 'manifest.sig';
  const check = 'manifest_signature';
  const signature = findings.entries.get(entry);
  if (!signature?.bytes) {
    findings.fault(check, entry, {}, 'the file is missing');
    return;
  }
  const key = keyFor(findings, check, manifest, 'bundle');
  let note: Note;
  try {
    note = parseNote(signature.bytes);
  } catch (error) {
    findings.fault(check, entry, { bytes: signature.range }, (error as Error).message);
    return;
  }
  if (note.text !== manifestText(bytes)) {
    findings.fault(check, entry, { field: 'text' }, 'it does not name this manifest.json by its SHA-256');
    return;
  }
  if (note.signatures.length !== 1) {
    findings.fault(check, entry, { field: 'signatures' }, `it carries ${note.signatures.length} signatures, not one`);
  }
  checkSigned(findings, { check, entry, role: 'bundle', note, key, trusted });
}
