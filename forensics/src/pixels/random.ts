/** A small seeded generator (mulberry32), so that every simulated picture is reproducible from its number. */
export interface Random {
  /** Uniform in [low, high). */
  uniform(low?: number, high?: number): number;
  /** Log-uniform between two positive bounds. */
  logUniform(low: number, high: number): number;
  /** Standard normal. */
  normal(): number;
  pick<T>(list: readonly T[]): T;
}

export function random(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const uniform = (low = 0, high = 1): number => low + (high - low) * next();
  return {
    uniform,
    logUniform: (low, high) => Math.exp(uniform(Math.log(low), Math.log(high))),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick: list => list[Math.floor(next() * list.length)],
  };
}
