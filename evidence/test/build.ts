import { createHash, randomBytes } from 'node:crypto';
import { FORMAT, manifestText } from '../src/bundle.ts';
import { concat, utf8 } from '../src/bytes.ts';
import { checkpointText } from '../src/checkpoint.ts';
import { canonicalBytes } from '../src/json.ts';
import { inclusionRanges, leafHash, type NodeHash, nodeHash, rangeHash, rootOf } from '../src/merkle.ts';
import { COSIGNATURE, type Signer, signatureLine, signerOf, signNote, type Verifier, vkeyOf } from '../src/note.ts';
import { commitmentOf, entryOf } from '../src/statement.ts';
import { formatProof } from '../src/tlog-proof.ts';
import { base64url, generateKey } from '../src/trust.ts';
import { crc32 } from '../src/zip/crc32.ts';
import { centralDirectory, localHeader } from '../src/zip/layout.ts';

// Bundles made by hand: a log in memory, a verification of two photos.

export type Files = Map<string, Uint8Array>;

export const ORIGIN = 'evidence.example/log';
export const ID = 'vfy_01JD00000000000000000000AA';

export const newSigner = (name = ORIGIN, kind?: Signer['kind']): Signer =>
  signerOf(name, generateKey().secretKey, kind);

export const nodesOver =
  (leaves: readonly Uint8Array[]): NodeHash =>
  ({ height, index }) => {
    if (height === 0) return leaves[Number(index)]!;
    const below = { height: height - 1, index: index * 2n };
    const of = nodesOver(leaves);
    return nodeHash(of(below), of({ ...below, index: below.index + 1n }));
  };

export interface Made {
  files: Files;
  log: Signer;
  bundle: Signer;
  witness: Signer;
  /** What a time-stamping authority stamps. */
  signedCheckpoint: string;
}

export const photoBytes = (seed: number, bytes = 3000): Uint8Array =>
  concat(
    ...Array.from({ length: Math.ceil(bytes / 32) }, (_, at) => createHash('sha256').update(`${seed}/${at}`).digest()),
  ).slice(0, bytes);

