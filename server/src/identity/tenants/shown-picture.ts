import sharp, { type Sharp } from 'sharp';
import { BlobMissing, BlobUnavailable } from '../../platform/blobs/faults.ts';
import type { Deps } from '../../platform/deps.ts';
import type { Answer } from '../../platform/http/endpoint.ts';
import { invalidField, notFound, storageUnavailable } from '../../platform/http/problem.ts';
import { decodeBase64 } from '../../platform/lib/base64.ts';

const FORMATS = new Set(['jpeg', 'png', 'webp']);
const SECONDS = 5;
const YEAR_SECONDS = 31_536_000;

interface Rules {
  /** Of the file. */
  maxBytes: number;
  /** A larger picture is a decompression bomb or a mistake. */
  maxPixels: number;
  /** Pixels of the longer side. */
  side: number;
  encode: (picture: Sharp) => Sharp;
}

/**
 * Draws an account's picture anew: within `side`, upright and without metadata. Only pixels survive, so no other content of the uploaded
 * file reaches a page. Throws `invalid_request` on `field` when the file is not an accepted picture.
 */
export async function redraw(field: string, base64: Buffer, rules: Rules): Promise<Buffer> {
  const { maxBytes: max, maxPixels, side } = rules;
  const bytes = await decodeBase64(base64, max);
  if (bytes === 'too_large') {
    throw invalidField(field, 'too_many_bytes', `must have at most ${max} bytes`, { max });
  }
  if (bytes === 'malformed') throw invalidField(field, 'format', 'is not base64 (RFC 4648)', { format: 'base64' });
  const open = () => sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 });
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
  const drawn = open()
    .rotate()
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb');
  return rules
    .encode(drawn)
    .timeout({ seconds: SECONDS })
    .toBuffer()
    .catch(() => {
      throw invalidField(field, 'undecodable', `cannot be decoded, or has more than ${maxPixels / 1e6} megapixels`);
    });
}

/** Answers with a picture whose address never shows another one. Pages of other origins may show it. */
export async function showPicture(
  { blobs }: Pick<Deps, 'blobs'>,
  key: string,
  { type, maxBytes }: { type: string; maxBytes: number },
): Promise<Answer> {
  const body = await blobs.get(key, { maxBytes }).catch((error: unknown) => {
    if (error instanceof BlobMissing) throw notFound();
    throw error instanceof BlobUnavailable ? storageUnavailable(error) : error;
  });
  return {
    status: 200,
    body,
    headers: {
      'content-type': type,
      'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    },
  };
}
