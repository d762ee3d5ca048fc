import type { CaptureSignals } from '@firsthand/contract/verification/signals.ts';
import type { GeoPoint, LocationSource, Verdict } from '@firsthand/contract/verification/verification.ts';
import type { CaptureRow } from '../../verification/verifications/row.ts';
import type { Place } from '../checks/distance.ts';

/** A moment that a file states. Without an offset it may be up to {@link ZONE_SLACK_MS} earlier or later. */
export interface StatedInstant {
  at: number;
  slackMs: number;
}

/** Facts about one capture, for the rules of the case analysis. */
export interface CaptureFacts {
  id: string;
  /** 1, 2, 3… in order of arrival. The texts name captures by it. */
  number: number;
  stepKey: string;
  source: 'live' | 'upload';
  sha256: string;
  width: number;
  height: number;
  serverAt: number;
  clientAt: number | null;
  exifAt: StatedInstant | null;
  gpsAt: number | null;
  device: GeoPoint | null;
  exifPlace: Place | null;
  make: string | null;
  model: string | null;
  software: string | null;
  quantizationHash: string | null;
  /** PDQ hash, 64 hexadecimal digits, of a picture with enough detail to be compared. */
  pdq: string | null;
  location: CaptureRow['location_match'];
  locationSource: LocationSource | null;
  signals: CaptureSignals;
  analysisFailed: boolean;
}

/** An earlier capture of the same tenant that resembles one of this case. */
export interface Repeat {
  captureId: string;
  otherVerificationId: string;
  kind: 'same_file' | 'near_duplicate';
  /** The earlier case concerns the same person or reference. */
  sameSubject: boolean;
}

export interface CaseFacts {
  captures: CaptureFacts[];
  repeats: Repeat[];
  narrative: string;
  finalizedAt: number;
  verdict: Verdict | null;
  /** Places in the narrative that the geocoder resolved. */
  namedPlaces: { text: string; place: Place }[];
}

/** The largest offset of a time zone from UTC. */
export const ZONE_SLACK_MS = 14 * 3_600_000;

/** Reads `2018-07-25T16:34:23.935+02:00`, the same without offset, or EXIF's own `2018:07:25 16:34:23`. */
export function statedInstant(text: unknown): StatedInstant | null {
  if (typeof text !== 'string') return null;
  const parts = /^(\d{4})[-:](\d\d)[-:](\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?$/.exec(text.trim());
  if (!parts) return null;
  const [, year, month, day, time, fraction = '', zone] = parts;
  const at = Date.parse(`${year}-${month}-${day}T${time}${fraction.slice(0, 4)}${zone ?? 'Z'}`);
  return Number.isNaN(at) ? null : { at, slackMs: zone ? 0 : ZONE_SLACK_MS };
}

/** The least distance between two moments in ms; positive when the first is later. */
export function gapMs(a: StatedInstant, b: StatedInstant): number {
  const difference = a.at - b.at;
  return Math.sign(difference) * Math.max(0, Math.abs(difference) - a.slackMs - b.slackMs);
}

/** Text from a file or a person, stripped of control characters, to quote in a sentence of ours. */
const word = (value: unknown): string | null => {
  if (typeof value !== 'string') return null;
  const clean = value
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 60);
  return clean === '' ? null : clean;
};

/** Facts from the capture's own row. The perceptual hash is stored elsewhere. */
export function factsOf(row: CaptureRow, index: number): CaptureFacts {
  const metadata = row.metadata ?? {};
  const gpsAt = typeof metadata.gps_at === 'string' ? Date.parse(metadata.gps_at) : Number.NaN;
  return {
    id: row.id,
    number: index + 1,
    stepKey: row.step_key,
    source: row.source,
    sha256: row.sha256,
    width: row.width,
    height: row.height,
    serverAt: row.created_at.getTime(),
    clientAt: row.client_captured_at?.getTime() ?? null,
    exifAt: statedInstant(metadata.taken_at),
    gpsAt: Number.isNaN(gpsAt) ? null : gpsAt,
    device: row.location,
    exifPlace: placeOf(metadata.gps),
    make: word(metadata.make),
    model: word(metadata.model),
    software: word(metadata.software),
    quantizationHash: word(metadata.quantization_hash),
    pdq: null,
    location: row.location_match,
    locationSource: row.location_source,
    signals: row.signals ?? {},
    analysisFailed: row.analysis_state === 'failed',
  };
}

function placeOf(value: unknown): Place | null {
  const { latitude, longitude } = (value ?? {}) as { latitude?: unknown; longitude?: unknown };
  return typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : null;
}

/** `picture 2`, or `pictures 1, 3 and 4`. */
export function pictures(numbers: readonly number[]): string {
  if (numbers.length === 1) return `picture ${numbers[0]}`;
  return `pictures ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`;
}

/** A span of time in words: `5 minutes`, `3 days`. */
export function duration(ms: number): string {
  const units: [string, number][] = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ];
  const [name, size] = units.find(([, size]) => Math.abs(ms) >= 2 * size) ?? units.at(-1)!;
  const count = Math.round(Math.abs(ms) / size);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** A distance in words: `120 m`, `34 km`. */
export const span = (metres: number): string =>
  metres < 1_000 ? `${Math.round(metres)} m` : `${Math.round(metres / 100) / 10} km`;

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
