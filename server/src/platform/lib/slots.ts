/** A name that holds slots, and the most it may hold at once. */
export interface Holder {
  name: string;
  most: number;
}

/** Counts what runs at once in this process, by name. */
export interface Slots {
  /**
   * Takes one slot of each holder, or none and returns null when a holder is full. The caller must call the returned
   * function when its work ends; a second call does nothing.
   */
  take(...holders: readonly Holder[]): (() => void) | null;
  /** Slots held by all names together. */
  readonly held: number;
}

export function createSlots(): Slots {
  const taken = new Map<string, number>();
  const add = (name: string, by: number): void => {
    const count = (taken.get(name) ?? 0) + by;
    if (count > 0) taken.set(name, count);
    else taken.delete(name);
  };
  return {
    take(...holders) {
      if (holders.some(({ name, most }) => (taken.get(name) ?? 0) >= most)) return null;
      for (const { name } of holders) add(name, 1);
      let over = false;
      return () => {
        if (over) return;
        over = true;
        for (const { name } of holders) add(name, -1);
      };
    },
    get held() {
      return [...taken.values()].reduce((sum, count) => sum + count, 0);
    },
  };
}
