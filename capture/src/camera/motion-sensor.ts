/** Time on the page's clock (`performance.now()`) in ms, and the rates about the device's axes x, y and z in radians a second. */
export type MotionSample = [at: number, x: number, y: number, z: number];

const MOST_SAMPLES = 600;
const RADIANS = Math.PI / 180;

type Asking = { requestPermission?: () => Promise<string> };

/** Why the film has no samples of the sensor. The service explains the words (`TraceHeader.track.motion`). */
export type MotionAbsence = 'refused' | 'blocked' | 'silent';

let refused = false;

/** Asks for the motion sensor where the system wants a yes (iOS). Call it in the handler of a tap. Never rejects. */
export async function askForMotion(): Promise<void> {
  try {
    const answer = await (globalThis.DeviceMotionEvent as Asking | undefined)?.requestPermission?.();
    refused = answer === 'denied';
  } catch {
    // Not in a tap, or not allowed here: the film goes without the sensor.
    refused = true;
  }
}

/** Chromium tells a frame what the page around it passes on. */
type Policed = { featurePolicy?: { allowsFeature: (name: string) => boolean } };

/** Says why there are no samples. */
export function motionAbsence(page: Policed = document as Policed): MotionAbsence {
  if (page.featurePolicy?.allowsFeature('gyroscope') === false) return 'blocked';
  return refused ? 'refused' : 'silent';
}

export type Recording = {
  /**
   * How far the picture went because a camera on the back turned, since the beginning: shares of the longer side, x to the right, y down.
   * Undefined without a sensor.
   */
  turned: () => { x: number; y: number } | undefined;
  stop: () => MotionSample[];
};

/** Focal length of phones' main cameras while they film, in longer sides: 24 to 29 mm on 36 mm, and some of it is cut off. */
const FOCAL = 0.8;
/** After a longer pause the rate in between is unknown. */
const LONGEST_GAP_S = 0.1;

/** The rates about the display's own axes to the right and upwards, when it was turned by `angle` degrees. */
function onScreen([, x, y]: MotionSample, angle: number): [right: number, up: number] {
  const [cos, sin] = [Math.cos(angle * RADIANS), Math.sin(angle * RADIANS)];
  return [x * cos - y * sin, x * sin + y * cos];
}

/** Records the motion sensor until `stop`, which returns the samples; none where the device gives none. */
export function recordMotion(): Recording {
  const samples: MotionSample[] = [];
  const turned = { x: 0, y: 0 };
  const onMotion = ({ rotationRate, timeStamp }: DeviceMotionEvent) => {
    // Browsers report the rates about x, y, z as alpha, beta, gamma, in degrees (w3c/deviceorientation, issue 44).
    const { alpha, beta, gamma } = rotationRate ?? { alpha: null, beta: null, gamma: null };
    if (alpha === null || beta === null || gamma === null) return;
    const sample: MotionSample = [timeStamp, alpha * RADIANS, beta * RADIANS, gamma * RADIANS];
    const seconds = Math.min(LONGEST_GAP_S, (timeStamp - (samples.at(-1)?.[0] ?? timeStamp)) / 1000);
    const [right, up] = onScreen(sample, globalThis.screen?.orientation?.angle ?? 0);
    // A camera on the back that turns about the axis to the right looks up, about the axis upwards to the left.
    turned.x -= FOCAL * up * seconds;
    turned.y -= FOCAL * right * seconds;
    samples.push(sample);
  };
  addEventListener('devicemotion', onMotion);
  return {
    turned: () => (samples.length > 0 ? { ...turned } : undefined),
    stop() {
      removeEventListener('devicemotion', onMotion);
      return thinned(samples);
    },
  };
}

/** Averages neighbours until at most `most` samples are left, which keeps the angle that the rates add up to. */
export function thinned(samples: readonly MotionSample[], most = MOST_SAMPLES): MotionSample[] {
  let list = [...samples];
  while (list.length > most) {
    list = Array.from({ length: Math.ceil(list.length / 2) }, (_, i): MotionSample => {
      const [a, b = a] = [list[2 * i]!, list[2 * i + 1]];
      const mean = (axis: 0 | 1 | 2 | 3) => (a[axis] + b[axis]) / 2;
      return [mean(0), mean(1), mean(2), mean(3)];
    });
  }
  return list;
}
