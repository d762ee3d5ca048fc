import { BRAND_LOGO_MAX_BYTES } from '@firsthand/contract/base/limits.ts';
import { binary, openEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { redraw, showPicture } from './shown-picture.ts';

const SIDE = 512;
/** The largest possible re-encoded logo: uncompressed RGBA plus file overhead. */
const MAX_STORED_BYTES = SIDE * SIDE * 4 + 65_536;

export const logoKey = (logoId: string): string => `brand-logos/${logoId}.png`;
export const logoPath = (logoId: string): string => `/brand-logos/${logoId}.png`;

/** Draws a logo anew as PNG of at most 512×512. */
export const readLogo = (field: string, base64: Buffer): Promise<Buffer> =>
  redraw(field, base64, {
    maxBytes: BRAND_LOGO_MAX_BYTES,
    maxPixels: 16_000_000,
    side: SIDE,
    encode: picture => picture.png({ compressionLevel: 9 }),
  });

export const getLogo = openEndpoint({
  operationId: 'getBrandLogo',
  summary: "Get a brand's logo",
  description: 'Returns a PNG. The URL always returns the same picture. A new logo gets a new URL.',
  tag: 'Capture',
  credentials: ['none'],
  mediaType: 'image/png',
  responses: { 200: binary('image/png') },
  async handler({ deps, params }) {
    const id = /^([0-9A-HJKMNP-TV-Z]{26})\.png$/.exec(params.name!)?.[1];
    if (!id) throw notFound();
    return showPicture(deps, logoKey(id), { type: 'image/png', maxBytes: MAX_STORED_BYTES });
  },
});
