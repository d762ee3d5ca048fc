import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { calibrate, calibrationPath } from '@firsthand/forensics/ai/calibration.ts';
import { loadModel } from '@firsthand/forensics/ai/model.ts';
import { decode } from '@firsthand/forensics/files/decode.ts';
import { ImageFault } from '@firsthand/forensics/files/inspect.ts';
import { calibrateFromReviews } from './calibrate-reviews.ts';

const PICTURE = /\.(jpe?g|png|webp|heic|heif|avif)$/i;

/**
 * `firsthand calibrate FOLDER --model MANIFEST`: scores at least 99 of the operator's own genuine pictures and writes the calibration
 * beside the manifest. A duplicate file counts twice, so the folder should contain each picture once.
 */
async function calibrateModel(folder: string, o: { model: string }): Promise<void> {
  const model = await loadModel(o.model);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter(entry => entry.isFile() && PICTURE.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name));
  const scores: number[] = [];
  for (const [index, file] of files.sort().entries()) {
    try {
      const { picture } = await decode(await readFile(file));
      scores.push(await model.score(picture));
    } catch (fault) {
      if (!(fault instanceof ImageFault)) throw fault;
      console.error(`${file}: skipped. ${fault.message}`);
    }
    if ((index + 1) % 50 === 0) console.error(`${index + 1} of ${files.length}`);
  }
  const calibration = calibrate(model, scores);
  const path = calibrationPath(o.model);
  await writeFile(path, `${JSON.stringify(calibration)}\n`);
  console.log(
    JSON.stringify({ model: model.name, sha256: model.sha256, genuine: scores.length, written: path }, null, 2),
  );
}

export interface CalibrateOptions {
  model?: string;
  fromReviews?: boolean;
  tenant?: string;
  mode: 'live' | 'test';
}

/** `firsthand calibrate`: a folder and a model, or `--from-reviews`. */
export async function calibrateCommand(folder: string | undefined, o: CalibrateOptions): Promise<void> {
  if (o.fromReviews) {
    if (folder !== undefined || o.model !== undefined) throw new Error('--from-reviews takes no folder and no model.');
    return calibrateFromReviews({ mode: o.mode, tenant: o.tenant });
  }
  if (folder === undefined || o.model === undefined) throw new Error('Name a folder and a --model, or --from-reviews.');
  await calibrateModel(folder, { model: o.model });
}
