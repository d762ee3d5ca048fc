/** A delivery and the claim that took it from the queue. */
export interface Held {
  id: string;
  claim: string;
}

/** Tracks the deliveries this node has claimed and has neither recorded nor handed back. */
export function createHoldings() {
  const claims = new Map<string, Set<string>>();
  // Claims that have ended here, but not yet in the database.
  let unrecorded: string[] = [];
  return {
    add(claim: string, ids: readonly string[]): void {
      if (ids.length > 0) claims.set(claim, new Set(ids));
    },

    /** Returns the claims that end with these deliveries. The caller ends them in the database. */
    endingWith(deliveries: readonly Held[]): string[] {
      const settled = new Map<string, number>();
      for (const { id, claim } of deliveries) {
        if (claims.get(claim)?.has(id)) settled.set(claim, (settled.get(claim) ?? 0) + 1);
      }
      return [
        ...unrecorded,
        ...[...settled].filter(([claim, count]) => claims.get(claim)?.size === count).map(([claim]) => claim),
      ];
    },

    /** Call after these deliveries were recorded or handed back, and the claims in `recorded` ended in the database. */
    settle(deliveries: readonly Held[], recorded: readonly string[]): void {
      unrecorded = unrecorded.filter(claim => !recorded.includes(claim));
      for (const { id, claim } of deliveries) {
        const left = claims.get(claim);
        if (!left?.delete(id) || left.size > 0) continue;
        claims.delete(claim);
        if (!recorded.includes(claim)) unrecorded.push(claim);
      }
    },

    /** Ids of all held deliveries. */
    ids: (): string[] => [...claims.values()].flatMap(ids => [...ids]),
  };
}
