import type { LinkTemplateWithVersions } from '@firsthand/contract/account/management.ts';

export type Version = LinkTemplateWithVersions['versions'][number];

export interface Difference {
  path: string;
  was?: string | undefined;
  is?: string | undefined;
}

/** Every leaf of a value by its dotted path, as the API names faults. */
function leaves(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[path, String(value)]]);
  return new Map(
    Object.entries(value).flatMap(([key, member]) => [...leaves(member, path === '' ? key : `${path}.${key}`)]),
  );
}

/** Everything that a version says, but for when it was said. */
const said = ({ version, published_at, request, ...template }: Version) => leaves({ ...template, ...request });

/** The differences between two versions, by path. */
export function differences(before: Version, after: Version): Difference[] {
  const [was, is] = [said(before), said(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter(path => was.get(path) !== is.get(path))
    .map(path => ({ path, was: was.get(path), is: is.get(path) }));
}
