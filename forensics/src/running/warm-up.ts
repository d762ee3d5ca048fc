import { SHOWN_SIGNALS } from '@firsthand/contract/verification/signals.ts';
import sharp from 'sharp';
import { analyzePicture } from '../analyze.ts';
import { decodePicture } from '../files/decode.ts';
import { inspect } from '../files/inspect.ts';
import { measureScreen } from '../screen/features.ts';

/**
 * Analyses a drawn picture, so that everything a thread loads and compiles once is ready before the first real picture. Only the networks of
 * the screen detector take half a second.
 */
export async function warmUp(): Promise<void> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const bytes = await sharp({ create: { width: 1024, height: 768, channels: 3, background: '#888', noise } })
    .jpeg()
    .toBuffer();
  await analyzePicture({ bytes, signals: SHOWN_SIGNALS.map(({ name }) => name), aiBuiltIn: true });
  // Every part of the detector: its first stage clears this picture.
  await measureScreen(await decodePicture(bytes, await inspect(bytes)));
}
