import sharp, { type Sharp } from 'sharp';
import { imageOf } from '../pixels/image.ts';
import type { Picture } from '../pixels/picture.ts';
import { random } from '../pixels/random.ts';
import type { Trace, TraceFrame } from '../presence/trace.ts';

/** Makes a film that shows what another shows, as somebody does who sends it again. */
export type Copy = (frames: readonly TraceFrame[]) => Promise<TraceFrame[]>;

/** Every copy by what is done to the frames. Each is also encoded again. */
export const COPIES = {
  'JPEG of quality 50': pictures(80, image => image.jpeg({ quality: 50 })),
  'JPEG of quality 25': pictures(80, image => image.jpeg({ quality: 25 })),
  'scaled to 75%': pictures(80, (image, { width }) => image.resize(Math.round(0.75 * width))),
  'noise of 8 grey levels': async frames => recoded(frames, picture => noisy(picture, 8)),
  'brighter, another gamma': pictures(70, image => image.gamma(1.6).modulate({ brightness: 1.1 })),
  'cropped to 90%': pictures(80, (image, picture) => image.extract(middle(picture, 0.9))),
  'turned by 4°, cropped to 85%': async frames => recoded(await recoded(frames, turned), picture => picture),
  mirrored: pictures(80, image => image.flop()),
  'four frames less at both ends': frames => recoded(frames.slice(4, -4), picture => picture),
  'every fourth frame left out': frames =>
    recoded(
      frames.filter((_, i) => i % 4 !== 2),
      picture => picture,
    ),
  'every third frame left out': frames =>
    recoded(
      frames.filter((_, i) => i % 3 !== 1),
      picture => picture,
    ),
  'played backwards': frames => recoded(backwards(frames), picture => picture),
  'other times': frames =>
    recoded(
      frames.map(({ at, picture }) => ({ at: 500 + 1.3 * at + 20 * Math.sin(at), picture })),
      picture => picture,
    ),
  'mirrored, scaled to 80%, noise, JPEG of quality 50, two frames less at both ends': async frames =>
    pictures(50, (image, { width }) => image.flop().resize(Math.round(0.8 * width)))(
      await recoded(frames.slice(2, -2), picture => noisy(picture, 4)),
    ),
} satisfies Record<string, Copy>;

/** A trace in another encoding: frames, crops and times. What else it holds stays. */
export async function copied(trace: Trace, copy: Copy): Promise<Trace> {
  const [frames, crops] = [
    await copy(trace.frames),
    await COPIES['JPEG of quality 50'](trace.crops.map(crop => ({ ...crop, at: 0 }))),
  ];
  return { ...trace, frames, crops: trace.crops.map((crop, i) => ({ ...crop, picture: crops[i]!.picture })) };
}

function pictures(quality: number, change: (image: Sharp, picture: Picture) => Sharp): Copy {
  return frames => recoded(frames, picture => decoded(change(imageOf(picture), picture).jpeg({ quality })));
}

const recoded = (
  frames: readonly TraceFrame[],
  change: (picture: Picture) => Picture | Promise<Picture>,
): Promise<TraceFrame[]> =>
  Promise.all(
    frames.map(async ({ at, picture }) => ({
      at,
      picture: await decoded(imageOf(await change(picture)).jpeg({ quality: 80 })),
    })),
  );

async function decoded(image: Sharp): Promise<Picture> {
  const { data, info } = await sharp(await image.toBuffer())
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

function middle({ width, height }: Pick<Picture, 'width' | 'height'>, share: number) {
  const [w, h] = [Math.round(share * width), Math.round(share * height)];
  return { left: (width - w) >> 1, top: (height - h) >> 1, width: w, height: h };
}

async function turned(picture: Picture): Promise<Picture> {
  const { data, info } = await imageOf(picture).rotate(4).raw().toBuffer({ resolveWithObject: true });
  const { width, height } = middle(picture, 0.85);
  const raw = { width: info.width, height: info.height, channels: info.channels };
  const inside = { left: (info.width - width) >> 1, top: (info.height - height) >> 1, width, height };
  return decoded(sharp(data, { raw }).extract(inside).jpeg({ quality: 80 }));
}

function noisy(picture: Picture, levels: number): Picture {
  const rng = random(picture.data[0]! + 7);
  const data = Buffer.from(picture.data);
  for (let i = 0; i < data.length; i++) data[i] = Math.max(0, Math.min(255, data[i]! + levels * rng.normal()));
  return { ...picture, data };
}

function backwards(frames: readonly TraceFrame[]): TraceFrame[] {
  const last = frames.at(-1)!.at + frames[0]!.at;
  return frames.map(({ at, picture }) => ({ at: last - at, picture })).reverse();
}
