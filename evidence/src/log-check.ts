import type { Manifest } from './bundle.ts';
import { fromBase64, fromUtf8, hex, utf8 } from './bytes.ts';
import { type Checkpoint, parseCheckpoint } from './checkpoint.ts';
import { isObject, type Json, type JsonObject, parseCanonical } from './json.ts';
import { checkSigned, keyFor } from './manifest-check.ts';
import { leafHash, verifyInclusion } from './merkle.ts';
import { type Note, NoteFault, parseNote, type Verifier, verifyNote, vkeyOf } from './note.ts';
import type { CheckName } from './report.ts';
import { commitmentOf, entryOf, SALT_BYTES, STATEMENT_TYPES, type Statement } from './statement.ts';
import { parseProof, type TlogProof } from './tlog-proof.ts';
import type { Entry, Findings, VerifyOptions } from './verify.ts';

interface Logged {
  statement: Statement;
  /** The entry that the log must hold. */
  leaf: Uint8Array;
}

/** Checks the statements and that the log holds them; gives back those that can be read, in their order. */
export async function checkLog(findings: Findings, manifest: Manifest, o: VerifyOptions): Promise<Statement[]> {
  const logged = readStatements(findings, manifest);
  const proofs = readProofs(findings);
  checkPairs(findings, logged, proofs);
  const first = proofs.get(1) ?? [...proofs.values()][0];
  if (!first) {
    findings.fault('log', null, {}, 'there is no proof from the log');
    findings.fault('checkpoint', null, {}, 'there is no state of the log');
  } else {
    const head = readCheckpoint(findings, manifest, first.checkpoint, o.trusted ?? []);
    if (head) {
      checkProofs(findings, head.checkpoint, first.checkpoint, logged, proofs);
      checkWitnesses(findings, head.note, o.witnesses ?? []);
      await checkStamp(findings, head.note, manifest, o.tsaRoots);
    }
  }
  return [...logged.values()].map(({ statement }) => statement);
}

const numbered = (findings: Findings, pattern: RegExp): [number, Entry][] =>
  [...findings.entries.values()]
    .flatMap((entry): [number, Entry][] => {
      const number = pattern.exec(entry.name)?.[1];
      return number === undefined ? [] : [[Number(number), entry]];
    })
    .sort(([a], [b]) => a - b);

function readStatements(findings: Findings, manifest: Manifest): Map<number, Logged> {
  const logged = new Map<number, Logged>();
  const files = numbered(findings, /^statements\/([1-9]\d*)\.json$/);
  if (files.length === 0) findings.fault('statements', null, {}, 'there is no statement');
  for (const [index, [seq, entry]] of files.entries()) {
    if (seq !== index + 1 && (index === 0 ? 1 : files[index - 1]![0] + 1) !== seq) {
      findings.fault(
        'statements',
        `statements/${(files[index - 1]?.[0] ?? 0) + 1}.json`,
        {},
        'the statement is missing',
      );
    }
    const read = readStatement(findings, manifest, seq, entry);
    if (read) logged.set(seq, read);
  }
  const tenants = new Set([...logged.values()].map(({ statement }) => statement.tenant_id));
  if (tenants.size > 1)
    findings.fault('statements', null, { field: 'tenant_id' }, 'the statements are of several tenants');
  return logged;
}

function readStatement(findings: Findings, manifest: Manifest, seq: number, entry: Entry): Logged | null {
  const bad = (field: string, reason: string): null => {
    findings.fault('statements', entry.name, { field }, reason);
    return null;
  };
  let value: Json;
  try {
    value = parseCanonical(entry.bytes ?? new Uint8Array(0));
  } catch (error) {
    return bad('', (error as Error).message);
  }
  if (!isObject(value) || !isObject(value.statement)) return bad('statement', 'there is no statement');
  if (Object.keys(value).some(key => key !== 'statement' && key !== 'salt'))
    return bad('', 'it holds more than statement and salt');
  const salt = typeof value.salt === 'string' ? fromBase64(value.salt) : null;
  if (salt?.length !== SALT_BYTES) return bad('salt', `it is not ${SALT_BYTES} bytes in base64`);
  const statement = value.statement as JsonObject;
  if (statement.v !== 1) return bad('statement.v', 'it is not 1');
  if (!STATEMENT_TYPES.some(type => type === statement.type)) return bad('statement.type', 'there is no such type');
  if (statement.seq !== seq) return bad('statement.seq', `it is not the ${seq} of the file's name`);
  if (statement.verification_id !== manifest.verification_id) {
    return bad('statement.verification_id', 'it is about another verification');
  }
  if (typeof statement.tenant_id !== 'string') return bad('statement.tenant_id', 'it is not a text');
  if (typeof statement.at !== 'string') return bad('statement.at', 'it is not a time');
  return { statement: statement as Statement, leaf: leafHash(entryOf(commitmentOf(salt, statement))) };
}

function readProofs(findings: Findings): Map<number, TlogProof> {
  const proofs = new Map<number, TlogProof>();
  for (const [seq, entry] of numbered(findings, /^proofs\/([1-9]\d*)\.tlog-proof$/)) {
    try {
      const proof = parseProof(entry.bytes ?? new Uint8Array(0));
      // Nothing vouches for the extra line, so a bundle has none.
      if (proof.extra)
        findings.fault('log', entry.name, { field: 'extra' }, 'it carries data that nothing vouches for');
      proofs.set(seq, proof);
    } catch (error) {
      findings.fault('log', entry.name, { bytes: entry.range }, (error as Error).message);
    }
  }
  return proofs;
}

