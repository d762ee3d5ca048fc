import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { type Agreement, confirmAny } from './confirm.ts';
import { type Fingerprint, fingerprint, type Prepared, prepare, probes } from './fingerprint.ts';
import { hamming } from './hash.ts';

/** Draws blobs at positions derived from the seed. Two seeds give two unrelated scenes. */
function scene(seed: number, width = 640, height = 480): Sharp {
  let state = seed * 2_654_435_761 + 1;
  const random = () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state / 2 ** 32;
  };
  const shapes = Array.from({ length: 60 }, () => {
    const size = 15 + random() * 90;
    const grey = Math.floor(random() * 256);
    return `<ellipse cx="${random() * width}" cy="${random() * height}" rx="${size}" ry="${size * (0.4 + random())}" fill="rgb(${grey},${255 - grey},${Math.floor(random() * 256)})"/>`;
  });
  return sharp(
    Buffer.from(
      `<svg width="${width}" height="${height}"><rect width="100%" height="100%" fill="#777"/>${shapes.join('')}</svg>`,
    ),
  ).removeAlpha();
}

async function ready(picture: Sharp): Promise<Prepared> {
  const flat = await picture.png().toBuffer();
  const { data, info } = await sharp(flat).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return prepare({ data, width: info.width, height: info.height, channels: info.channels as 3 });
}

function find(searched: Prepared, kept: Fingerprint) {
  const agreements: Agreement[] = [];
  for (const probe of probes(searched))
    for (const entry of kept.entries) {
      const distance = hamming(probe.hash, entry.hash);
      if (distance <= 63) agreements.push({ probe, entry, distance });
    }
  return agreements.length > 0 ? confirmAny(searched.plane, kept.thumbnail, agreements) : undefined;
}

const again = async (picture: Sharp): Promise<Sharp> => sharp(await picture.png().toBuffer());
const cut = (left: number, top: number, right: number, bottom: number) => async (picture: Sharp) =>
  (await again(picture)).extract({
    left: Math.round(640 * left),
    top: Math.round(480 * top),
    width: Math.round(640 * (1 - left - right)),
    height: Math.round(480 * (1 - top - bottom)),
  });
const bordered = (share: number, background: string) => async (picture: Sharp) => {
  const [x, y] = [Math.round(640 * share), Math.round(480 * share)];
  return sharp(
    await picture.extend({ top: y, bottom: y, left: x, right: x, background }).jpeg({ quality: 75 }).toBuffer(),
  );
};

const ALTERATIONS: [string, (picture: Sharp) => Promise<Sharp>][] = [
  ['as it is', async picture => picture],
  ['JPEG at quality 30', async picture => sharp(await picture.jpeg({ quality: 30 }).toBuffer())],
  ['half size', async picture => picture.resize(320)],
  ['mirrored', async picture => picture.flop()],
  ['turned 90°', async picture => picture.rotate(90)],
  ['turned 180°', async picture => picture.rotate(180)],
  ['turned 270°', async picture => picture.rotate(270)],
  ['5% off around', cut(0.025, 0.025, 0.025, 0.025)],
  ['5% off the left', cut(0.05, 0, 0, 0)],
  ['5% off the bottom', cut(0, 0, 0, 0.05)],
  ['5% off two sides', cut(0.05, 0.05, 0, 0)],
  ['a tenth off around', cut(0.05, 0.05, 0.05, 0.05)],
  ['white border of 10%', bordered(0.1, '#fff')],
  ['black border of 5%', bordered(0.05, '#000')],
  ['coloured border of 10%', bordered(0.1, '#3a7')],
];

describe('reverse search finds and confirms an altered copy', () => {
  test.each(ALTERATIONS)('%s', async (_name, alter) => {
    for (const seed of [1, 2, 3]) {
      const kept = fingerprint(await ready(scene(seed)));
      expect(find(await ready(await alter(scene(seed))), kept)).toMatchObject({ confirmed: true });
    }
  });

  test('and finds the original when the altered copy came first', async () => {
    for (const [, alter] of ALTERATIONS) {
      const kept = fingerprint(await ready(await alter(scene(4))));
      expect(find(await ready(scene(4)), kept)?.confirmed).toBe(true);
    }
  });
});

test('confirm rejects unrelated scenes, even with forced hash matches', async () => {
  const searched = await ready(scene(11));
  const kept = fingerprint(await ready(scene(12)));
  const agreements = probes(searched).flatMap(probe => kept.entries.map(entry => ({ probe, entry, distance: 0 })));
  expect(confirmAny(searched.plane, kept.thumbnail, agreements).confirmed).toBe(false);
});

test('a plain picture has no entries and no lookups', async () => {
  const plain = await ready(sharp({ create: { width: 300, height: 200, channels: 3, background: '#fefefe' } }));
  expect(fingerprint(plain).entries).toEqual([]);
  expect(probes(plain)).toEqual([]);
});

test('fingerprint makes a thumbnail of at most 96 pixels, also of a single pixel', async () => {
  const { thumbnail } = fingerprint(await ready(scene(5)));
  expect([thumbnail.width, thumbnail.height]).toEqual([96, 72]);
  const dot = fingerprint(prepare({ data: new Uint8Array([7]), width: 1, height: 1, channels: 1 }));
  expect(dot.thumbnail.data).toHaveLength(1);
});
