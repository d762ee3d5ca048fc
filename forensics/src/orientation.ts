const ORIENTATION = 0x0112;
const SHORT = 3;

/** Reads the orientation (1..8) from IFD0 of a TIFF block (EXIF 2.32, 4.6.4); undefined when absent or malformed. */
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
    if (data.getUint16(at, little) !== ORIENTATION || data.getUint16(at + 2, little) !== SHORT) continue;
    const value = data.getUint16(at + 8, little);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}