/** The statements' files with the proofs that a log of theirs and `others` entries gives them. */
export function makeLog(
  statements: readonly object[],
  log: Signer,
  o: { witness?: Signer; cosignedAt?: bigint; others?: number } = {},
) {
  const others = o.others ?? 5;
  const salts = statements.map(() => randomBytes(32));
  const foreign = Array.from({ length: others }, () => leafHash(randomBytes(33)));
  const leaves = statements.map((statement, index) => leafHash(entryOf(commitmentOf(salts[index]!, statement))));
  // Strangers' entries lie between ours.
  const tree = [...foreign.slice(0, 2), leaves[0]!, ...foreign.slice(2), ...leaves.slice(1)];
  const indices = leaves.map((_, index) => BigInt(index === 0 ? 2 : others + index));
  const hashOf = nodesOver(tree);
  const size = BigInt(tree.length);
  const text = checkpointText({ origin: log.name, size, root: rootOf(size, hashOf) });
  const signedCheckpoint = signNote(text, log);
  const cosignature = o.witness ? signatureLine(text, o.witness, o.cosignedAt ?? 1_764_000_000n) : '';
  const files: Files = new Map();
  for (const [index, statement] of statements.entries()) {
    files.set(`statements/${index + 1}.json`, canonicalBytes({ statement, salt: salts[index]!.toString('base64') }));
  }
  for (const [at, index] of indices.entries()) {
    const hashes = inclusionRanges(index, size).map(range => rangeHash(range, hashOf));
    files.set(
      `proofs/${at + 1}.tlog-proof`,
      utf8(formatProof({ index, hashes, checkpoint: signedCheckpoint + cosignature })),
    );
  }
  return { files, signedCheckpoint };
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const VERDICT = {
  label: 'verified',
  score: 0.97,
  signals: { screen_detection: { screen_detected: false, confidence: 0.97 } },
};

export function makeBundle(o: { others?: number; extra?: Files; test?: boolean } = {}): Made {
  const [log, bundle, witness] = [newSigner(), newSigner(), newSigner('witness.example', COSIGNATURE)];
  const photos = ['cap_A', 'cap_B'].map((id, index) => ({ id, bytes: photoBytes(index) }));
  const record = canonicalBytes({
    record: {
      id: ID,
      created_at: '2026-11-01T10:00:00.000Z',
      expires_at: '2026-11-01T11:00:00.000Z',
      config: { max_captures: 2 },
    },
    answers: { plate: { value: 'B-XY 12', answered_at: '2026-11-01T10:01:00.000Z' } },
  });
  const common = (type: string, seq: number) => ({
    v: 1,
    type,
    tenant_id: 'tnt_01JD00000000000000000000AA',
    verification_id: ID,
    seq,
    ...(o.test ? { livemode: false } : {}),
    at: `2026-11-01T10:0${seq}:00.000Z`,
  });
  const statements = [
    ...photos.map(({ id, bytes }, index) => ({
      ...common('capture', index + 1),
      capture_id: id,
      step_key: 'front',
      image: { sha256: sha256(bytes), bytes: bytes.length, media_type: 'image/jpeg' },
      received_at: `2026-11-01T10:0${index + 1}:00.000Z`,
    })),
    {
      ...common('verdict', 3),
      ...VERDICT,
      detectors: { screen: '5' },
      record_seal: { algorithm: 'sha256', hash: sha256(record) },
    },
    { ...common('case_analysis', 4), case_analysis: { overall_risk_score: 0.1 } },
    { ...common('review', 5), review: { decision: 'accept' } },
  ];
  const logged = makeLog(statements, log, { witness, ...o });
  const files: Files = new Map([
    ['record.json', record],
    ['seal.json', canonicalBytes({ algorithm: 'sha256', hash: sha256(record), covers: ['record', 'answers'] })],
    ['verdict.json', canonicalBytes(VERDICT)],
    ['case_analysis.json', canonicalBytes({ overall_risk_score: 0.1 })],
    ['reviews.json', canonicalBytes([{ decision: 'accept' }])],
    ...logged.files,
    ...photos.map(({ id, bytes }): [string, Uint8Array] => [`originals/${id}.jpg`, bytes]),
    ...photos.map(({ id }, index): [string, Uint8Array] => [`previews/${id}.jpg`, photoBytes(index + 10, 500)]),
    ...(o.extra ?? []),
    ['certificate.pdf', utf8('%PDF-1.7 a certificate')],
    ['README.txt', utf8('How to check this by hand.\n')],
  ]);
  const made = { files, log, bundle, witness, signedCheckpoint: logged.signedCheckpoint };
  resign(made, o.test ? { livemode: false } : {});
  return made;
}

/** Lists the files as they are and signs the list: what somebody with a key of that name can do. */
export function resign(made: Pick<Made, 'files' | 'log' | 'bundle'>, manifest: object = {}): void {
  made.files.delete('manifest.json');
  made.files.delete('manifest.sig');
  const bytes = canonicalBytes({
    format: FORMAT,
    verification_id: ID,
    origin: ORIGIN,
    created_at: '2026-11-01T10:10:00.000Z',
    keys: { log: vkeyOf(made.log), bundle: vkeyOf(made.bundle) },
    files: [...made.files].map(([path, content]) => ({ path, bytes: content.length, sha256: sha256(content) })),
    ...manifest,
  });
  const rest = [...made.files];
  made.files.clear();
  made.files.set('manifest.json', bytes);
  made.files.set('manifest.sig', utf8(signNote(manifestText(bytes), made.bundle)));
  for (const [name, content] of rest) made.files.set(name, content);
}

/** A key of a JWK Set. */
export const jwkOf = (key: Verifier, members: object = {}): object => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: base64url(key.publicKey),
  vkey: vkeyOf(key),
  ...members,
});

/** What `GET /v1/evidence-keys` answers about a bundle's keys, each with more members. */
export const keySetOf = ({ log, bundle }: Made, logMembers: object = {}, bundleMembers: object = {}): string =>
  JSON.stringify({
    keys: [jwkOf(log, { role: 'log', ...logMembers }), jwkOf(bundle, { role: 'bundle', ...bundleMembers })],
  });

/** The same statements in a log of nothing else: what somebody makes who has these keys. */
export function forgeLog(made: Made, log: Signer, bundle: Signer, o: Parameters<typeof makeLog>[2] = {}): Made {
  const statements = [...made.files]
    .filter(([name]) => name.startsWith('statements/'))
    .map(([, bytes]) => JSON.parse(new TextDecoder().decode(bytes)).statement as object);
  const { files, signedCheckpoint } = makeLog(statements, log, o);
  const forged = { ...made, files: new Map([...made.files, ...files]), log, bundle, signedCheckpoint };
  resign(forged);
  return forged;
}

/** The archive as it is issued. */
export function zip(files: Files): Uint8Array {
  const entries = [...files].map(([name, bytes]) => ({ name, size: bytes.length, crc32: crc32(bytes) }));
  return concat(
    ...entries.flatMap((entry): Uint8Array[] => [localHeader(entry), files.get(entry.name)!]),
    centralDirectory(entries),
  );
}

/** An archive in chunks of odd lengths. */
export async function* chunked(bytes: Uint8Array, length = 997): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}
