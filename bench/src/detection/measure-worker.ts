import { parentPort } from 'node:worker_threads';
import { decodePicture } from '@firsthand/forensics/files/decode.ts';
import { ImageFault, inspect } from '@firsthand/forensics/files/inspect.ts';
import type { Features } from '@firsthand/forensics/screen/feature-values.ts';
import { measureScreen } from '@firsthand/forensics/screen/features.ts';
import sharp from 'sharp';
import { formsOf } from './vary.ts';

/** Forms of one picture to measure. */
export interface MeasureTask {
  bytes: Uint8Array;
  /** The picture's place in the list, from which its forms are drawn. */
  index: number;
  forms: readonly string[];
}

/** The features of each form; undefined without an answer; `unreadable` where no decoder takes the file. */
export type Measured = Map<string, Features | 'unreadable' | undefined>;

sharp.concurrency(1);
sharp.cache(false);
parentPort?.on('message', async (task: MeasureTask) => parentPort?.postMessage(await measureForms(task)));

async function measureForms({ bytes, index, forms }: MeasureTask): Promise<Measured> {
  const form = formsOf(Buffer.from(bytes), index);
  const measured: Measured = new Map();
  for (const name of forms) {
    try {
      const varied = await form(name);
      measured.set(name, (await measureScreen(await decodePicture(varied, await inspect(varied))))?.features);
    } catch (cause) {
      measured.set(name, cause instanceof ImageFault ? 'unreadable' : undefined);
    }
  }
  return measured;
}
