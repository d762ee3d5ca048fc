import type { MotionAbsence } from '@firsthand/contract/verification/presence.ts';
import type { PictureMetadata } from '../files/metadata/picture-metadata.ts';

/**
 * Devices of which every model has a gyroscope that its browsers give. Other makers sell phones without one, so their absence is believed.
 * `docs/presence.md` has the table of browsers.
 */
const ALWAYS = [
  // iPhone 4 and later, iPad 2 and later: all that run a Safari with `getUserMedia`. Asks since iOS 12.2.
  { make: /^apple$/i, model: /^(iphone|ipad)\b/i },
  { make: /^google$/i, model: /^pixel\b/i },
] as const;

const REFUSED =
  'The film came without the motion sensor: the browser does not allow it here. The person can open the link again and say yes, or allow motion sensors in the browser’s settings.';
const BLOCKED =
  'The film came without the motion sensor: the website around the page does not pass it on. Its frame needs allow="accelerometer; gyroscope".';
const UNEXPLAINED = 'The film came without the motion sensor, and nothing says why.';

/** The device in the photo's own file, if every device of its kind has a motion sensor. */
export function deviceWithSensor(photo: Pick<PictureMetadata, 'make' | 'model'> = {}): string | undefined {
  const [make, model] = [photo.make?.trim() ?? '', photo.model?.trim() ?? ''];
  return ALWAYS.some(device => device.make.test(make) && device.model.test(model)) ? model : undefined;
}

/**
 * Says why the absence of the motion sensor is not explained by the device; undefined if it is. The photo's own file outweighs what the sender
 * says of the sensor.
 */
export function unexplained(absence: MotionAbsence | undefined, device: string | undefined): string | undefined {
  if (absence === 'refused') return REFUSED;
  if (absence === 'blocked') return BLOCKED;
  if (device !== undefined)
    return `The film came without the motion sensor, but the photo’s file names a phone that has one: ${device}. Allowing motion sensors in the browser’s settings helps.`;
  return absence === 'silent' ? undefined : UNEXPLAINED;
}
