import sharp from 'sharp';
import { random } from '../../src/random.ts';

/**
 * Returns a picture in one of the forms in which it may arrive. As in the benchmark: `orig`; `q70` (JPEG again), `half` (half the size),
 * `msg` (a messenger: 1600 pixels, quality 75), `crop` (the middle 60%). `chat`: `msg`, then 800 pixels, quality 75. For training: `aug1`,
 * `aug2` ... random crops, sizes, tones and qualities, by `seed`.
 */
export async function vary(bytes: Buffer, variant: string, seed: number): Promise<Buffer> {
  if (variant === 'orig') return bytes;
  if (variant === 'chat') {
    return sharp(await vary(bytes, 'msg', seed))
      .resize({ width: 800, height: 800, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: 75 })
      .toBuffer();
  }
  const { data, info } = await sharp(bytes, { failOn: 'none' })
    .autoOrient()
    .flatten()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  const picture = () => sharp(data, { raw });
  const { width, height } = info;
  switch (variant) {
    case 'q70':
      return picture().jpeg({ quality: 70 }).toBuffer();
    case 'half':
      return picture()
        .resize(Math.max(1, Math.round(width / 2)))
        .jpeg({ quality: 90 })
        .toBuffer();
    case 'msg':
      return picture()
        .resize({ width: 1600, height: 1600, fit: 'inside', withoutEnlargement: true })
        .jpeg({ quality: 75 })
        .toBuffer();
    case 'crop': {
      const w = Math.floor(width * 0.6);
      const h = Math.floor(height * 0.6);
      const box = { left: (width - w) >> 1, top: (height - h) >> 1, width: w, height: h };
      return picture().extract(box).jpeg({ quality: 92 }).toBuffer();
    }
    default: {
      const rng = random(seed * 1009 + Number(variant.replace('aug', '')));
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
