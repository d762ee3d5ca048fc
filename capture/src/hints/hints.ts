import type { Hint } from './hint.ts';
import { judge } from './judge.ts';
import { greyOf } from './picture.ts';

/** Returns hints about likely problems of a photo, computed on the phone. At most two, because more would feel like scolding. */
export async function hintsOf(blob: Blob): Promise<Hint[]> {
  const grey = await greyOf(blob, 480);
  if (!grey) return [];
  return judge(grey, { width: grey.fullWidth, height: grey.fullHeight }).slice(0, 2);
}
