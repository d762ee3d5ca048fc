export interface Difference {
  path: string;
  was?: string;
  is?: string;
}

/** Every leaf of a value by its dotted path, as the API names faults. */
function leaves(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[path, String(value)]]);
  return new Map(
    Object.entries(value).flatMap(([key, member]) => [...leaves(member, path === '' ? key : `${path}.${key}`)]),
  );
}

/** The differences between two versions, by path. */
export function differences(
  before: { name: string; request: unknown },
  after: { name: string; request: unknown },
): Difference[] {
  const was = leaves({ name: before.name, ...(before.request as object) });
  const is = leaves({ name: after.name, ...(after.request as object) });
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter(path => was.get(path) !== is.get(path))
    .map(path => ({
      path,
      ...(was.has(path) ? { was: was.get(path)! } : {}),
      ...(is.has(path) ? { is: is.get(path)! } : {}),
    }));
}
