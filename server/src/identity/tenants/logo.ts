import { BRAND_LOGO_MAX_BYTES } from '@firsthand/contract/base/limits.ts';
import sharp from 'sharp';
import { BlobMissing, BlobUnavailable } from '../../platform/blobs/faults.ts';
import { binary, openEndpoint } from '../../platform/http/endpoint.ts';
import { invalidField, notFound, storageUnavailable } from '../../platform/http/problem.ts';
import { decodeBase64 } from '../../platform/lib/base64.ts';

const FORMATS = new Set(['jpeg', 'png', 'webp']);
/** A larger logo is a decompression bomb or a mistake. */
const MAX_PIXELS = 16_000_000;
const SIDE = 512;
const SECONDS = 5;
/** The largest possible re-encoded logo: uncompressed RGBA plus file overhead. */
const MAX_STORED_BYTES = SIDE * SIDE * 4 + 65_536;
const YEAR_SECONDS = 31_536_000;

export const logoKey = (logoId: string): string => `brand-logos/${logoId}.png`;
export const logoPath = (logoId: string): string => `/brand-logos/${logoId}.png`;

/**
 * Re-encodes a logo as PNG of at most 512×512, upright and without metadata. Only pixels survive, so no other content of the uploaded file
 * reaches a page. Throws `invalid_request` on `field` when the file is not an accepted picture.
 */
export async function readLogo(field: string, base64: Buffer): Promise<Buffer> {
  const bytes = await decodeBase64(base64, BRAND_LOGO_MAX_BYTES);
  if (bytes === 'too_large') {
    const max = BRAND_LOGO_MAX_BYTES;
    throw invalidField(field, 'too_many_bytes', `must have at most ${max} bytes`, { max });
  }
  if (bytes === 'malformed') throw invalidField(field, 'format', 'is not base64 (RFC 4648)', { format: 'base64' });
  const open = () => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 });
  const format = await open()
    .metadata()
    .then(
      metadata => metadata.format,
      () => null,
    );
  if (!format || !FORMATS.has(format)) {
    const accepted = [...FORMATS].map(name => `image/${name}`);
    throw invalidField(field, 'unsupported_type', 'is not a JPEG, PNG or WebP picture', { accepted });
  }
  return open()
    .rotate()
    .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png({ compressionLevel: 9 })
    .timeout({ seconds: SECONDS })
    .toBuffer()
    .catch(() => {
      throw invalidField(field, 'undecodable', `cannot be decoded, or has more than ${MAX_PIXELS / 1e6} megapixels`);
    });
}

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
    const body = await deps.blobs.get(logoKey(id), { maxBytes: MAX_STORED_BYTES }).catch((error: unknown) => {
      if (error instanceof BlobMissing) throw notFound();
      throw error instanceof BlobUnavailable ? storageUnavailable(error) : error;
    });
    return {
      status: 200,
      body,
      headers: {
        'content-type': 'image/png',
        'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
      },
    };
  },
});
