import type { Manifest } from './bundle.ts';
import { equal, fromBase64, hex, utf8 } from './bytes.ts';
import { type Checkpoint, parseCheckpoint } from './checkpoint.ts';
import type { Entry, Findings } from './findings.ts';
import { isObject, type Json, parseCanonical, parseText } from './json.ts';
import { checkSigned } from './manifest-check.ts';
import { leafHash, verifyInclusion } from './merkle.ts';
import { type Note, parseNote, parseVkey, verifyNote, vkeyOf } from './note.ts';
import { commitmentOf, entryOf, SALT_BYTES, STATEMENT_TYPES, type Statement } from './statement.ts';
import { parseProof, type TlogProof } from './tlog-proof.ts';

interface Logged {
  statement: Statement;
  /** The entry that the log must hold. */
  leaf: Uint8Array;
}

type Numbered<T> = Map<number, T>;

const statementFile = (seq: number): string => `statements/${seq}.json`;
const proofFile = (seq: number): string => `proofs/${seq}.tlog-proof`;

/** The file whose checkpoint speaks for all; the others must repeat it. */
const CHECKPOINT_FILE = proofFile(1);

/** Checks the statements and that the log holds them; gives back those that can be read, in their order. */
export async function checkLog(findings: Findings, manifest: Manifest): Promise<Statement[]> {
  const logged = readStatements(findings, manifest);
  const proofs = readProofs(findings);
  checkPairs(findings, logged, proofs);
  const text = (proofs.get(1) ?? [...proofs.values()][0])?.checkpoint;
  if (text === undefined) {
    findings.fault('log', null, 'there is no proof from the log');
    findings.fault('checkpoint', null, 'there is no state of the log');
  } else {
    const head = readCheckpoint(findings, manifest, text);
    if (head) {
      checkProofs(findings, head.checkpoint, text, logged, proofs);
      checkWitnesses(findings, head.note);
      await checkStamp(findings, head.note, manifest);
    }
  }
  return [...logged.values()].map(({ statement }) => statement);
}

const numbered = ({ entries }: Findings, pattern: RegExp): [number, Entry][] =>
  [...entries.values()]
    .flatMap((entry): [number, Entry][] => {
      const number = pattern.exec(entry.name)?.[1];
      return number === undefined ? [] : [[Number(number), entry]];
    })
    .sort(([a], [b]) => a - b);

function readStatements(findings: Findings, manifest: Manifest): Numbered<Logged> {
  const logged: Numbered<Logged> = new Map();
  const files = numbered(findings, /^statements\/([1-9]\d*)\.json$/);
  if (files.length === 0) findings.fault('statements', null, 'there is no statement');
  let next = 1;
  for (const [seq, { name }] of files) {
    if (seq !== next) findings.fault('statements', statementFile(next), 'the statement is missing');
    next = seq + 1;
    const value = findings.read('statements', name, parseCanonical);
    if (value === undefined) continue;
    const read = readStatement(value, seq, manifest);
    if ('leaf' in read) logged.set(seq, read);
    else findings.fault('statements', name, read.reason, read.field);
  }
  const tenants = new Set([...logged.values()].map(({ statement }) => statement.tenant_id));
  if (tenants.size > 1) findings.fault('statements', null, 'the statements are of several tenants', 'tenant_id');
  return logged;
}

function readStatement(value: Json, seq: number, manifest: Manifest): Logged | { field: string; reason: string } {
  const statement = isObject(value) ? value.statement : undefined;
  if (!isObject(value) || !isObject(statement)) return { field: 'statement', reason: 'there is no statement' };
  const salt = typeof value.salt === 'string' ? fromBase64(value.salt) : null;
  const { v, type, tenant_id, verification_id, at } = statement;
  const rules: [holds: boolean, field: string, reason: string][] = [
    [
      Object.keys(value).every(key => key === 'statement' || key === 'salt'),
      '',
      'it holds more than statement and salt',
    ],
    [salt?.length === SALT_BYTES, 'salt', `it is not ${SALT_BYTES} bytes in base64`],
    [v === 1, 'statement.v', 'it is not 1'],
    [STATEMENT_TYPES.some(known => known === type), 'statement.type', 'there is no such type'],
    [statement.seq === seq, 'statement.seq', `it is not the ${seq} of the file's name`],
    [verification_id === manifest.verification_id, 'statement.verification_id', 'it is about another verification'],
    [statement.livemode === undefined || manifest.livemode === false, 'statement.livemode', 'the manifest hides it'],
    [typeof tenant_id === 'string', 'statement.tenant_id', 'it is not a text'],
    [typeof at === 'string', 'statement.at', 'it is not a time'],
  ];
  const [, field, reason] = rules.find(([holds]) => !holds) ?? [];
  if (field !== undefined && reason) return { field, reason };
  return { statement: statement as Statement, leaf: leafHash(entryOf(commitmentOf(salt!, statement))) };
}

function readProofs(findings: Findings): Numbered<TlogProof> {
  const proofs: Numbered<TlogProof> = new Map();
  for (const [seq, { name }] of numbered(findings, /^proofs\/([1-9]\d*)\.tlog-proof$/)) {
    const proof = findings.read('log', name, parseProof);
    if (!proof) continue;
    // Nothing vouches for the extra line, so a bundle has none.
    if (proof.extra) findings.fault('log', name, 'it carries data that nothing vouches for', 'extra');
    proofs.set(seq, proof);
  }
  return proofs;
}

