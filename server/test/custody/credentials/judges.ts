import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as c2pa from '@contentauth/c2pa-wasm';
import { BMFF, JPEG, PNG } from '@trustnxt/c2pa-ts/asset';
import { SuperBox } from '@trustnxt/c2pa-ts/jumbf';
import { ManifestStore } from '@trustnxt/c2pa-ts/manifest';

/** What a reader of C2PA says of a file. */
export interface Judgement {
  valid: boolean;
  /** The specification's failure codes. */
  failures: string[];
}

interface Manifest {
  title: string;
  claim_generator_info: { name: string }[];
  assertions: { label: string; data: Record<string, unknown>; created?: boolean }[];
  ingredients?: {
    relationship: string;
    active_manifest?: string;
    title: string;
    validation_status?: { code: string }[];
  }[];
  signature_info: { issuer: string; common_name: string; time?: string; alg: string };
}

export interface C2paRsJudgement extends Judgement {
  state: string;
  manifest: Manifest;
  manifests: Record<string, Manifest>;
}

c2pa.initSync({
  module: readFileSync(createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm')),
});

/** c2pa-rs, which also wrote the file; `roots`: PEM of trusted certificates. */
export async function askC2paRs(bytes: Buffer, mediaType: string, roots?: string): Promise<C2paRsJudgement> {
  const settings = {
    verify: { verify_trust: true, remote_manifest_fetch: false, ocsp_fetch: false },
    core: { decode_identity_assertions: false, allowed_network_hosts: [] },
    ...(roots ? { trust: { trust_anchors: roots } } : {}),
  };
  const reader = await c2pa.WasmReader.fromBytes(mediaType, bytes, JSON.stringify(settings));
  const store = JSON.parse(reader.json());
  reader.free();
  const { active_manifest, manifests, validation_state: state } = store;
  return { ...judgementIn(store), state, manifest: manifests[active_manifest], manifests };
}

/** An unknown signer is no fault of the file. */
function judgementIn(store: { validation_state: string; validation_status?: { code: string }[] }): Judgement {
  const codes = (store.validation_status ?? []).map(({ code }) => code);
  return {
    valid: ['Valid', 'Trusted'].includes(store.validation_state),
    failures: codes.filter(code => code !== 'signingCredential.untrusted'),
  };
}

/** c2pa-ts by TrustNXT, written without c2pa-rs. It reads no WebP: null. */
export async function askC2paTs(bytes: Buffer): Promise<Judgement | null> {
  const Format = [JPEG, PNG, BMFF].find(format => format.canRead(bytes));
  if (!Format) return null;
  const asset = new Format(bytes);
  const jumbf = asset.getManifestJUMBF();
  if (!jumbf) throw new Error('no manifest store');
  const result = await ManifestStore.read(SuperBox.fromBuffer(jumbf as Uint8Array<ArrayBuffer>)).validate(asset);
  return {
    valid: result.isValid,
    failures: result.statusEntries.filter(({ success }) => !success).map(({ code }) => code),
  };
}

const PYTHON = `
import io, json, sys, c2pa
reader = c2pa.Reader(sys.argv[1], io.BytesIO(sys.stdin.buffer.read()))
print(reader.json())
`;

/** A Python with c2pa-python, where the machine has one. */
export const pythonWithC2pa = (): string | null =>
  ['python3', 'python'].find(name => spawnSync(name, ['-c', 'import c2pa']).status === 0) ?? null;

/** c2pa-python: c2pa-rs as native code. */
export function askC2paPython(python: string, bytes: Buffer, mediaType: string): Judgement {
  const { stdout, stderr, status } = spawnSync(python, ['-c', PYTHON, mediaType], { input: bytes });
  if (status !== 0) throw new Error(String(stderr));
  return judgementIn(JSON.parse(String(stdout)));
}
