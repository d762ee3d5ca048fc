import { containerOf } from '../files/metadata/containers.ts';
import type { FoundDepthMap } from './found.ts';
import { readHeifDepth } from './heif.ts';
import { readJpegDepth } from './jpeg.ts';

/**
 * Reads the depth map in a picture: Apple's disparity beside a HEIC or in a JPEG's multi-picture file, Google's GDepth in XMP, or Dynamic
 * Depth appended to a JPEG. Undefined when there is none or it cannot be read; never rejects.
 *
 * @param contentType not trusted; the bytes determine the container.
 */
export async function readDepthMap(bytes: Uint8Array, _contentType?: string): Promise<FoundDepthMap | undefined> {
  const container = containerOf(bytes);
  try {
    if (container === 'jpeg') return await readJpegDepth(bytes);
    return container === 'bmff' ? readHeifDepth(bytes) : undefined;
  } catch {
    return undefined;
  }
}
