/** The real pictures that some suites use: `FIRSTHAND_DATA` names a folder with a `MANIFEST.tsv`. Empty without it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DataFile {
  kind: string;
  /** Relative to the folder, as in the manifest. */
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