function checkPairs(findings: Findings, logged: Map<number, Logged>, proofs: Map<number, TlogProof>): void {
  for (const seq of logged.keys()) {
    const name = `proofs/${seq}.tlog-proof`;
    if (!proofs.has(seq) && !findings.entries.has(name))
      findings.fault('log', name, {}, 'the proof of a statement is missing');
  }
  for (const seq of proofs.keys()) {
    const name = `statements/${seq}.json`;
    if (!findings.entries.has(name))
      findings.fault('statements', name, {}, 'there is a proof for it, but it is missing');
  }
}

function readCheckpoint(
  findings: Findings,
  manifest: Manifest,
  text: string,
  trusted: readonly Verifier[],
): { note: Note; checkpoint: Checkpoint } | null {
  const entry = 'proofs/1.tlog-proof';
  const key = keyFor(findings, 'checkpoint', manifest, 'log');
  try {
    const note = parseNote(utf8(text));
    const checkpoint = parseCheckpoint(note.text);
    if (checkpoint.origin !== manifest.origin) {
      findings.fault(
        'checkpoint',
        entry,
        { field: 'origin' },
        `it is of ${checkpoint.origin}, not of ${manifest.origin}`,
      );
    }
    checkSigned(findings, { check: 'checkpoint', entry, role: 'log', note, key, trusted });
    return { note, checkpoint };
  } catch (error) {
    if (!(error instanceof NoteFault)) throw error;
    findings.fault('checkpoint', entry, { field: 'checkpoint' }, error.message);
    return null;
  }
}

function checkProofs(
  findings: Findings,
  { size, root }: Checkpoint,
  note: string,
  logged: Map<number, Logged>,
  proofs: Map<number, TlogProof>,
): void {
  let before = -1n;
  const indices: string[] = [];
  for (const [seq, { index, hashes, checkpoint }] of proofs) {
    const name = `proofs/${seq}.tlog-proof`;
    const fault = (field: string, reason: string) => findings.fault('log', name, { field }, reason);
    if (checkpoint !== note) fault('checkpoint', 'it is another one than in the other proofs');
    if (index <= before) fault('index', `the entry stands at ${index}, not behind the one before it`);
    before = index;
    indices.push(index.toString());
    const statement = logged.get(seq);
    if (!statement) continue;
    if (index >= size) fault('index', `there is no entry ${index} in a log of ${size}`);
    else if (!verifyInclusion({ leaf: statement.leaf, index, size, proof: hashes, root })) {
      fault('hashes', `they do not lead from statements/${seq}.json at ${index} to the root of the log`);
    }
  }
  findings.report.log = { size: size.toString(), root: hex(root), indices };
}

function checkWitnesses(findings: Findings, note: Note, witnesses: readonly Verifier[]): void {
  if (witnesses.length === 0) findings.absent('witnesses');
  for (const witness of witnesses) {
    const entry = 'proofs/1.tlog-proof';
    try {
      const [found] = verifyNote(note, [witness]);
      if (!found)
        findings.fault(
          'witnesses',
          entry,
          { field: 'signatures' },
          `${witness.name} did not cosign the state of the log`,
        );
      else {
        const at = found.at === undefined ? 'an unknown time' : new Date(Number(found.at) * 1000).toISOString();
        findings.report.witnesses.push({ name: witness.name, vkey: vkeyOf(witness), at });
      }
    } catch (error) {
      findings.fault('witnesses', entry, { field: 'signatures' }, (error as Error).message);
    }
  }
}

async function checkStamp(
  findings: Findings,
  note: Note,
  manifest: Manifest,
  roots: string | undefined,
): Promise<void> {
  const entry = findings.entries.get('timestamp.tsr');
  if (!entry?.bytes) {
    findings.absent('timestamp');
    if (roots !== undefined) findings.report.notes.push('The bundle carries no time stamp to check against the root.');
    return;
  }
  // Most of the code that a check loads is for stamps.
  const { certificatesIn, StampFault, verifyStamp } = await import('./timestamp.ts');
  const chain = findings.entries.has('tsa-chain.pem') ? textOf(findings, 'timestamp', 'tsa-chain.pem') : '';
  if (chain === null) return;
  const signature = note.signatures.find(
    ({ line }) => manifest.keys.log !== '' && line.startsWith(`\u2014 ${manifest.origin} `),
  );
  // The note as the log signed it, without later cosignatures.
  const message = utf8(`${note.text}\n${signature?.line ?? ''}\n`);
  try {
    certificatesIn(chain);
    const stamp = await verifyStamp({
      response: entry.bytes,
      message,
      chain,
      ...(roots === undefined ? {} : { roots }),
    });
    findings.report.timestamp = {
      at: stamp.at,
      authority: stamp.authority,
      root_checked: stamp.rootChecked,
      claims_qualified: stamp.claimsQualified,
    };
    if (!stamp.rootChecked) {
      findings.report.notes.push(
        'The time stamp was not checked against a root: name one with --tsa-root to know who made it.',
      );
    }
  } catch (error) {
    if (!(error instanceof StampFault)) throw error;
    findings.fault('timestamp', 'timestamp.tsr', { bytes: entry.range }, error.message);
  }
}

/** The text of a file that was kept; null, with a fault, when it is not there or not UTF-8. */
function textOf(findings: Findings, check: CheckName, name: string): string | null {
  const entry = findings.entries.get(name);
  if (!entry?.bytes) {
    findings.fault(check, name, {}, 'the file is missing');
    return null;
  }
  try {
    return fromUtf8(entry.bytes);
  } catch {
    findings.fault(check, name, { bytes: entry.range }, 'it is not UTF-8');
    return null;
  }
}
