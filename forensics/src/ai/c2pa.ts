import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  bmffBoxes,
  containerOf,
  jpegSegments,
  pngChunks,
  startsWith,
  webpChunks,
} from '../files/metadata/containers.ts';
import { type SourceKind, sourceKind } from './source-type.ts';

type C2pa = typeof import('@contentauth/c2pa-wasm');

/** One statement of a manifest about the origin of the picture or of a part of it. */
export interface C2paClaim {
  kind: SourceKind;
  /** Whether the statement concerns the picture itself or material placed in it. */
  of: 'picture' | 'component';
  /** The claim's location in the manifest, for example `c2pa.actions.v2/c2pa.created`. */
  field: string;
  value: string;
}

export interface C2paReport {
  /**
   * `trusted`: signature, hashes and the signer's chain are valid. `valid`: the same, but the chain does not end in one of our anchors.
   * `invalid`: a check failed, see `failures`. `unreadable`: the library could not read the manifest store.
   */
  state: 'trusted' | 'valid' | 'invalid' | 'unreadable';
  /** The specification's failure codes, such as `claimSignature.mismatch`. For `unreadable`: the library's error. */
  failures: string[];
  signer?: string;
  generator?: string;
  /** Make and model, as the signed metadata has them. */
  device?: string;
  claims: C2paClaim[];
}

const MIME = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' } as const;
const C2PA_UUID = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');

/** Larger pictures are not passed to the library, which copies them. */
const MAX_BYTES = 64 * 1024 * 1024;

/** True when the file embeds a C2PA manifest store. A cheap check, so that only such files load the library. */
export function embedsC2pa(bytes: Uint8Array): boolean {
  const container = containerOf(bytes);
  if (container === 'jpeg')
    return jpegSegments(bytes).some(({ type, start }) => type === 'ffeb' && startsWith(bytes, start, 'JP'));
  if (container === 'png') return pngChunks(bytes).some(({ type }) => type === 'caBX');
  if (container === 'webp') return webpChunks(bytes).some(({ type }) => type === 'C2PA');
  if (container !== 'bmff') return false;
  return bmffBoxes(bytes).some(
    ({ type, start }) => type === 'uuid' && C2PA_UUID.equals(bytes.subarray(start, start + C2PA_UUID.length)),
  );
}

let library: Promise<C2pa> | undefined;
let loads = 0;

/** The library is WebAssembly with one instance per thread. After a trap its memory may be corrupt, so it is loaded again. */
function loadLibrary(): Promise<C2pa> {
  library ??= (async () => {
    const require = createRequire(import.meta.url);
    const address = import.meta.resolve('@contentauth/c2pa-wasm');
    const module = (await import(loads === 0 ? address : `${address}?${loads}`)) as C2pa;
    loads += 1;
    module.initSync({ module: readFileSync(require.resolve('@contentauth/c2pa-wasm/c2pa.wasm')) });
    return module;
  })();
  return library;
}

/** Disables all network access (remote manifests, OCSP, identity documents): a picture must not make the server call an address. */
function settings(trustAnchors: string | undefined): string {
  return JSON.stringify({
    verify: { verify_trust: true, remote_manifest_fetch: false, ocsp_fetch: false },
    core: { decode_identity_assertions: false, allowed_network_hosts: [] },
    ...(trustAnchors && { trust: { trust_anchors: trustAnchors } }),
  });
}

/**
 * Reads and validates an embedded C2PA manifest store with the Content Authenticity Initiative's own library.
 * @param anchors gives the PEM of the root and intermediate certificates trusted to sign, asked only for a file with a store; without it no
 *   signer is `trusted`.
 * @returns undefined when the file embeds no manifest store.
 */
export async function readC2pa(
  bytes: Uint8Array,
  anchors: () => string | undefined = () => undefined,
): Promise<C2paReport | undefined> {
  if (!embedsC2pa(bytes)) return undefined;
  if (bytes.length > MAX_BYTES) return { state: 'unreadable', failures: ['file too large to validate'], claims: [] };
  const { WasmReader } = await loadLibrary();
  let json: string;
  try {
    const reader = await WasmReader.fromBytes(mimeOf(bytes), bytes, settings(anchors()));
    json = reader.json();
    reader.free();
  } catch (fault) {
    if ((fault as Error)?.name === 'RuntimeError') library = undefined;
    return { state: 'unreadable', failures: [String(fault).slice(0, 200)], claims: [] };
  }
  return reportOf(JSON.parse(json) as Store);
}

function mimeOf(bytes: Uint8Array): string {
  const container = containerOf(bytes);
  if (container === 'jpeg' || container === 'png' || container === 'webp') return MIME[container];
  return startsWith(bytes, 8, 'avif') || startsWith(bytes, 8, 'avis') ? 'image/avif' : 'image/heic';
}

interface Store {
  active_manifest?: string;
  validation_state?: string;
  validation_status?: { code?: unknown }[];
  manifests?: Record<string, Manifest>;
}

interface Manifest {
  claim_generator?: unknown;
  claim_generator_info?: { name?: unknown; version?: unknown }[];
  signature_info?: { issuer?: unknown; common_name?: unknown };
  assertions?: { label?: unknown; data?: unknown }[];
  ingredients?: { relationship?: unknown; active_manifest?: unknown }[];
}

const STATES: Record<string, C2paReport['state']> = { Trusted: 'trusted', Valid: 'valid' };

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value ? value.slice(0, 300) : undefined;

