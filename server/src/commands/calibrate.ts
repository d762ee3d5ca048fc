import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { calibrate, calibrationPath } from '@firsthand/forensics/ai/calibration.ts';
import { ImageFault } from '@firsthand/forensics/files/inspect.ts';
import { genuinePhotos } from '../desk/reviews/genuine-photos.ts';
import { type OwnModel, openOwnModel } from '../inspection/analysis/own-model.ts';
import { readConfig } from '../platform/config/config.ts';
import { loadEnvironment } from '../platform/config/environment.ts';
import { calibrateFromReviews } from './calibrate-reviews.ts';
import { checkTenant, tenantOf } from './tenant-of.ts';
import { printJson, withDeps } from './tenants.ts';

const PICTURE = /\.(jpe?g|png|webp|heic|heif|avif)$/i;

interface Named {
  name: string;
  bytes(): Promise<Uint8Array>;
}

/** Scores pictures that are known to be genuine, and writes the calibration beside the manifest. One that comes twice counts twice. */
async function calibrateModel(manifest: string, model: OwnModel, pictures: readonly Named[]): Promise<void> {
  const scores: number[] = [];
  let sha256 = '';
  for (const [index, { name, bytes }] of pictures.entries()) {
    try {
      const scored = await model.score(await bytes());
      if (sha256 && scored.sha256 !== sha256)
        throw new Error(`${model.name} changed its version meanwhile. Start again.`);
      sha256 = scored.sha256;
      scores.push(scored.score);
    } catch (fault) {
      if (!(fault instanceof ImageFault)) throw fault;
      console.error(`${name}: skipped. ${fault.message}`);
    }
    if ((index + 1) % 50 === 0) console.error(`${index + 1} of ${pictures.length}`);
  }
  const calibration = calibrate({ sha256 }, scores);
  const path = calibrationPath(manifest);
  await writeFile(path, `${JSON.stringify(calibration)}\n`);
  printJson({ model: model.name, sha256, genuine: scores.length, written: path });
}

/** `firsthand calibrate FOLDER --model MANIFEST` */
async function calibrateFromFolder(folder: string, manifest: string): Promise<void> {
  const model = await openOwnModel(manifest, readConfig(loadEnvironment()).aiModelToken);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter(entry => entry.isFile() && PICTURE.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort();
  await calibrateModel(
    manifest,
    model,
    files.map(name => ({ name, bytes: () => readFile(name) })),
  );
}

/** `firsthand calibrate --from-reviews --model MANIFEST`: on the photos that reviewers called genuine. */
async function calibrateOnReviewed(manifest: string, o: Pick<CalibrateOptions, 'tenant' | 'mode'>): Promise<void> {
  checkTenant(o);
  await withDeps(async deps => {
    const model = await openOwnModel(manifest, deps.config.aiModelToken);
    const photos = await genuinePhotos(deps.db, await tenantOf(deps, o.tenant), o.mode === 'live');
    await calibrateModel(
      manifest,
      model,
      photos.map(({ id, image_blob }) => ({
        name: id,
        bytes: () => deps.blobs.get(image_blob, { maxBytes: UPLOAD_HARD_CAP_BYTES }),
      })),
    );
  });
}

export interface CalibrateOptions {
  model?: string;
  fromReviews?: boolean;
  tenant?: string;
  mode: 'live' | 'test';
}

/** `firsthand calibrate`: a folder and a model, or `--from-reviews`, for a model or for the screen detector. */
export async function calibrateCommand(folder: string | undefined, o: CalibrateOptions): Promise<void> {
  if (o.fromReviews) {
    if (folder !== undefined) throw new Error('--from-reviews takes no folder.');
    return o.model === undefined ? calibrateFromReviews(o) : calibrateOnReviewed(o.model, o);
  }
  if (folder === undefined || o.model === undefined) throw new Error('Name a folder and a --model, or --from-reviews.');
  await calibrateFromFolder(folder, o.model);
}
