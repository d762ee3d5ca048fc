/** How many cases two people decided so, the second without seeing the first decision. */
export interface Pairs {
  first: string;
  second: string;
  cases: number;
}

/**
 * Agreement beyond chance: κ of Fleiss for two raters, where it does not matter who was first. 1: they always agree; 0: as often as
 * chance. Null where every decision is the same, because chance then agrees always, and without pairs.
 * Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76 (1971).
 */
export function kappaOf(pairs: readonly Pairs[]): number | null {
  const all = pairs.reduce((sum, { cases }) => sum + cases, 0);
  const agreed = pairs.reduce((sum, { first, second, cases }) => sum + (first === second ? cases : 0), 0);
  const said = new Map<string, number>();
  for (const { first, second, cases } of pairs) {
    said.set(first, (said.get(first) ?? 0) + cases);
    said.set(second, (said.get(second) ?? 0) + cases);
  }
  const chance = [...said.values()].reduce((sum, count) => sum + (count / (2 * all)) ** 2, 0);
  return all === 0 || chance >= 1 ? null : (agreed / all - chance) / (1 - chance);
}
