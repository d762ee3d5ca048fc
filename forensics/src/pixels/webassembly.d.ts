/** The part that we use. TypeScript declares WebAssembly only in its browser library. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: Record<string, unknown>;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
    /** By pages of 64 KiB. Replaces `buffer`. */
    grow(pages: number): number;
  }
}
