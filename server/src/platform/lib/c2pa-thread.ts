/** The thread of `c2pa-writer.ts`: WebAssembly that parses, hashes and writes files. It never sees a private key. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { FromThread, ToThread, WriteRequest } from './c2pa-writer.ts';

/** The library reads a Blob synchronously, as a browser's worker can. Node.js has no such reader, so this class keeps the bytes. */
class BytesBlob extends Blob {
  readonly held: Uint8Array;
  constructor(held: Uint8Array) {
    super([held as Uint8Array<ArrayBuffer>]);
    this.held = held;
  }
  override slice(start = 0, end = this.held.length): Blob {
    return new BytesBlob(this.held.subarray(start, end));
  }
}
class FileReaderSync {
  readAsArrayBuffer(blob: BytesBlob): ArrayBuffer {
    return new Uint8Array(blob.held).buffer;
  }
}

/**
 * No network (a photo must not make the service call an address), no thumbnail (the photo is its own), and no second pass over the
 * file to check what was just written: the tests check it with other readers.
 */
const SETTINGS = JSON.stringify({
  verify: { verify_after_sign: false, verify_trust: false, remote_manifest_fetch: false, ocsp_fetch: false },
  core: { decode_identity_assertions: false, allowed_network_hosts: [] },
  builder: { thumbnail: { enabled: false }, actions: { auto_opened_action: { enabled: false } } },
});

Object.assign(globalThis, { FileReaderSync });
const { initSync, WasmBuilder } = await import('@contentauth/c2pa-wasm');
initSync({ module: readFileSync(createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm')) });

const port = parentPort!;
const send = (message: FromThread, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
let signed: PromiseWithResolvers<Uint8Array<ArrayBuffer>> | undefined;

async function write({ bytes, mediaType, definition, ingredients, alg, reserveBytes }: WriteRequest) {
  const builder = WasmBuilder.fromJson(JSON.stringify(definition), SETTINGS);
  try {
    for (const { json, mediaType: type, bytes: part } of ingredients) {
      if (part === null) builder.addIngredient(JSON.stringify(json));
      else await builder.addIngredientFromBlob(JSON.stringify(json), type, new BytesBlob(part));
    }
    const signer = {
      alg,
      reserveSize: reserveBytes,
      sign(claim: Uint8Array<ArrayBuffer>) {
        signed = Promise.withResolvers();
        const copy = claim.slice();
        send({ kind: 'sign', claim: copy }, [copy.buffer]);
        return signed.promise;
      },
    };
    return await builder.sign(signer, [], mediaType, new BytesBlob(bytes));
  } finally {
    builder.free();
  }
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'signature') {
    if ('signature' in message) signed?.resolve(message.signature as Uint8Array<ArrayBuffer>);
    else signed?.reject(new Error(message.fault));
    return;
  }
  write(message.request).then(
    photo => {
      // The library's own memory is not transferable.
      const own = photo.slice();
      send({ kind: 'written', photo: own }, [own.buffer]);
    },
    error => send({ kind: 'failed', fault: String(error), broken: (error as Error)?.name === 'RuntimeError' }),
  );
});
