import { type CaptureFacts, capitalised, duration, gapMs, pictures, type StatedInstant } from './facts.ts';
import type { Assessment, Finding } from './finding.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** When a picture was taken, by its own best source: the file for uploads, else the device, else our clock. */
export function takenAt(capture: CaptureFacts): StatedInstant {
  if (capture.source === 'upload' && capture.exifAt) return capture.exifAt;
  return { at: capture.clientAt ?? capture.serverAt, slackMs: 0 };
}

/** Compares the file's clock with the device's and ours, and measures how far apart the pictures of one case lie. */
export function assessTimes(captures: readonly CaptureFacts[]): Assessment {
  const findings: Finding[] = captures.flatMap(capture => clocksOf(capture));
  const unknowns: string[] = [];
  const uploads = captures.filter(capture => capture.source === 'upload');
  const undated = uploads.filter(capture => !capture.exifAt).map(capture => capture.number);
  if (undated.length > 0) {
    unknowns.push(
      `${capitalised(pictures(undated))} ${undated.length === 1 ? 'carries' : 'carry'} no date of its own.`,
    );
  }
  const dated = captures.filter(capture => capture.source === 'live' || capture.exifAt);
  if (dated.length > 1) findings.push(spreadOf(dated));
  return { findings, unknowns, coverage: dated.length / Math.max(1, captures.length) };
}

function clocksOf(capture: CaptureFacts): Finding[] {
  const name = capitalised(pictures([capture.number]));
  const findings: Finding[] = [];
  const concern = (weight: number, text: string) =>
    findings.push({ dimension: 'physical_plausibility', weight, text: `${name} ${text}` });
  const server = { at: capture.serverAt, slackMs: 0 };
  if (capture.exifAt) {
    const age = gapMs(server, capture.exifAt);
    if (age < -10 * MINUTE) concern(0.4, `says it was taken ${duration(age)} after it arrived.`);
    else if (capture.source === 'live' && age > DAY) {
      concern(0.5, `was sent as a live capture, but its file says it was taken ${duration(age)} before.`);
    }
  }
  if (capture.clientAt !== null) {
    const late = capture.serverAt - capture.clientAt;
    if (late < -5 * MINUTE) concern(0.15, `came from a device whose clock runs ${duration(late)} ahead.`);
    else if (capture.source === 'live' && late > DAY) concern(0.4, `arrived ${duration(late)} after the shutter.`);
    else if (capture.source === 'live' && late > HOUR) concern(0.15, `arrived ${duration(late)} after the shutter.`);
  }
  if (capture.gpsAt !== null && capture.exifAt) {
    const apart = gapMs({ at: capture.gpsAt, slackMs: 0 }, capture.exifAt);
    if (Math.abs(apart) > HOUR) {
      concern(0.3, `carries a camera clock and a satellite clock that differ by at least ${duration(apart)}.`);
    }
  }
  return findings;
}

function spreadOf(dated: readonly CaptureFacts[]): Finding {
  const times = dated.map(takenAt).sort((a, b) => a.at - b.at);
  const spread = Math.max(0, gapMs(times.at(-1)!, times[0]!));
  const weight = spread > 90 * DAY ? 0.35 : spread > 7 * DAY ? 0.2 : 0;
  const text =
    weight === 0
      ? `The pictures were taken within ${duration(Math.max(times.at(-1)!.at - times[0]!.at, 1_000))} of each other.`
      : `The pictures of this one case were taken at least ${duration(spread)} apart.`;
  return { dimension: 'cross_image_consistency', weight, text };
}
