import { randomInt } from 'node:crypto';
import { random } from '@firsthand/forensics/pixels/random.ts';

/** Random numbers in [0, 1). Prints the seed; with it as SEED the numbers come again. */
export function createChance(): () => number {
  const seed = Number(process.env.SEED ?? randomInt(2 ** 31));
  console.log(`SEED=${seed}`);
  return random(seed).uniform;
}
