import { longSideOf } from '@firsthand/contract/sizes.ts';

/** Returns a picture's media type by its first bytes; undefined when the service does not accept the format. */
export function imageTypeOf(head: Uint8Array): string | undefined {
  const text = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to));
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'image/jpeg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp';
  if (text(4, 8) === 'ftyp') {
    const brand = text(8, 12);
    if (/^(heic|heix|hevc|hevx)$/.test(brand)) return 'image/heic';
    if (/^(mif1|msf1|heim|heis)$/.test(brand)) return 'image/heif';
    if (/^avi[fs]$/.test(brand)) return 'image/avif';
  }
  return undefined;
}

/** The largest picture that the service accepts. */
export const MAX_BYTES = 26_214_400;

export type FileFault = 'file.type' | 'file.size' | 'file.empty';

export type PickedFile = { blob: Blob; contentType: string } | { fault: FileFault };

/** True for a picture smaller than a step asks for. Size 0: the browser cannot decode it, so the service checks. */
export const isBelow = (size: { width: number; height: number }, least: number | undefined): boolean =>
  least !== undefined && size.width > 0 && longSideOf(size) < least;

/** Checks a chosen file before the page keeps it, so the person learns of a problem before sending. */
export async function checkFile(
  file: Blob,
  accept: readonly string[] = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif', 'image/avif'],
  maxBytes = MAX_BYTES,
): Promise<PickedFile> {
  if (file.size === 0) return { fault: 'file.empty' };
  const contentType = imageTypeOf(new Uint8Array(await file.slice(0, 16).arrayBuffer()));
  if (!contentType || !accept.includes(contentType)) return { fault: 'file.type' };
  if (file.size > maxBytes) return { fault: 'file.size' };
  return { blob: file, contentType };
}
