// Which files of the packages Node.js loads: what the server's sources import, and what those import in turn.
import { join, relative } from 'node:path';
import { scan } from 'rolldown/experimental';

/** Started as a thread, or looked up, by a path that no import names. */
const BY_PATH: Record<string, string[]> = {
  // Required by a name with the platform in it.
  '@img/sharp': ['index.cjs'],
  'tesseract.js': ['src/worker-script/node/index.js'],
  pino: ['lib/worker.js', 'file.js'],
  'thread-stream': ['lib/worker.js'],
};

const PLATFORM = /-(linux|linuxmusl|darwin)-(x64|arm64)$/;

/** The files, relative to `root`, that are reached from `entries` and from the packages' folders. */
export async function loadedFiles(
  root: string,
  entries: readonly string[],
  packages: readonly string[],
): Promise<Set<string>> {
  const byPath = packages.flatMap(folder =>
    (BY_PATH[folder.slice(folder.lastIndexOf('node_modules/') + 13).replace(PLATFORM, '')] ?? []).map(file =>
      join(folder, file),
    ),
  );
  const loaded = new Set<string>();
  const ended = await scan({
    input: [...entries, ...byPath].map(file => join(root, file)),
    cwd: root,
    platform: 'node',
    treeshake: false,
    // As Node.js resolves.
    resolve: { mainFields: ['main'], conditionNames: ['node', 'node-addons', 'module-sync'], symlinks: true },
    // An optional package that is not installed, for instance.
    onLog: () => {},
    plugins: [
      {
        name: 'loaded',
        load: { filter: { id: /\.(node|wasm)$/ }, handler: () => ({ code: '', moduleType: 'js' }) },
        moduleParsed: ({ id }) => void loaded.add(relative(root, id)),
      },
    ],
  });
  await ended;
  return loaded;
}
