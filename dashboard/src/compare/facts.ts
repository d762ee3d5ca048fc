export interface Differing {
  path: string;
  first?: string;
  second?: string;
}

/** Facts that differ between any two files. */
const ALWAYS = /^(id|sha256|image_url|preview_url|thumb_url|display_url|image_key|phash)$|_url$|_key$/;

function leaves(value: unknown, path = ''): [string, string][] {
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [[path, String(value)]];
  return Object.entries(value).flatMap(([key, member]) =>
    ALWAYS.test(key) ? [] : leaves(member, path === '' ? key : `${path}.${key}`),
  );
}

/** The facts in which two captures differ: EXIF, size, source, place, signals. */
export function factsThatDiffer(first: object, second: object): Differing[] {
  const [left, right] = [new Map(leaves(first)), new Map(leaves(second))];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter(path => left.get(path) !== right.get(path))
    .map(path => ({
      path,
      ...(left.has(path) ? { first: left.get(path)! } : {}),
      ...(right.has(path) ? { second: right.get(path)! } : {}),
    }));
}
