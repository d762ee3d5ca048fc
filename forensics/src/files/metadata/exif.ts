import type { ExpandedTags } from 'exifreader';
import type { FieldList } from './fields.ts';
import type { PictureMetadata } from './picture-metadata.ts';

export type ExifTags = ExpandedTags;

type Camera = Omit<PictureMetadata, 'orientation' | 'thumbnail' | 'fields' | 'faults'>;

interface Tag {
  id?: number;
  value?: unknown;
  description?: unknown;
}

/** Reads shutter, sensor and location fields from the parsed EXIF block. Omits fields with impossible values. */
export function cameraOf(tags: ExifTags): Camera {
  const exif = (tags.exif ?? {}) as Record<string, Tag | undefined>;
  const text = (name: string): string | undefined => textOf(exif[name]);
  const width = numberOf(exif.PixelXDimension);
  const height = numberOf(exif.PixelYDimension);
  const gps = placeOf(tags);
  return compact({
    make: text('Make'),
    model: text('Model'),
    software: text('Software'),
    lens: text('LensModel'),
    // A camera whose clock was never set writes zeros into one and may know better in the other.
    taken_at:
      instant(text('DateTimeOriginal'), text('SubSecTimeOriginal'), text('OffsetTimeOriginal')) ??
      instant(text('DateTimeDigitized'), text('SubSecTimeDigitized'), text('OffsetTimeDigitized')),
    gps_at: gpsInstant(exif.GPSDateStamp, exif.GPSTimeStamp),
    gps,
    exif_size: width && height && width > 0 && height > 0 ? { width, height } : undefined,
  });
}

function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}

function textOf(tag: Tag | undefined): string | undefined {
  const value = Array.isArray(tag?.value) ? tag.value.filter(part => typeof part === 'string').join(' ') : tag?.value;
  if (typeof value !== 'string') return undefined;
  const nul = value.indexOf('\0');
  const trimmed = (nul < 0 ? value : value.slice(0, nul)).trim().slice(0, 200);
  return trimmed === '' ? undefined : trimmed;
}

function numberOf(tag: Tag | undefined): number | undefined {
  const value = Array.isArray(tag?.value) ? tag.value[0] : tag?.value;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function placeOf(tags: ExifTags): Camera['gps'] {
  const latitude = tags.gps?.Latitude;
  const longitude = tags.gps?.Longitude;
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
  if (!(Math.abs(latitude) <= 90) || !(Math.abs(longitude) <= 180) || (latitude === 0 && longitude === 0))
    return undefined;
  return { latitude, longitude };
}

/** Converts EXIF's `2018:07:25 16:34:23` to ISO 8601; undefined for the blanks and zeros of cameras without a clock. */
function instant(
  value: string | undefined,
  fraction: string | undefined,
  offset: string | undefined,
): string | undefined {
  const parts = value?.match(/^(\d{4}):(\d\d):(\d\d)[ T](\d\d):(\d\d):(\d\d)/);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const parsed = new Date(`${local}Z`);
  // Date turns the 30th of February into the 1st of March.
  const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(`${year}-${month}-${day}`);
  if (!exists || year === '0000') return undefined;
  const digits = fraction?.match(/^\d{1,6}/)?.[0];
  const zone = offset?.match(/^([+-]\d\d:\d\d|Z)$/)?.[0];
  return `${local}${digits ? `.${digits.slice(0, 3)}` : ''}${zone ?? ''}`;
}

function gpsInstant(date: Tag | undefined, time: Tag | undefined): string | undefined {
  const day = textOf(date)?.match(/^(\d{4}):(\d\d):(\d\d)$/);
  const parts = time?.value;
  if (!day || !Array.isArray(parts) || parts.length !== 3) return undefined;
  const [hour, minute, second] = parts.map(part =>
    Array.isArray(part) ? Number(part[0]) / Number(part[1]) : Number(part),
  );
  const at = Date.parse(`${day[1]}-${day[2]}-${day[3]}T00:00:00Z`) + (hour! * 3600 + minute! * 60 + second!) * 1000;
  return Number.isFinite(at) && hour! < 25 && Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : undefined;
}

const BINARY = new Set(['MakerNote', 'PrintImageMatching', 'Padding', 'ApplicationNotes', 'ImageSourceData']);

/** Collects every EXIF text tag, with `UserComment` and the Windows `XP…` tags decoded. */
export function exifFields(tags: ExifTags, fields: FieldList): void {
  for (const [name, tag] of Object.entries((tags.exif ?? {}) as Record<string, Tag | undefined>)) {
    if (BINARY.has(name) || !tag) continue;
    const value =
      name === 'UserComment' ? userComment(tag.value) : name.startsWith('XP') ? windowsText(tag.value) : joined(tag);
    if (value) fields.add('exif', name, value);
  }
}

function joined(tag: Tag): string | undefined {
  if (typeof tag.value === 'string') return tag.value;
  if (Array.isArray(tag.value) && tag.value.length > 0 && tag.value.every(part => typeof part === 'string'))
    return tag.value.join('\n');
  return undefined;
}

function bytesOf(value: unknown): Buffer | undefined {
  return Array.isArray(value) && value.every(part => typeof part === 'number')
    ? Buffer.from(value as number[])
    : undefined;
}

/** EXIF 3.0, 4.6.6: eight bytes name the character code. UTF-16 occurs in either byte order, independent of the block's. */
function userComment(value: unknown): string | undefined {
  const bytes = bytesOf(value);
  if (!bytes || bytes.length <= 8) return typeof value === 'string' ? value : undefined;
  const code = bytes.subarray(0, 8).toString('latin1');
  const body = bytes.subarray(8);
  const text = code.startsWith('UNICODE') ? utf16(body) : body.toString('utf8');
  return text.replaceAll('\0', '').trim() || undefined;
}

function utf16(bytes: Buffer): string {
  let high = 0;
  let low = 0;
  for (let i = 0; i + 1 < Math.min(bytes.length, 2_000); i += 2) {
    if (bytes[i] === 0) high += 1;
    if (bytes[i + 1] === 0) low += 1;
  }
  const even = bytes.subarray(0, bytes.length & ~1);
  return high > low ? Buffer.from(even).swap16().toString('utf16le') : even.toString('utf16le');
}

function windowsText(value: unknown): string | undefined {
  const bytes = bytesOf(value);
  const text = bytes ? bytes.subarray(0, bytes.length & ~1).toString('utf16le') : value;
  return typeof text === 'string' ? text.replaceAll('\0', '').trim() || undefined : undefined;
}

/** IPTC IIM records that hold text. */
export function iptcFields(tags: ExifTags, fields: FieldList): void {
  for (const [name, tag] of Object.entries((tags.iptc ?? {}) as Record<string, Tag | Tag[] | undefined>)) {
    for (const entry of Array.isArray(tag) ? tag : [tag])
      if (entry && typeof entry.description === 'string' && entry.description)
        fields.add('iptc', name, entry.description);
  }
}
