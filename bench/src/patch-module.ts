import { registerHooks } from 'node:module';

/**
 * Replaces a piece of a module's source when this process loads it. For modules that a bench preloads with --import.
 *
 * @param file the end of the module's address.
 * @throws while the module loads, if its source lacks the piece.
 */
export function patchModule(file: string, piece: string | RegExp, replacement: (found: string) => string): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(file)) return loaded;
      const source = String(loaded.source);
      const changed = source.replace(piece, found => replacement(found));
      if (changed === source) throw new Error(`${file} lacks ${piece}: mend the bench that replaces it`);
      return { ...loaded, source: changed };
    },
  });
}
