import sharp, { type Sharp } from 'sharp';
import type { Picture } from './picture.ts';

/** The picture as sharp takes it, to change or encode it. */
export const imageOf = ({ width, height, data }: Picture): Sharp =>
  sharp(data, { raw: { width, height, channels: 3 } });

export const jpegOf = (picture: Picture, quality: number): Promise<Buffer> =>
  imageOf(picture).jpeg({ quality }).toBuffer();
