import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decodePicture } from '@firsthand/forensics/files/decode.ts';
import { ImageFault, inspect } from '@firsthand/forensics/files/inspect.ts';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { areaResize } from '@firsthand/forensics/pixels/resize.ts';
import { drawPage } from '@firsthand/forensics/simulate/confounders.ts';
import { drawCards, drawMoves } from '@firsthand/forensics/simulate/pairs.ts';
import { PANEL_LAYOUTS, type PanelLayout } from '@firsthand/forensics/simulate/panel.ts';
import { type CaptureParams, drawRecapture } from '@firsthand/forensics/simulate/params.ts';
import {
  type Capture,
  simulateDeep,
  simulateDirect,
  simulateRecapture,
} from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';

export type Split = 'tuning' | 'report';

/** Sensor of the simulated camera, slightly below the size at which frames are compared, so that scaling changes nothing. */
const SIZE = { width: 800, height: 600 };
/** First seed of each split. */
const FIRST_SEED: Record<Split, number> = { tuning: 10_000, report: 50_000 };
/** Sources whose photographs are used for tuning. All others are used for the reported pairs. */
const TUNING_SOURCES = ['AmadeusITGroup', 'MikeKovarik', 'michaelcolenso', 'wichtounet'];

/** One subject seen from three positions; any two views make a pair. */
export interface Views {
  kind: 'display' | 'display in a room' | 'halftone print' | 'photographic print' | 'deep';
  /** `rgb` … of a display. */
  layout?: string;
  /** Sensor pixels per display pixel or halftone dot. */
  scale?: number;
  shown: 'photograph' | 'scene' | 'page';
  jpegs: Buffer[];
}

type Subject = Omit<Views, 'jpegs'>;

/** Lists the photographs of class `camera` in a folder with MANIFEST.tsv, by split; empty without such a folder. */
export function photographs(data: string | undefined, split: Split): string[] {
  const manifest = data && join(data, 'MANIFEST.tsv');
  if (!data || !manifest || !existsSync(manifest)) return [];
  return readFileSync(manifest, 'utf8')
    .trim()
    .split('\n')
    .map(line => line.split('\t'))
    .filter(([kind, , repository = '']) => {
      const source = repository.split('/')[0] ?? '';
      return kind === 'camera' && TUNING_SOURCES.includes(source) === (split === 'tuning');
    })
    .map(([, path = '']) => join(data, path));
}

/** Returns the flat subject with this number, from the cache if it is there. */
export function flatViews(split: Split, index: number, photos: string[], cache: string): Promise<Views> {
  const seed = FIRST_SEED[split] + index;
  return cached(join(cache, `flat-${photos.length}-${seed}`), () => prepareFlat(seed, photos));
}

/** Returns the deep subject with this number: objects at different distances, seen from the same positions as the flat subject. */
export function deepViews(split: Split, index: number, cache: string): Promise<Views> {
  const seed = FIRST_SEED[split] + index;
  return cached(join(cache, `deep-${seed}`), async () => {
    const backdrop = drawScene(seed);
    const cards = drawCards(seed, SIZE);
    return {
      subject: { kind: 'deep', shown: 'scene' },
      captures: drawMoves(seed, SIZE),
      take: capture => simulateDeep(backdrop, cards, capture),
    };
  });
}

interface Studio {
  subject: Subject;
  captures: CaptureParams[];
  take(capture: CaptureParams): Promise<Capture>;
}

async function prepareFlat(seed: number, photos: string[]): Promise<Studio> {
  const rng = random(seed * 9176 + 71);
  const captures = drawMoves(seed, SIZE);
  const choice = rng.uniform();
  const shown = photos.length > 0 && choice < 0.55 ? 'photograph' : choice < 0.8 ? 'scene' : 'page';
  const picture = await pictureToShow(shown, seed, photos);
  const medium = rng.uniform();
  if (medium < 0.2) {
    return {
      subject: { kind: 'photographic print', shown },
      captures,
      take: capture => simulateDirect(picture, capture),
    };
  }
  const halftone = medium < 0.4;
  const inRoom = !halftone && rng.uniform() < 0.25;
  const layout: PanelLayout = halftone ? 'print' : rng.pick(PANEL_LAYOUTS.filter(layout => layout !== 'print'));
  const scale = halftone ? rng.logUniform(1, 4) : rng.logUniform(0.7, 3);
  const drawn = drawRecapture(captures[0]);
  const params = {
    ...drawn,
    layout,
    scale,
    fill: inRoom ? rng.uniform(0.7, 1) : rng.uniform(1.35, 1.6),
    // A print emits no light, and its paper ends without a bezel.
    displayGain: halftone ? 1 : drawn.displayGain,
    banding: halftone ? { amplitude: 0, period: 100 } : drawn.banding,
    room: inRoom ? drawScene(seed + 7, { width: 640, height: 480 }) : undefined,
  };
  const kind = halftone ? 'halftone print' : inRoom ? 'display in a room' : 'display';
  return {
    subject: { kind, layout, scale, shown },
    captures,
    take: capture => simulateRecapture(picture, { ...params, ...capture }),
  };
}

/** Returns a part of a photograph, a drawn scene or a drawn page. */
async function pictureToShow(shown: Subject['shown'], seed: number, photos: string[]): Promise<Picture> {
  if (shown === 'scene') return drawScene(seed);
  if (shown === 'page') return drawPage(seed);
  const rng = random(seed * 613 + 19);
  for (;;) {
    const bytes = await readFile(rng.pick(photos));
    try {
      return areaResize(await decodePicture(bytes, await inspect(bytes)), 1600);
    } catch (cause) {
      // The manifest lists a few files that no decoder reads, so try another.
      if (!(cause instanceof ImageFault)) throw cause;
    }
  }
}

/** Uses the cache, and simulates and stores whatever is missing, so that an interrupted run resumes. */
async function cached(path: string, prepare: () => Promise<Studio>): Promise<Views> {
  const names = [1, 2, 3].map(number => `${path}-${number}.jpg`);
  if (!existsSync(`${path}.json`) || !names.every(name => existsSync(name))) {
    await mkdir(dirname(path), { recursive: true });
    const { subject, captures, take } = await prepare();
    for (const [index, name] of names.entries()) {
      if (!existsSync(name)) await writeWhole(name, (await take(captures[index]!)).jpeg);
    }
    await writeWhole(`${path}.json`, Buffer.from(JSON.stringify(subject)));
  }
  const subject: Subject = JSON.parse(readFileSync(`${path}.json`, 'utf8'));
  return { ...subject, jpegs: names.map(name => readFileSync(name)) };
}

/** Writes to a temporary file and renames it, so that a concurrent run never sees half a file. */
async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, bytes);
  await rename(draft, path);
}
