/** A delivery by its id, and the claim that it was taken with. */
export interface Held {
  id: string;
  claim: string;
}

/** Which deliveries of which claims this node still holds: neither written down nor handed back. */
export function createHoldings() {
  const claims = new Map<string, Set<string>>();
  // Claims that ended without anybody having been told.
  let untold: string[] = [];
  return {
    add(claim: string, ids: readonly string[]): void {
      if (ids.length > 0) claims.set(claim, new Set(ids));
    },

    /** The claims that hold nothing once these deliveries are settled. */
    endingWith(deliveries: readonly Held[]): string[] {
      const settled = new Map<string, number>();
      for (const { id, claim } of deliveries) {
        if (claims.get(claim)?.has(id)) settled.set(claim, (settled.get(claim) ?? 0) + 1);
      }
      return [
        ...untold,
        ...[...settled].filter(([claim, count]) => claims.get(claim)?.size === count).map(([claim]) => claim),
      ];
    },

    /** These are written down or handed back, and what was in `told` has ended in the database. */
    settle(deliveries: readonly Held[], told: readonly string[]): void {
      untold = untold.filter(claim => !told.includes(claim));
      for (const { id, claim } of deliveries) {
        const left = claims.get(claim);
        if (!left?.delete(id) || left.size > 0) continue;
        claims.delete(claim);
        if (!told.includes(claim)) untold.push(claim);
      }
    },

    /** Everything that is held. */
    ids: (): string[] => [...claims.values()].flatMap(ids => [...ids]),
  };
}
