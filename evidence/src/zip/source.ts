import { concat } from '../bytes.ts';

/** Bytes as they come, taken in pieces of the length asked for. Holds one chunk at a time. */
export class ByteSource {
  /** How many bytes were taken. */
  at = 0;
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** The next bytes, between one and `most` of them; null at the end. */
  async some(most: number): Promise<Uint8Array | null> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return null;
      this.#chunk = next.value;
    }
    const bytes = this.#chunk.subarray(0, most);
    this.#chunk = this.#chunk.subarray(bytes.length);
    this.at += bytes.length;
    return bytes;
  }

  /** The next `count` bytes, fewer only at the end. For headers: it copies. */
  async take(count: number): Promise<Uint8Array> {
    const taken = new Uint8Array(count);
    let have = 0;
    while (have < count) {
      const bytes = await this.some(count - have);
      if (!bytes) return taken.subarray(0, have);
      taken.set(bytes, have);
      have += bytes.length;
    }
    return taken;
  }

  /** Puts the bytes that were taken last back. */
  untake(bytes: Uint8Array): void {
    this.#chunk = this.#chunk.length === 0 ? bytes : concat(bytes, this.#chunk);
    this.at -= bytes.length;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