function checkPairs(findings: Findings, logged: Numbered<Logged>, proofs: Numbered<TlogProof>): void {
  for (const name of [...logged.keys()].map(proofFile)) {
    if (!findings.entries.has(name)) findings.fault('log', name, 'the proof of a statement is missing');
  }
  for (const name of [...proofs.keys()].map(statementFile)) {
    if (!findings.entries.has(name)) findings.fault('statements', name, 'there is a proof for it, but it is missing');
  }
}

function readCheckpoint(findings: Findings, manifest: Manifest, text: string) {
  const head = findings.attempt(
    'checkpoint',
    CHECKPOINT_FILE,
    () => {
      const note = parseNote(utf8(text));
      return { note, checkpoint: parseCheckpoint(note.text) };
    },
    'checkpoint',
  );
  const origin = head?.checkpoint.origin ?? manifest.origin;
  if (origin !== manifest.origin) {
    findings.fault('checkpoint', CHECKPOINT_FILE, `it is of ${origin}, not of ${manifest.origin}`, 'origin');
  }
  checkSigned(findings, manifest, 'log', head?.note);
  return head;
}

function checkProofs(
  findings: Findings,
  { size, root }: Checkpoint,
  note: string,
  logged: Numbered<Logged>,
  proofs: Numbered<TlogProof>,
): void {
  let before = -1n;
  const indices: string[] = [];
  for (const [seq, { index, hashes, checkpoint }] of proofs) {
    const fault = (field: string, reason: string) => findings.fault('log', proofFile(seq), reason, field);
    if (checkpoint !== note) fault('checkpoint', 'it is another one than in the other proofs');
    if (index <= before) fault('index', `the entry stands at ${index}, not behind the one before it`);
    before = index;
    indices.push(index.toString());
    const leaf = logged.get(seq)?.leaf;
    if (!leaf) continue;
    if (index >= size) fault('index', `there is no entry ${index} in a log of ${size}`);
    else if (!verifyInclusion({ leaf, index, size, proof: hashes, root })) {
      fault('hashes', `they do not lead from ${statementFile(seq)} at ${index} to the root of the log`);
    }
  }
  findings.report.log = { size: size.toString(), root: hex(root), indices };
}

function checkWitnesses(findings: Findings, note: Note): void {
  const { witnesses = [], trusted = [] } = findings.trust;
  if (witnesses.length === 0) findings.absent.add('witnesses');
  const issuers = [...findings.report.keys.map(({ vkey }) => parseVkey(vkey)), ...trusted.filter(({ role }) => role)];
  for (const witness of witnesses) {
    const { name } = witness;
    const place = ['witnesses', CHECKPOINT_FILE] as const;
    if (issuers.some(key => equal(key.publicKey, witness.publicKey))) {
      findings.fault(...place, `${name} is a key of the issuer, and nobody is their own witness`, 'signatures');
      continue;
    }
    const verified = findings.attempt(...place, () => verifyNote(note, [witness]), 'signatures');
    if (!verified) continue;
    const [found] = verified;
    if (!found) findings.fault(...place, `${name} did not cosign the state of the log`, 'signatures');
    else {
      // A plain signature has no time, and a witness may give one beyond the year 275760.
      const time = new Date(Number(found.at) * 1000);
      const at = Number.isNaN(time.getTime()) ? 'an unknown time' : time.toISOString();
      findings.report.witnesses.push({ name, vkey: vkeyOf(witness), at });
    }
  }
}

async function checkStamp(findings: Findings, note: Note, { origin }: Manifest): Promise<void> {
  const { entries, report } = findings;
  const roots = findings.trust.tsaRoots;
  const entry = entries.get('timestamp.tsr');
  if (!entry?.bytes) {
    findings.absent.add('timestamp');
    if (roots !== undefined) report.notes.push('The bundle carries no time stamp to check against the root.');
    return;
  }
  const chain = entries.has('tsa-chain.pem') ? findings.read('timestamp', 'tsa-chain.pem', parseText) : '';
  if (chain === undefined) return;
  // Most of the code that a check loads is for stamps.
  const { StampFault, verifyStamp } = await import('@firsthand/stamps/rfc3161.ts');
  const signature = note.signatures.find(({ name }) => name === origin);
  // The note as the log signed it, without later cosignatures.
  const message = utf8(`${note.text}\n${signature?.line ?? ''}\n`);
  try {
    const stamp = await verifyStamp({
      response: entry.bytes,
      message,
      chain,
      ...(roots === undefined ? {} : { roots }),
    });
    const { at, authority, rootChecked, claimsQualified } = stamp;
    report.timestamp = { at, authority, root_checked: rootChecked, claims_qualified: claimsQualified };
    if (!rootChecked) {
      report.notes.push('The time stamp was not checked against a root: name one with --tsa-root to know who made it.');
    }
  } catch (error) {
    if (!(error instanceof StampFault)) throw error;
    findings.fault('timestamp', 'timestamp.tsr', error.message, entry.range);
  }
}
