/** Signs drawn pictures with C2PA manifests under a certificate authority created for the run. */

import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { makeChain } from './certificates.ts';

/** The library reads a Blob synchronously, as in a browser's worker. Node has no such reader, so this class keeps the bytes. */
class BytesBlob extends Blob {
  readonly held: Uint8Array;
  constructor(held: Uint8Array) {
    super([held as Uint8Array<ArrayBuffer>]);
    this.held = held;
  }
  override slice(start = 0, end = this.held.length): Blob {
    return new BytesBlob(this.held.slice(start, end));
  }
}
class FileReaderSync {
  readAsArrayBuffer(blob: BytesBlob): ArrayBuffer {
    return new Uint8Array(blob.held).buffer;
  }
}

/** Encodes CBOR (RFC 8949) for the few shapes that a COSE signature needs. */
function cbor(value: number | string | Uint8Array | null | unknown[] | Map<unknown, unknown>): Buffer {
  const head = (major: number, n: number): Buffer =>
    n < 24
      ? Buffer.from([(major << 5) | n])
      : n < 256
        ? Buffer.from([(major << 5) | 24, n])
        : Buffer.from([(major << 5) | 25, n >> 8, n & 255]);
  const any = (entry: unknown): Buffer => cbor(entry as number);
  if (value === null) return Buffer.from([0xf6]);
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(any)]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, entry]) => [any(key), any(entry)])]);
}

export interface Signer {
  /** PEM of the root certificate that a reader may trust. */
  root: string;
  /** Returns the picture with an embedded, signed manifest. `context`: the settings of c2pa-rs, which checks the ingredients. */
  sign(
    picture: Buffer,
    mime: string,
    definition: object,
    ingredients?: { json: object; picture: Buffer; mime: string }[],
    context?: object,
  ): Promise<Buffer>;
}

export async function makeSigner(): Promise<Signer> {
  const { key, certificates, rootPem } = makeChain();
  const protectedHeader = cbor(
    new Map<unknown, unknown>([
      [1, -7],
      [33, certificates],
    ]),
  );
  const reserveSize = 4_096;

  const definition = {
    alg: 'es256',
    reserveSize,
    async sign(claim: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
      const toSign = cbor(['Signature1', protectedHeader, Buffer.alloc(0), claim]);
      const signature = sign('sha256', toSign, { key, dsaEncoding: 'ieee-p1363' });
      const cose = (pad: number) =>
        Buffer.concat([
          Buffer.from([0xd2]),
          cbor([protectedHeader, new Map([['pad', Buffer.alloc(pad)]]), null, signature]),
        ]);
      return new Uint8Array(cose(reserveSize - cose(0).length - 2));
    },
  };

  const library = await loadBuilder();
  return {
    root: rootPem,
    async sign(picture, mime, manifest, ingredients = [], context = undefined) {
      const builder = library.WasmBuilder.fromJson(JSON.stringify(manifest), context && JSON.stringify(context));
      for (const { json, picture: part, mime: type } of ingredients)
        await builder.addIngredientFromBlob(JSON.stringify(json), type, new BytesBlob(part));
      const signed = await builder.sign(definition, [], mime, new BytesBlob(picture));
      builder.free();
      return Buffer.from(signed);
    },
  };
}

async function loadBuilder(): Promise<typeof import('@contentauth/c2pa-wasm')> {
  Object.assign(globalThis, { FileReaderSync });
  const library = await import('@contentauth/c2pa-wasm');
  library.initSync({
    module: readFileSync(createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm')),
  });
  return library;
}
