/** The real pictures some suites run on: a folder with a `MANIFEST.tsv`, named by `FIRSTHAND_DATA`; without it there are none. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DataFile {
  kind: string;
  /** Relative to the folder, as the manifest spells it. */
  path: string;
  repository: string;
  read(): Buffer;
}

const dataFolder = process.env.FIRSTHAND_DATA;

export function dataFiles(...kinds: string[]): DataFile[] {
  const manifest = dataFolder && join(dataFolder, 'MANIFEST.tsv');
  if (!manifest || !existsSync(manifest)) return [];
  return readFileSync(manifest, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map(row => row.split('\t'))
    .map(([kind, path, repository]) => ({
      kind: kind!,
      path: path!,
      repository: repository!,
      read: () => readFileSync(join(dataFolder!, path!)),
    }))
    .filter(file => kinds.includes(file.kind));
}
