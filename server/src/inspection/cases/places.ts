import type { GeoPoint } from '@firsthand/contract/verification/verification.ts';
import { distanceM, type Place } from '../checks/distance.ts';
import { type CaptureFacts, capitalised, duration, pictures, span } from './facts.ts';
import type { Assessment, Finding } from './finding.ts';

/** Faster than a fast train. */
const SPEED_DOUBTFUL_MS = 90;
/** Faster than an airliner. */
const SPEED_IMPOSSIBLE_MS = 350;
/** Below this, clocks and position errors explain any speed. */
const JUMP_M = 1_000;
/** A generous accuracy for the EXIF position of a phone. */
const EXIF_ACCURACY_M = 100;
/** The largest accuracy used, as the radius of a 68% circle. Beyond a city's width a position says nothing. */
const MAX_ACCURACY_M = 50_000;

type Fix = Place & { accuracy_m?: number | undefined };

/** The least distance between two positions, after subtracting twice their accuracies (95%). */
export const distanceBeyondAccuracyM = (a: Fix, b: Fix): number =>
  Math.max(0, distanceM(a, b) - 2 * (accuracyOf(a) + accuracyOf(b)));

const accuracyOf = (fix: Fix): number => Math.min(fix.accuracy_m ?? 20, MAX_ACCURACY_M);

/** Compares the device's positions with each other, with the file's position and with the declared place. */
export function assessPlaces(captures: readonly CaptureFacts[]): Assessment {
  const findings: Finding[] = captures.flatMap(capture => [...locationOf(capture), ...ownPlaces(capture)]);
  const placed = captures.filter((capture): capture is CaptureFacts & { device: GeoPoint } => capture.device !== null);
  const unknowns: string[] = [];
  if (placed.length === 0) unknowns.push('No device reported its position.');
  else if (placed.length < captures.length) {
    const without = captures.filter(capture => !capture.device).map(capture => capture.number);
    unknowns.push(`No position was reported for ${pictures(without)}.`);
  }
  if (placed.length > 1) findings.push(...spreadOf(placed), ...speedsOf(placed));
  return { findings, unknowns, coverage: placed.length / Math.max(1, captures.length) };
}

function locationOf(capture: CaptureFacts): Finding[] {
  const name = capitalised(pictures([capture.number]));
  const dimension = 'physical_plausibility';
  if (capture.location?.result === 'rejected' || capture.device?.simulated) {
    return [{ dimension, weight: 0.8, text: `${name} came with a simulated position.` }];
  }
  if (capture.location?.result === 'no_match') {
    // The file's position may be what speaks against the place.
    const away = Math.max(capture.location.distance_m ?? 0, capture.location.exif_distance_m ?? 0) || undefined;
    return [
      {
        dimension,
        weight: 0.4,
        text: `${name} was taken ${away === undefined ? 'away' : `${span(away)} away`} from the declared place.`,
      },
    ];
  }
  if (capture.location?.result === 'verified') {
    return capture.locationSource === 'program'
      ? [
          {
            dimension,
            weight: 0,
            text: `A program, not the capture page, says that ${name.toLowerCase()} was taken at the declared place.`,
          },
        ]
      : [{ dimension, weight: 0, text: `${name} was taken at the declared place, says the device.` }];
  }
  return [];
}

/** Compares the position in the file with the device's position at the shutter. */
function ownPlaces(capture: CaptureFacts): Finding[] {
  if (!capture.device || !capture.exifPlace || capture.source !== 'live') return [];
  const apart = distanceBeyondAccuracyM(capture.device, { ...capture.exifPlace, accuracy_m: EXIF_ACCURACY_M });
  if (apart < JUMP_M) return [];
  return [
    {
      dimension: 'physical_plausibility',
      weight: 0.5,
      text: `${capitalised(pictures([capture.number]))} carries a position at least ${span(apart)} from where the device was.`,
    },
  ];
}

function spreadOf(placed: readonly (CaptureFacts & { device: GeoPoint })[]): Finding[] {
  let apart = 0;
  for (const [index, a] of placed.entries()) {
    for (const b of placed.slice(index + 1)) apart = Math.max(apart, distanceBeyondAccuracyM(a.device, b.device));
  }
  const weight = apart > 50_000 ? 0.5 : apart > 5_000 ? 0.3 : apart > JUMP_M ? 0.15 : 0;
  const text =
    weight === 0
      ? 'The positions of the pictures lie together, within their accuracies.'
      : `The positions of the pictures lie at least ${span(apart)} apart.`;
  return [{ dimension: 'cross_image_consistency', weight, text }];
}

function speedsOf(placed: readonly (CaptureFacts & { device: GeoPoint })[]): Finding[] {
  const inTime = placed.toSorted((a, b) => a.serverAt - b.serverAt);
  return inTime.slice(1).flatMap((to, index): Finding[] => {
    const from = inTime[index]!;
    const metres = distanceBeyondAccuracyM(from.device, to.device);
    // The owner can set the device's clock. The longer of the two gaps counts, in the owner's favour.
    const gaps = [
      to.serverAt - from.serverAt,
      Math.abs((to.clientAt ?? to.serverAt) - (from.clientAt ?? from.serverAt)),
    ];
    const ms = Math.max(1_000, ...gaps);
    const speed = metres / (ms / 1_000);
    if (metres < JUMP_M || speed < SPEED_DOUBTFUL_MS) return [];
    return [
      {
        dimension: 'physical_plausibility',
        weight: speed > SPEED_IMPOSSIBLE_MS ? 0.85 : 0.5,
        text: `Between ${pictures([from.number, to.number])} lie ${span(metres)} and ${duration(ms)}: ${Math.round(speed * 3.6)} km/h.`,
      },
    ];
  });
}
