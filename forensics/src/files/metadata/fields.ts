export type FieldSource = 'exif' | 'xmp' | 'iptc' | 'png';

/** One metadata field as its block names it: `Software`, `Iptc4xmpExt:DigitalSourceType`, `parameters`. */
export interface MetadataField {
  source: FieldSource;
  name: string;
  value: string;
}

const MAX_FIELDS = 4_000;
const MAX_VALUE = 1024 * 1024;
const MAX_TOTAL = 8 * 1024 * 1024;

/** Collects fields up to a total size, so that no file can make later processing expensive. */
export class FieldList {
  readonly fields: MetadataField[] = [];
  private total = 0;

  add(source: FieldSource, name: string, value: string): void {
    if (this.fields.length >= MAX_FIELDS || this.total >= MAX_TOTAL) return;
    const kept = value.length > MAX_VALUE ? value.slice(0, MAX_VALUE) : value;
    this.total += kept.length;
    this.fields.push({ source, name: name.slice(0, 200), value: kept });
  }
}
