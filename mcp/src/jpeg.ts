import { ToolError } from './service.ts';

const START = 0xd8;
const SCAN = 0xda;
const COMMENT = 0xfe;
/** JFIF and Adobe's colour transform: without the second, some decoders show wrong colours. */
const KEPT_APPLICATION = new Set([0xe0, 0xee]);
const isApplication = (marker: number): boolean => marker >= 0xe0 && marker <= 0xef;
/** Frame headers but DHT (c4), JPG (c8) and DAC (cc), which share their range. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Reads the size of a JPEG from its bytes and leaves out Exif, XMP, profiles and comments. Throws for anything that is no JPEG. */
export function readJpeg(file: Buffer): { bytes: Buffer; width: number; height: number } {
  const notJpeg = () => new ToolError('The preview is no JPEG.');
  if (file.length < 4 || file.readUInt16BE(0) !== 0xff00 + START) throw notJpeg();
  const kept = [file.subarray(0, 2)];
  let size: { width: number; height: number } | undefined;
  for (let at = 2; at + 4 <= file.length; ) {
    const [mark, marker] = [file[at], file[at + 1]!];
    const length = file.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (mark !== 0xff || length < 2 || end > file.length) throw notJpeg();
    if (marker === SCAN) {
      if (!size) throw notJpeg();
      return { bytes: Buffer.concat([...kept, file.subarray(at)]), ...size };
    }
    if (isFrame(marker) && length >= 8) size = { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
    if (marker !== COMMENT && (!isApplication(marker) || KEPT_APPLICATION.has(marker)))
      kept.push(file.subarray(at, end));
    at = end;
  }
  throw notJpeg();
}