function reportOf(store: Store): C2paReport {
  const active = store.manifests?.[store.active_manifest ?? ''];
  const state = STATES[store.validation_state ?? ''] ?? 'invalid';
  const codes = (store.validation_status ?? []).map(status => text(status.code)).filter(code => code !== undefined);
  const claims: C2paClaim[] = [];
  collect(store, store.active_manifest ?? '', 'picture', new Set(), claims);
  const info = active?.claim_generator_info?.[0];
  return {
    state,
    failures: [...new Set(codes)],
    signer: text(active?.signature_info?.issuer) ?? text(active?.signature_info?.common_name),
    generator: text(info?.name) ?? text(active?.claim_generator),
    device: deviceOf(store, store.active_manifest ?? '', new Set()),
    claims,
  };
}

/** Make and model from the metadata assertions of a manifest or of the manifests that its picture came from. */
function deviceOf(store: Store, label: string, seen: Set<string>): string | undefined {
  const manifest = store.manifests?.[label];
  if (!manifest || seen.has(label)) return undefined;
  seen.add(label);
  for (const { label: name, data } of manifest.assertions ?? []) {
    if (!/^(stds\.exif|c2pa\.metadata|cawg\.metadata)/.test(text(name) ?? '')) continue;
    const fields = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
    const [make, model] = [text(fields['tiff:Make']), text(fields['tiff:Model'])];
    if (make || model) return [make, model].filter(Boolean).join(' ');
  }
  for (const { relationship, active_manifest } of manifest.ingredients ?? []) {
    if (relationship !== 'parentOf') continue;
    const device = deviceOf(store, text(active_manifest) ?? '', seen);
    if (device) return device;
  }
  return undefined;
}

/** The failures that people meet, in words. The code stands beside them. */
const WORDS: readonly [code: RegExp, words: string][] = [
  [/^assertion\.(dataHash|bmffHash|boxesHash)\.mismatch$/, 'the picture was changed after it was signed'],
  [/^assertion\.hashedURI\.mismatch$/, 'a statement of the manifest was changed after it was signed'],
  [/^claimSignature\.mismatch$/, 'the signature does not fit the manifest'],
  [/^claimSignature\./, 'the signature cannot be used'],
  [
    /^signingCredential\.(expired|outsideValidity)$|^claimSignature\.outsideValidity$/,
    "the signer's certificate had run out",
  ],
  [/^signingCredential\.revoked$|ocsp\.revoked/, "the signer's certificate was revoked"],
  [/^signingCredential\.invalid$/, "the signer's certificate is not one for signing pictures"],
  [/^signingCredential\.untrusted$/, 'no list that is used here names the signer'],
  [/^timeStamp\./, 'the time stamp does not hold'],
  [/^ingredient\./, 'what it says of the file it came from does not hold'],
  [/^assertion\./, 'a statement of the manifest is missing or not allowed'],
  [/^(claim|manifest)\./, 'the manifest is incomplete'],
];

/** Says which check failed: `the picture was changed after it was signed (assertion.dataHash.mismatch)`. */
export function failureWords(code: string): string {
  const words = WORDS.find(([pattern]) => pattern.test(code))?.[1];
  return words ? `${words} (${code})` : code;
}

/**
 * Walks from the active manifest to its ingredients. An ingredient that only went *into* a tool (`inputTo`) says
 * nothing about the picture.
 */
function collect(store: Store, label: string, of: C2paClaim['of'], seen: Set<string>, claims: C2paClaim[]): void {
  const manifest = store.manifests?.[label];
  if (!manifest || seen.has(label) || claims.length > 200) return;
  seen.add(label);
  for (const assertion of manifest.assertions ?? []) {
    const name = text(assertion.label) ?? '';
    if (name.startsWith('c2pa.actions')) actions(name, assertion.data, of, claims);
    else if (/^(stds\.iptc|c2pa\.metadata|cawg\.metadata)/.test(name))
      metadataAssertion(name, assertion.data, of, claims);
  }
  for (const ingredient of manifest.ingredients ?? []) {
    const next = text(ingredient.active_manifest);
    if (!next || ingredient.relationship === 'inputTo') continue;
    collect(store, next, ingredient.relationship === 'parentOf' ? of : 'component', seen, claims);
  }
}

function actions(label: string, data: unknown, of: C2paClaim['of'], claims: C2paClaim[]): void {
  const list = (data as { actions?: unknown } | undefined)?.actions;
  if (!Array.isArray(list)) return;
  for (const action of list as Record<string, unknown>[]) {
    const name = text(action?.action) ?? 'action';
    const type =
      text(action?.digitalSourceType) ?? text((action?.parameters as Record<string, unknown>)?.digitalSourceType);
    const agent =
      text(action?.softwareAgent) ?? text((action?.softwareAgent as Record<string, unknown> | undefined)?.name);
    const source = type && sourceKind(type);
    if (source)
      claims.push({
        kind: source.kind,
        of,
        field: `${label}/${name}`,
        value: agent ? `${source.term} (${agent})` : source.term,
      });
  }
}

function metadataAssertion(label: string, data: unknown, of: C2paClaim['of'], claims: C2paClaim[]): void {
  if (typeof data !== 'object' || data === null) return;
  for (const [key, value] of Object.entries(data)) {
    const source = /(^|:)DigitalSourceType$/i.test(key) && typeof value === 'string' ? sourceKind(value) : undefined;
    if (source) claims.push({ kind: source.kind, of, field: `${label}/${key}`, value: source.term });
  }
}
