/**
 * Writes pairs of simulated captures for training: `NNNN-recapture.jpg` and `NNNN-direct.jpg` through the same camera.
 *
 * node research/screen/simulate.ts OUT_FOLDER FIRST COUNT [PICTURE_FOLDER]
 *
 * The display shows a picture of PICTURE_FOLDER, a drawn scene or a drawn page. The direct capture shows the same picture or scene or, in a
 * third of the pairs, a drawn confounder (cloth, mesh, blinds, paper).
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { type Confounder, drawConfounder, drawPage } from '@firsthand/forensics/simulate/confounders.ts';
import { drawCapture, drawRecapture } from '@firsthand/forensics/simulate/params.ts';
import { simulateDirect, simulateRecapture } from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import sharp from 'sharp';

const [out = '', first = '1', count = '1', pictures] = process.argv.slice(2);
const files = pictures
  ? readdirSync(pictures, { recursive: true, encoding: 'utf8' })
      .filter(name => /\.jpe?g$/i.test(name))
      .sort()
  : [];

async function load(path: string): Promise<Picture | undefined> {
  try {
    const { data, info } = await sharp(readFileSync(path), { failOn: 'none' })
      .autoOrient()
      .flatten()
      .toColourspace('srgb')
      .resize(1400, 1400, { fit: 'inside', withoutEnlargement: true })
      .raw()
      .toBuffer({ resolveWithObject: true });
    return info.channels === 3 ? { width: info.width, height: info.height, data } : undefined;
  } catch {
    return undefined;
  }
}

mkdirSync(out, { recursive: true });
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  const rng = random(seed * 999983);
  const photo = files.length > 0 && rng.uniform() < 0.5 ? await load(join(pictures ?? '', rng.pick(files))) : undefined;
  const scene = photo ?? drawScene(seed);
  const shown = !photo && rng.uniform() < 0.5 ? drawPage(seed) : scene;
  const kind = rng.pick<Confounder>(['weave', 'weave', 'mesh', 'blinds', 'paper']);
  const before = rng.uniform() < 0.35 ? drawConfounder(seed, kind) : scene;
  const side = rng.pick([768, 960, 1152]);
  const capture = drawCapture(
    seed,
    rng.uniform() < 0.5 ? { width: side, height: side * 0.75 } : { width: side * 0.75, height: side },
  );
  if (rng.uniform() < 0.25) capture.camera.messengerSide = Math.round(side * rng.uniform(0.5, 0.9));
  const name = String(seed).padStart(5, '0');
  const room = rng.uniform() < 0.7 ? drawScene(seed + 500_000, { width: 640, height: 480 }) : undefined;
  const recapture = await simulateRecapture(shown, drawRecapture(capture, room));
  writeFileSync(join(out, `${name}-recapture.jpg`), recapture.jpeg);
  const direct = await simulateDirect(before, capture);
  writeFileSync(join(out, `${name}-direct.jpg`), direct.jpeg);
}
