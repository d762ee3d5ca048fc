import { FILES, FORMAT, isBundleFile, type Manifest, manifestText } from './bundle.ts';
import { equal } from './bytes.ts';
import type { Findings } from './findings.ts';
import { isObject, type Json, parseCanonical } from './json.ts';
import { type Note, parseNote, parseVkey, type Verifier, verifyNote, vkeyOf } from './note.ts';
import type { Role } from './report.ts';
import { otherRole, retirementOf, sameKey } from './trust.ts';

const MEMBERS = ['created_at', 'files', 'format', 'keys', 'livemode', 'origin', 'verification_id'];

/** Checks the list of files against the files, and its signature. Null when there is no list that can be read. */
export function checkManifest(findings: Findings): Manifest | null {
  const entry = findings.entries.get('manifest.json');
  if (!entry) {
    findings.fault('manifest', null, 'there is no manifest.json');
    return null;
  }
  const value = findings.read('manifest', 'manifest.json', parseCanonical);
  if (value === undefined) return null;
  const misfit = misfitOf(value);
  if (misfit) {
    findings.fault('manifest', 'manifest.json', misfit.reason, misfit.field);
    return null;
  }
  const manifest = value as unknown as Manifest;
  checkFiles(findings, manifest);
  checkSignature(findings, manifest, entry.bytes!);
  return manifest;
}

/** What of a value is not as the format has it. */
function misfitOf(value: Json): { field: string; reason: string } | null {
  if (!isObject(value) || value.format !== FORMAT) return { field: 'format', reason: `it is not ${FORMAT}` };
  const { keys, files } = value;
  for (const field of ['verification_id', 'origin', 'created_at']) {
    if (typeof value[field] !== 'string' || value[field] === '') return { field, reason: 'it is not a text' };
  }
  if ((value.livemode ?? false) !== false) return { field: 'livemode', reason: 'it is there and not false' };
  if (!isObject(keys) || typeof keys.log !== 'string' || typeof keys.bundle !== 'string') {
    return { field: 'keys', reason: 'it does not name the log key and the bundle key' };
  }
  if (!Array.isArray(files)) return { field: 'files', reason: 'it is not a list' };
  const unfit = files.findIndex(file => !isManifestFile(file));
  if (unfit >= 0) return { field: `files.${unfit}`, reason: 'it does not give path, bytes and SHA-256' };
  const unknown = Object.keys(value).find(key => !MEMBERS.includes(key));
  return unknown === undefined ? null : { field: unknown, reason: 'the format has no such member' };
}

const isManifestFile = (file: Json): boolean =>
  isObject(file) &&
  typeof file.path === 'string' &&
  Number.isSafeInteger(file.bytes) &&
  typeof file.sha256 === 'string' &&
  /^[0-9a-f]{64}$/.test(file.sha256);

function checkFiles(findings: Findings, manifest: Manifest): void {
  const { entries } = findings;
  const listed = new Set<string>();
  for (const [index, { path, bytes, sha256 }] of manifest.files.entries()) {
    if (listed.has(path)) findings.fault('manifest', 'manifest.json', `${path} is listed twice`, `files.${index}`);
    listed.add(path);
    const entry = entries.get(path);
    const differs =
      entry?.size !== bytes
        ? `it has ${entry?.size} bytes, not the ${bytes} that are listed`
        : entry.sha256 !== sha256 && `its SHA-256 is ${entry.sha256}, not the listed ${sha256}`;
    if (!entry) findings.fault('manifest', path, 'the file is listed but missing');
    else if (differs) findings.fault('manifest', path, differs, entry.range);
  }
  for (const { name, range } of entries.values()) {
    if (!isBundleFile(name)) findings.fault('manifest', name, 'a bundle has no file of this name', range);
    else if (!listed.has(name) && name !== 'manifest.json' && name !== 'manifest.sig') {
      findings.fault('manifest', name, 'the file is not listed', range);
    }
  }
  for (const { required } of FILES) {
    if (required && !entries.has(required) && !listed.has(required)) {
      findings.fault('manifest', required, 'the file is missing');
    }
  }
}

function checkSignature(findings: Findings, manifest: Manifest, bytes: Uint8Array): void {
  const [check, entry] = SIGNED.bundle;
  const note = findings.read(check, entry, parseNote);
  const fits = note?.text === manifestText(bytes);
  if (note && !fits) findings.fault(check, entry, 'it does not name this manifest.json by its SHA-256', 'text');
  if (fits && note.signatures.length !== 1) {
    findings.fault(check, entry, `it carries ${note.signatures.length} signatures, not one`, 'signatures');
  }
  checkSigned(findings, manifest, 'bundle', fits ? note : undefined);
}

/** The check and the file that speak of a key's signature. */
const SIGNED = {
  bundle: ['manifest_signature', 'manifest.sig'],
  log: ['checkpoint', 'proofs/1.tlog-proof'],
} as const;

/**
 * Checks the key that the manifest names for a role and, where there is a note that can be read, that it signed this note.
 * Tells the report whether somebody vouched for the key in this role.
 */
export function checkSigned(findings: Findings, manifest: Manifest, role: Role, note?: Note): void {
  const [check, entry] = SIGNED[role];
  const key = keyFor(findings, manifest, role);
  if (!key || !note) return;
  const { trusted = [] } = findings.trust;
  // Trusted keys first: where an id is theirs, only their signature counts.
  const keys = [...trusted.filter(other => other.name === key.name), key];
  const verified = findings.attempt(check, entry, () => verifyNote(note, keys), 'signatures');
  if (!verified) return;
  const vkey = vkeyOf(key);
  if (!verified.some(({ verifier }) => sameKey(verifier, key))) {
    findings.fault(check, entry, `the ${role} key ${vkey} did not sign it`, 'signatures');
    return;
  }
  const misused = (reason: string) => findings.fault(check, 'manifest.json', reason, `keys.${role}`);
  const other = otherRole(trusted, key, role);
  if (other) misused(`${vkey} is a ${other} key of the issuer, not a ${role} key`);
  const twin = findings.report.keys.find(use => equal(parseVkey(use.vkey).publicKey, key.publicKey));
  if (twin) misused(`it is the ${twin.role} key too: one key may not vouch for both`);
  const retired = retirementOf(trusted, key);
  findings.report.keys.push({
    role,
    vkey,
    trusted: !other && trusted.some(known => sameKey(known, key)),
    ...(retired === Infinity ? {} : { retired_at: new Date(retired).toISOString() }),
  });
}

function keyFor(findings: Findings, { keys, origin }: Manifest, role: Role): Verifier | undefined {
  const [check] = SIGNED[role];
  const field = `keys.${role}`;
  const key = findings.attempt(check, 'manifest.json', () => parseVkey(keys[role]), field);
  if (!key || key.name === origin) return key;
  findings.fault(check, 'manifest.json', `the key is named ${key.name}, not ${origin}`, field);
  return undefined;
}
