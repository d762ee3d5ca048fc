import type { FileFact } from '../verification/file-facts.ts';

/** One fact of two files. */
export interface Differing {
  key: string;
  label: string;
  first: string | undefined;
  second: string | undefined;
}

/** The facts in which two files differ, those of the first before the others. Ids and hashes always differ and say nothing. */
export function factsThatDiffer(first: readonly FileFact[], second: readonly FileFact[]): Differing[] {
  const [left, right] = [first, second].map(facts => new Map(facts.map(({ key, value }) => [key, value])));
  const labels = new Map([...first, ...second].filter(({ code }) => !code).map(({ key, label }) => [key, label]));
  return [...labels]
    .map(([key, label]) => ({ key, label, first: left!.get(key), second: right!.get(key) }))
    .filter(row => row.first !== row.second);
}
