import {
  type Challenge,
  isTransient,
  TRACE_LIMITS,
  type TraceHeader,
  type TraceParts,
  traceBlob,
} from '@firsthand/sdk/capture';

export type Move = Challenge['moves'][number];

/** What the service asks of the film that follows one photo. Ask at the shutter. */
export interface FilmChallenge {
  id: string;
  /** Where the camera goes, one after another. */
  moves: readonly Move[];
  /** ISO 8601, by the service's clock. A film must begin before it. */
  expiresAt: string;
  issuedAt: string;
  /** `performance.now()` when the answer came. */
  arrivedAt: number;
}

/** A rotation rate about the device's axes, in radians per second; `at` by `performance.now()`. */
export type MotionSample = readonly [at: number, x: number, y: number, z: number];

/** What a camera of yours filmed after the photo. Times are `performance.now()`, in milliseconds. */
export interface Film {
  challenge: FilmChallenge;
  /** 16 to 32 JPEGs, from the shutter to the end of the last move, the longer side at most 480 pixels. */
  frames: readonly { at: number; jpeg: ArrayBuffer }[];
  /** At most 12 squares of 256 pixels out of the full frame, always from the same place. */
  crops?: TraceParts['crops'];
  /** The size of the full frame, upright. */
  video: { width: number; height: number };
  /** From {@link recordMotion}; empty where the phone has no gyroscope. */
  motion: readonly MotionSample[];
  /** Which of the moves the person made, as far as your screen can tell. */
  done: readonly boolean[];
  /** The person left the film before its end. */
  gaveUp?: boolean;
}

/** A film that a camera is making. */
export interface Filming {
  /** Ends it. */
  stop(): Promise<Pick<Film, 'frames' | 'video' | 'crops'>>;
}

/**
 * The film as the file that the service takes: see the capture protocol, "Camera session".
 *
 * @throws RangeError for a film that the service would not take.
 */
export function fileOf({ challenge, frames, crops = [], video, motion, done, gaveUp = false }: Film): ArrayBuffer {
  const first = frames[0]?.at ?? challenge.arrivedAt;
  const last = frames.at(-1)?.at ?? first;
  return traceBlob({
    challenge_id: challenge.id,
    began_at: Date.parse(challenge.issuedAt) + Math.round(first - challenge.arrivedAt),
    video,
    frames: frames.map(({ at, jpeg }) => ({ at, jpeg })),
    crops,
    motion: motion.map(([at, x, y, z]): TraceHeader['motion'][number] => [at, x, y, z]),
    track: { settings: {}, capabilities: {}, ...(motion.length === 0 ? { motion: 'silent' } : {}) },
    guidance: {
      gave_up: gaveUp,
      seconds: (last - first) / 1_000,
      moves: challenge.moves.map((move, n) => ({ move, done: done[n] ?? false })),
    },
  });
}

/** `Gyroscope` of `expo-sensors`, as far as it is needed. */
export interface Gyroscope {
  addListener(listener: (rate: { x: number; y: number; z: number }) => void): { remove(): void };
  setUpdateInterval(ms: number): void;
}

/** Records the gyroscope until the function that it returns is called, which gives at most as many samples as a film takes. */
export function recordMotion(gyroscope: Gyroscope, everyMs = 16): () => MotionSample[] {
  const samples: MotionSample[] = [];
  gyroscope.setUpdateInterval(everyMs);
  const subscription = gyroscope.addListener(({ x, y, z }) => samples.push([performance.now(), x, y, z]));
  return () => {
    subscription.remove();
    const step = Math.ceil(samples.length / TRACE_LIMITS.maxMotionSamples);
    return step > 1 ? samples.filter((_, n) => n % step === 0) : samples;
  };
}

/** Tells the service of a film until it has heard, or the challenge has ended. Best effort: a film that comes with its photo counts too. */
export async function announce(tell: () => Promise<void>, expiresAt: string, pause: (ms: number) => Promise<void>) {
  for (let waitMs = 500; ; waitMs *= 2) {
    try {
      return await tell();
    } catch (error) {
      if (!isTransient(error) || Date.now() + waitMs > Date.parse(expiresAt)) return;
      await pause(waitMs);
    }
  }
}
