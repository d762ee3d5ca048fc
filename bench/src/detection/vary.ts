import { random } from '@firsthand/forensics/pixels/random.ts';
import sharp, { type OutputInfo, type Sharp } from 'sharp';

/** The forms that the benchmark scores and the model is fitted on. */
export const FORMS = ['orig', 'msg', 'm1280', 'chat', 'squeezed', 'twice', 'shot', 'crop', 'half', 'q70'] as const;

/** Decoded pixels, upright. */
interface Raw {
  data: Buffer;
  info: OutputInfo;
}

/** Sizes of a phone's screenshot, in pixels. */
const SCREENSHOT = { long: 2340, short: 1080 };

/**
 * Returns the forms in which a picture may arrive, as a function of the form's name. Decodes the picture at most once. As in the benchmark:
 * `orig`; `q70` (JPEG again); `half` (half the size); `msg`, `m1280` and `chat` (a messenger: 1,600, 1,280 or 800 pixels, quality 75, the
 * last by way of `msg`); `squeezed` (700 pixels, quality 45); `twice` (1,600 pixels, quality 80, then 1,100 pixels, quality 65); `shot` (a phone's
 * screenshot of the picture between black bars, quality 90); `crop` (the middle 60%). For training: `aug1`, `aug2` ... random crops, sizes,
 * tones and qualities, by `seed`.
 */
export function formsOf(bytes: Buffer, seed: number): (form: string) => Promise<Buffer> {
  let decoded: Promise<Raw> | undefined;
  return async form => {
    if (form === 'orig') return bytes;
    decoded ??= decode(bytes);
    return altered(await decoded, form, seed);
  };
}

const decode = (bytes: Buffer): Promise<Raw> =>
  sharp(bytes, { failOn: 'none' })
    .autoOrient()
    .flatten()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });

const inside = (picture: Sharp, side: number, quality: number): Promise<Buffer> =>
  picture.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true }).jpeg({ quality }).toBuffer();

async function altered({ data, info }: Raw, form: string, seed: number): Promise<Buffer> {
  const { width, height } = info;
  const picture = () => sharp(data, { raw: { width, height, channels: info.channels } });
  switch (form) {
    case 'q70':
      return picture().jpeg({ quality: 70 }).toBuffer();
    case 'half':
      return picture()
        .resize(Math.max(1, Math.round(width / 2)))
        .jpeg({ quality: 90 })
        .toBuffer();
    case 'msg':
      return inside(picture(), 1600, 75);
    case 'm1280':
      return inside(picture(), 1280, 75);
    case 'chat':
      return inside(sharp(await inside(picture(), 1600, 75)), 800, 75);
    case 'squeezed':
      return inside(picture(), 700, 45);
    case 'twice':
      return inside(sharp(await inside(picture(), 1600, 80)), 1100, 65);
    case 'shot': {
      const { long, short } = SCREENSHOT;
      const [across, down] = width > height ? [long, short] : [short, long];
      return picture()
        .resize({ width: across, height: down, fit: 'contain', background: 'black' })
        .jpeg({ quality: 90 })
        .toBuffer();
    }
    case 'crop': {
      const w = Math.floor(width * 0.6);
      const h = Math.floor(height * 0.6);
      const box = { left: (width - w) >> 1, top: (height - h) >> 1, width: w, height: h };
      return picture().extract(box).jpeg({ quality: 92 }).toBuffer();
    }
    default: {
      const rng = random(seed * 1009 + Number(form.replace('aug', '')));
      const w = Math.max(1, Math.floor(width * rng.uniform(0.6, 1)));
      const h = Math.max(1, Math.floor(height * rng.uniform(0.6, 1)));
      const box = {
        left: Math.floor(rng.uniform(0, width - w + 1)),
        top: Math.floor(rng.uniform(0, height - h + 1)),
        width: w,
        height: h,
      };
      let pipeline = picture().extract(box);
      const least = Math.min(1, 540 / Math.min(w, h));
      if (rng.uniform() < 0.6)
        pipeline = pipeline.resize(Math.max(1, Math.round(w * rng.logUniform(Math.max(0.35, least) * 0.999, 1))));
      const adjusted = pipeline
        .modulate({ brightness: rng.uniform(0.8, 1.25), saturation: rng.uniform(0.75, 1.3) })
        .linear(rng.uniform(0.85, 1.15), rng.uniform(-10, 10));
      return adjusted.jpeg({ quality: Math.round(rng.uniform(62, 95)) }).toBuffer();
    }
  }
}
