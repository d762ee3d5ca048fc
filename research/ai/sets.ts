import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const [heading = '', ...lines] = gunzipSync(readFileSync(new URL('./sets.tsv.gz', import.meta.url)))
  .toString()
  .trim()
  .split('\n');
const columns = heading.split('\t');

/** The pictures of `sets.tsv.gz`, by the names of its columns. */
export const pictures: Record<string, string>[] = lines.map(line =>
  Object.fromEntries(line.split('\t').map((cell, i) => [columns[i]!, cell])),
);
