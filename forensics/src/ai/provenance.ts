import ExifReader from 'exifreader';

/** What a file says about how it was made, and about the camera. Metadata is a claim, not a proof. */
export interface Provenance {
  /** Fields that name a generator or a digital source type; empty for most photographs. */
  evidence: { source: string; field: string; value: string }[];
  generated: boolean;
  metadata: {
    make?: string;
    model?: string;
    software?: string;
    taken_at?: string;
    gps?: { latitude: number; longitude: number };
  };
}

const GENERATED = /(^|[/#])(trainedAlgorithmicMedia|compositeWithTrainedAlgorithmicMedia)$/i;
/** PNG text keys that only generators write, and what their text must look like. */
const PNG_FIELDS: Record<string, RegExp> = {
  parameters: /\bSteps: \d+.*\bSampler: /s,
  prompt: /"class_type"\s*:/,
  workflow: /"nodes"\s*:/,
  invokeai_metadata: /"positive_prompt"|"model"/,
  'sd-metadata': /"prompt"/,
  Comment: /"sampler"\s*:/,
};

/** Reads the metadata fields generators leave. Unreadable metadata counts as none. */
export function readProvenance(bytes: Uint8Array): Provenance {
  const result: Provenance = { evidence: [], generated: false, metadata: {} };
  let tags: ExifReader.ExpandedTags;
  try {
    tags = ExifReader.load(bytes.slice().buffer, { expanded: true });
  } catch {
    return result;
  }
  for (const group of ['xmp', 'iptc'] as const) {
    for (const [field, tag] of Object.entries(tags[group] ?? {})) {
      const value = textOf(tag);
      if (/^digitalsourcetype$/i.test(field) && value) {
        result.evidence.push({ source: group, field, value: value.slice(0, 300) });
        if (GENERATED.test(value)) result.generated = true;
      }
    }
  }
  for (const group of [tags.png, tags.pngText]) {
    for (const [field, tag] of Object.entries(group ?? {})) {
      const value = textOf(tag);
      if (!value || !PNG_FIELDS[field]?.test(value)) continue;
      result.evidence.push({ source: 'png_text', field, value: value.slice(0, 300) });
      result.generated = true;
    }
  }
  const { metadata } = result;
  metadata.make = textOf(tags.exif?.Make);
  metadata.model = textOf(tags.exif?.Model);
  metadata.software = textOf(tags.exif?.Software);
  metadata.taken_at = textOf(tags.exif?.DateTimeOriginal);
  const { Latitude: latitude, Longitude: longitude } = tags.gps ?? {};
  if (Number.isFinite(latitude) && Number.isFinite(longitude)) {
    metadata.gps = { latitude: Number(latitude), longitude: Number(longitude) };
  }
  return result;
}

function textOf(tag: unknown): string | undefined {
  if (typeof tag !== 'object' || tag === null) return undefined;
  const { description, value } = tag as { description?: unknown; value?: unknown };
  const text = typeof description === 'string' ? description : typeof value === 'string' ? value : undefined;
  return text?.trim() || undefined;
}
