const ORIENTATION = 0x0112;
const BYTE = 1;
const SHORT = 3;
const LONG = 4;

/**
 * Reads the orientation (1..8) from IFD0 of a TIFF block (EXIF 2.32, 4.6.4); undefined when absent or malformed. EXIF says SHORT; some
 * programs write BYTE or LONG.
 */
export function readOrientation(tiff: Uint8Array): number | undefined {
  if (tiff.length < 14) return undefined;
  const data = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const order = data.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return undefined;
  const little = order === 0x4949;
  const ifd = data.getUint32(4, little);
  if (ifd < 8 || ifd + 2 > tiff.length) return undefined;
  const entries = data.getUint16(ifd, little);
  for (let i = 0; i < entries; i++) {
    const at = ifd + 2 + i * 12;
    if (at + 12 > tiff.length) return undefined;
    if (data.getUint16(at, little) !== ORIENTATION) continue;
    const value = valueAt(data, at + 8, data.getUint16(at + 2, little), little);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}

/** Like `readOrientation`, for a block that may begin with `Exif` and two more bytes, as JPEG has it and some writers of WebP and PNG. */
export const exifOrientation = (block: Uint8Array): number | undefined =>
  readOrientation(String.fromCharCode(...block.subarray(0, 5)) === 'Exif\0' ? block.subarray(6) : block);

function valueAt(data: DataView, at: number, type: number, little: boolean): number {
  if (type === BYTE) return data.getUint8(at);
  if (type === SHORT) return data.getUint16(at, little);
  return type === LONG ? data.getUint32(at, little) : 0;
}
