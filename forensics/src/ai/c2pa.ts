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
import { type C2paClaim, claimsOf } from './c2pa-claims.ts';
import { type Standing, standingOf, type Validated } from './c2pa-standing.ts';
import { type Store, text } from './c2pa-store.ts';

type C2pa = typeof import('@contentauth/c2pa-wasm');

export interface C2paReport {
  /**
   * `trusted`: signature, hashes and the signer's chain are valid. `valid`: the same, but the chain does not end in one of our anchors.
   * `invalid`: a check failed, see `failures`. `unreadable`: the library could not read the manifest store.
   */
  state: 'trusted' | 'valid' | 'invalid' | 'unreadable';
  /** The specification's failure codes, such as `claimSignature.mismatch`. For `unreadable`: the library's error. */
  failures: string[];
  /** As the certificate and the claim have them. Only a `trusted` state makes them more than somebody's word. */
  signer?: string;
  generator?: string;
  /** Make and model, as the metadata of a trusted signer has them. */
  device?: string;
  claims: C2paClaim[];
  /** For each ingredient of a trusted manifest that is not believed, the codes that speak against it. */
  doubts: string[][];
}

const MIME = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' } as const;
const C2PA_UUID = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');

/** Larger pictures are not passed to the library, which copies them. */
const MAX_BYTES = 64 * 1024 * 1024;

/** True when the file embeds a C2PA manifest store. A cheap check, so that only such files load the library. */
export function embedsC2pa(bytes: Uint8Array): boolean {
  const container = containerOf(bytes);
  // APP11 carries JUMBF boxes of other uses too. The type of a manifest store stands behind the headers of its box and description.
  if (container === 'jpeg')
    return jpegSegments(bytes).some(
      ({ type, start }) => type === 'ffeb' && startsWith(bytes, start, 'JP') && startsWith(bytes, start + 24, 'c2pa'),
    );
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
  if (bytes.length > MAX_BYTES) return { ...UNREADABLE, failures: ['file too large to validate'] };
  const context = settings(anchors());
  try {
    return await validated(mimeOf(bytes), bytes, context, async whole =>
      reportOf(whole.store, await standingOf(whole)),
    );
  } catch (fault) {
    return { ...UNREADABLE, failures: [String(fault).slice(0, 200)] };
  }
}

const UNREADABLE = { state: 'unreadable', failures: [], claims: [], doubts: [] } satisfies C2paReport;

/** Validates a manifest store and passes it to `use`. */
async function validated<T>(
  mime: string,
  bytes: Uint8Array,
  context: string,
  use: (found: Validated) => Promise<T>,
): Promise<T> {
  const { WasmReader } = await loadLibrary();
  try {
    const reader = await WasmReader.fromBytes(mime, bytes, context);
    const found = await use({
      store: JSON.parse(reader.json()) as Store,
      async readPart(identifier, useOf) {
        try {
          return await validated('application/c2pa', reader.resourceToBytes(identifier), context, useOf);
        } catch {
          return undefined;
        }
      },
    });
    reader.free();
    return found;
  } catch (fault) {
    if ((fault as Error)?.name === 'RuntimeError') library = undefined;
    throw fault;
  }
}

function mimeOf(bytes: Uint8Array): string {
  const container = containerOf(bytes);
  if (container === 'jpeg' || container === 'png' || container === 'webp') return MIME[container];
  return startsWith(bytes, 8, 'avif') || startsWith(bytes, 8, 'avis') ? 'image/avif' : 'image/heic';
}

const STATES: Record<string, C2paReport['state']> = { Trusted: 'trusted', Valid: 'valid' };

function reportOf(store: Store, standing: Standing): C2paReport {
  const active = store.manifests?.[store.active_manifest ?? ''];
  const codes = (store.validation_status ?? []).map(status => text(status.code)).filter(code => code !== undefined);
  const info = active?.claim_generator_info?.[0];
  return {
    state: STATES[store.validation_state ?? ''] ?? 'invalid',
    failures: [...new Set(codes)],
    signer: text(active?.signature_info?.issuer) ?? text(active?.signature_info?.common_name),
    generator: text(info?.name) ?? text(active?.claim_generator),
    doubts: [...standing.values()].filter(codes => codes.length > 0).map(codes => [...new Set(codes)]),
    ...claimsOf(store, standing),
  };
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
