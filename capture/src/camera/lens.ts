/** Which way a camera looks. `unknown`: neither the browser nor a label in a known form says it. */
export type Facing = 'back' | 'front' | 'unknown';

type Described = { getCapabilities?(): MediaTrackCapabilities };
type Device = Pick<MediaDeviceInfo, 'deviceId' | 'label' | 'kind'> & Described;

/** Returns which way the camera of an open stream looks, as the browser says. Labels are in the person's language, so they never count. */
export function facingOf(track: Described & { getSettings?(): MediaTrackSettings }): Facing {
  return named(track.getSettings?.().facingMode) ?? named(...(capabilitiesOf(track).facingMode ?? [])) ?? 'unknown';
}

function named(...modes: (string | undefined)[]): Facing | undefined {
  if (modes.includes('environment')) return 'back';
  return modes.includes('user') ? 'front' : undefined;
}

// Browsers may throw here for a camera that another page uses.
function capabilitiesOf(camera: Described): MediaTrackCapabilities {
  try {
    return camera.getCapabilities?.() ?? {};
  } catch {
    return {};
  }
}

// Chromium on Android does not translate its labels: "camera2 0, facing back". 0 is the main lens.
const ANDROID = /^camera2?\s+(\d+),\s+facing\s+(back|front)$/i;
// Firefox for Android: "Facing back:0", "Camera 0, Facing back, Orientation 90".
const ANDROID_FIREFOX = /^(?:camera \d+, )?facing (back|front)\b/i;
// iPhones in English. Others translate the label, so it tells nothing.
const APPLE = /^(back|front) .*camera$/i;

function facingByLabel(label: string): Facing {
  const [, side] = APPLE.exec(label) ?? ANDROID_FIREFOX.exec(label) ?? [];
  return (side ?? ANDROID.exec(label)?.[2] ?? 'unknown').toLowerCase() as Facing;
}

/** The number that Android gives a camera; undefined elsewhere. */
const androidNumber = (label: string): number | undefined => {
  const digits = ANDROID.exec(label)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** Ranks the lenses that English labels name; other labels rank 0. Decides only the order in which the person sees the lenses. */
function rankLens(label: string): number {
  if (!APPLE.test(label)) return androidNumber(label) ?? 0;
  if (/ultra|tele/i.test(label)) return 2;
  // "Back Dual Camera" and "Back Triple Camera" switch lenses on their own while the person frames.
  return /dual|triple/i.test(label) ? 1 : 0;
}

/**
 * Returns the lenses between which the person may switch, the best first. A camera of unknown facing counts only where the open one is
 * unknown too, as on a desktop.
 */
export function lensesBeside(
  devices: readonly Device[],
  open: { deviceId: string | undefined; facing: Facing },
): Device[] {
  const cameras = devices.filter(device => device.kind === 'videoinput' && device.deviceId !== '');
  const facing = (camera: Device): Facing => {
    if (camera.deviceId === open.deviceId) return open.facing;
    const told = facingOf(camera);
    return told === 'unknown' ? facingByLabel(camera.label) : told;
  };
  const back = cameras.filter(camera => facing(camera) === 'back');
  const found = back.length > 0 ? back : cameras.filter(camera => facing(camera) === open.facing);
  return found.slice().sort((a, b) => rankLens(a.label) - rankLens(b.label));
}

/**
 * Returns the lens to open in place of the one that the browser chose; undefined to keep it. Some Androids answer 'environment' with their
 * ultra wide or telephoto lens; their numbers tell. Some tablets answer with the front camera.
 */
export function betterLens(
  lenses: readonly Device[],
  open: { deviceId: string | undefined; facing: Facing },
): Device | undefined {
  const [best] = lenses;
  const current = lenses.find(lens => lens.deviceId === open.deviceId);
  if (!best || !open.deviceId || best === current) return undefined;
  if (!current) return open.facing === 'front' ? best : undefined;
  const number = androidNumber(current.label);
  const other = androidNumber(best.label);
  return number !== undefined && other !== undefined && other < number ? best : undefined;
}
