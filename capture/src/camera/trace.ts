import { type TraceParts, traceBlob } from '@firsthand/sdk/capture/trace.ts';
import type { Challenge } from '@firsthand/sdk/capture/wire.ts';
import { frameOf } from './camera.ts';
import { cornerOf } from './corner.ts';
import { watchFrames } from './frames.ts';
import { createGuide, type GuideState, type Move, type Seen } from './guide.ts';
import { facingOf } from './lens.ts';
import { type MotionSample, motionAbsence, type Recording, recordMotion } from './motion-sensor.ts';
import type { FrameJpeg, Reading } from './reader.ts';
import type { Order } from './reader-worker.ts';
import { LEAST_FRAMES } from './selection.ts';
import { signsOf } from './signs.ts';

/** Side of the second photo: large enough to match points, small enough for a slow connection. */
const SECOND_SIDE = 1600;
/** Below the 1.5 MB that the service takes. */
const MOST_BYTES = 1_450_000;
/** Crops that stay when the trace is too large. */
const LEAST_CROPS = 5;
/** The page measures at most this often. A phone that needs longer for a frame sets its own pace. */
const PACE_MS = 40;
/** Longest that the end of the film may take. */
const PATIENCE_MS = 4_000;

/** Asked for where there is no challenge: one move shows depth. */
const ONE_MOVE: readonly Move[] = ['right'];

/** A challenge with the time at which its answer arrived (`performance.now()`), from which the server's clock is counted. */
export type OpenChallenge = Challenge & { receivedAt: number };

export type SessionResult = {
  /** The frame at the end of the movement; undefined if the camera gave none. */
  second: Blob | undefined;
  session?: { challengeId: string; trace: ArrayBuffer };
};

type Options = {
  video: HTMLVideoElement;
  /** Without one the page follows one move and keeps no film. Never rejects. */
  challenge: Promise<OpenChallenge | undefined>;
  onMoves: (moves: readonly Move[]) => void;
  onState: (state: GuideState) => void;
  onDone: (result: SessionResult) => void;
};

export type Session = {
  /** Ends the film as it is. The trace says so. */
  giveUp: () => void;
  /** Ends without a result. */
  stop: () => void;
};

/**
 * Films while the person makes the moves, and ends by itself when they are made. Begins to film before the moves are known: the first frames then
 * show what the photo shows, from the same place.
 */
export function startSession({ video, challenge, onMoves, onState, onDone }: Options): Session {
  const motion = recordMotion();
  const turned = turnedBy(video, motion);
  const startedAt = performance.now();
  let open: OpenChallenge | undefined;
  let guide: Guide | undefined;
  let ending: 'done' | 'gave up' | undefined;
  let patience: ReturnType<typeof setTimeout> | undefined;

  void challenge.then(known => {
    if (film.isOver()) return;
    open = known;
    const moves = known?.moves ?? ONE_MOVE;
    guide = createGuide(moves);
    onMoves(moves);
  });

  const film = readFrames(video, {
    phase: kept => (!ending ? 'moving' : !open || kept >= LEAST_FRAMES - 1 ? 'last' : 'hurry'),
    beganAt: () => guide?.beganAt,
    onSeen(seen) {
      if (ending || !guide) return;
      const state = guide.see({ ...seen, turned: turned() });
      onState(state);
      if (state.done) end('done');
    },
    onLast: finish,
    onFailure: abandon,
  });

  function end(how: 'done' | 'gave up'): void {
    ending ??= how;
    // The camera may have stopped, or the phone may be too slow for a trace: nobody waits for it.
    patience ??= setTimeout(abandon, PATIENCE_MS);
  }

  function close(): void {
    clearTimeout(patience);
    film.stop();
    motion.stop();
  }

  /** Ends without a trace. */
  async function abandon(): Promise<void> {
    if (film.isOver()) return;
    close();
    onDone({ second: await secondOf(video) });
  }

  async function finish(second: Blob | undefined): Promise<void> {
    const frames = open ? await film.finish() : [];
    if (film.isOver()) return;
    const samples = motion.stop();
    close();
    navigator.vibrate?.(20);
    onDone({ second, ...(open ? sessionOf({ video, open, frames, samples, ending, startedAt, guide }) : {}) });
  }

  return { giveUp: () => end('gave up'), stop: () => film.isOver() || close() };
}

/** The second photo: the video's present frame. */
const secondOf = (video: HTMLVideoElement): Promise<Blob | undefined> =>
  frameOf(video, SECOND_SIDE).then(
    ({ blob }) => blob,
    () => undefined,
  );

/** How a film is read, frame by frame. */
type Film = {
  /** What the next frame is read for, when so many are kept. `hurry`: to have enough frames soon. `last`: it ends the film. */
  phase: (kept: number) => 'moving' | 'hurry' | 'last';
  /** When the first move began. */
  beganAt: () => number | undefined;
  onSeen: (seen: Seen) => void;
  /** Gets the second photo, which is drawn from the last frame of the film. */
  onLast: (second: Blob | undefined) => Promise<void>;
  /** The reader cannot be loaded. */
  onFailure: () => void;
};

/** Reads frames of the video one after another, until `stop` is called. `finish` returns those that are kept. */
function readFrames(video: HTMLVideoElement, film: Film) {
  const reader = openReader(film.onFailure);
  let busy = false;
  let over = false;
  let last = Number.NEGATIVE_INFINITY;
  let kept = 0;
  const stopWatching = watchFrames(video, async at => {
    if (busy || over || at - last < PACE_MS) return;
    busy = true;
    last = at;
    try {
      const phase = film.phase(kept);
      const second = phase === 'last' ? secondOf(video) : undefined;
      const frame = await grab(video);
      const seen = await reader.read({ at, ...frame, ...KEEPS[phase], from: film.beganAt() });
      if (over) return;
      kept = seen.kept;
      if (second) await film.onLast(await second);
      else film.onSeen(seen);
    } catch {
      // The video has no frame yet: the next may do.
    } finally {
      busy = false;
    }
  });
  return {
    finish: reader.finish,
    isOver: () => over,
    stop() {
      over = true;
      stopWatching();
      reader.close();
    },
  };
}

const KEEPS = { moving: {}, hurry: { keep: 'hurry' }, last: { keep: 'always' } } as const;

type Guide = ReturnType<typeof createGuide>;

type Filmed = {
  video: HTMLVideoElement;
  open: OpenChallenge;
  frames: readonly FrameJpeg[];
  samples: readonly MotionSample[];
  ending: 'done' | 'gave up' | undefined;
  startedAt: number;
  guide: Guide | undefined;
};

/** The trace of a film; nothing where the service would not take it. The photo then goes without. */
function sessionOf(filmed: Filmed): Pick<SessionResult, 'session'> {
  try {
    return { session: { challengeId: filmed.open.challenge_id, trace: traceBlob(fitted(partsOf(filmed))) } };
  } catch {
    return {};
  }
}

function partsOf({ video, open, frames, samples, ending, startedAt, guide }: Filmed): TraceParts {
  const first = frames[0]!.at;
  const relative = (at: number) => Math.round((at - first) * 100) / 100;
  const corner = cornerOf(video.videoWidth, video.videoHeight);
  const track = trackOf(video);
  return {
    challenge_id: open.challenge_id,
    began_at: Math.round(Date.parse(open.issued_at) + Math.max(0, first - open.receivedAt)),
    video: { width: video.videoWidth, height: video.videoHeight },
    frames: frames.map(({ at, jpeg }) => ({ at: relative(at), jpeg })),
    crops: frames.flatMap(({ crop }, frame) => (crop ? [{ frame, ...corner, jpeg: crop }] : [])),
    motion: samples.map(([at, ...rates]) => [relative(at), ...(rates.map(round4) as [number, number, number])]),
    track: {
      settings: anonymous(track?.getSettings?.()),
      capabilities: anonymous(track?.getCapabilities?.()),
      ...programOf(track?.label),
      ...(track ? { signs: signsOf(track) } : {}),
      ...(samples.length === 0 ? { motion: motionAbsence() } : {}),
    },
    guidance: {
      gave_up: ending === 'gave up',
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      moves: open.moves.map((move, i) => ({ move, done: i < (guide?.movesDone ?? 0) })),
    },
  };
}

const trackOf = (video: HTMLVideoElement) => (video.srcObject as MediaStream | null)?.getVideoTracks()[0];

/** Returns how far the camera turned; nothing for a front camera, which turns the other way. */
function turnedBy(video: HTMLVideoElement, motion: Recording): Recording['turned'] {
  /** Asked for once, because the browser takes its time to describe a camera. */
  let back: boolean | undefined;
  return () => {
    back ??= onBack(trackOf(video));
    return back ? motion.turned() : undefined;
  };
}

const onBack = (track: MediaStreamTrack | undefined): boolean => track !== undefined && facingOf(track) !== 'front';

const round4 = (value: number) => Math.round(value * 1e4) / 1e4;

/** Names of devices would tell one phone from all others. */
function anonymous(settings: object | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings ?? {}).filter(([name]) => !/Id$/.test(name)));
}

/** Programs that show a browser a film as if it came from a camera. */
const PROGRAMS =
  /\b(OBS|ManyCam|XSplit|SplitCam|CamTwist|YouCam|Webcamoid|v4l2loopback|VCam|Snap Camera|virtual (web)?cam(era)?)\b/i;

/** The camera's name if it is a program's. Any other name may tell one phone from all others. */
export const programOf = (label = ''): { program?: string } =>
  PROGRAMS.test(label) ? { program: label.slice(0, 100) } : {};

/** Leaves out crops, then frames, until the trace is small enough. */
export function fitted(parts: TraceParts, most = MOST_BYTES): TraceParts {
  const sizeOf = ({ frames, crops }: TraceParts) =>
    [...frames, ...crops].reduce((sum, { jpeg }) => sum + jpeg.byteLength, 0);
  let left = parts;
  while (sizeOf(left) > most && left.crops.length > LEAST_CROPS) left = { ...left, crops: left.crops.slice(0, -1) };
  while (sizeOf(left) > most && left.frames.length > LEAST_FRAMES) {
    const withCrop = new Set(left.crops.map(({ frame }) => frame));
    // Every second of the frames without a crop, from the end, but not the last.
    const drop = left.frames.findLastIndex((_, i) => i < left.frames.length - 1 && i % 2 === 1 && !withCrop.has(i));
    if (drop < 0) break;
    left = {
      ...left,
      frames: left.frames.filter((_, i) => i !== drop),
      crops: left.crops.map(crop => (crop.frame > drop ? { ...crop, frame: crop.frame - 1 } : crop)),
    };
  }
  return left;
}

/**
 * Returns the video's present frame at full size, for another thread to draw. A `VideoFrame` costs nothing; where the browser has none, or does
 * not turn it as it turns the video, the frame is copied.
 */
async function grab(video: HTMLVideoElement): Promise<Pick<Reading, 'source' | 'width' | 'height'>> {
  const { videoWidth: width, videoHeight: height } = video;
  if (width === 0) throw new Error('The video has no frame yet.');
  if (typeof VideoFrame !== 'undefined') {
    const source: VideoFrame & { rotation?: number } = new VideoFrame(video);
    const upright = source.displayWidth === width && source.displayHeight === height && !source.rotation;
    if (upright) return { source, width, height };
    source.close();
  }
  return { source: await createImageBitmap(video), width, height };
}

type ReaderProxy = {
  read: (reading: Reading) => Promise<Seen & { kept: number }>;
  finish: () => Promise<FrameJpeg[]>;
  close: () => void;
};

/**
 * The reader in a worker of its own, where workers can draw; else in the page.
 *
 * @param onFailure called when it cannot be loaded
 */
function openReader(onFailure: () => void): ReaderProxy {
  if (typeof OffscreenCanvas === 'undefined') {
    const reader = import('./reader.ts').then(({ createReader }) => createReader());
    reader.catch(onFailure);
    return {
      read: async reading => (await reader).read(reading),
      finish: async () => (await reader).finish(),
      close: () => {},
    };
  }
  const worker = new Worker(new URL('./reader-worker.ts', import.meta.url));
  worker.onerror = onFailure;
  const ask = <T>(order: Order, transfer: Transferable[] = []): Promise<T> =>
    new Promise(resolve => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.postMessage(order, transfer);
    });
  return {
    read: reading => ask(reading, [reading.source]),
    finish: () => ask({ finish: true }),
    close: () => worker.terminate(),
  };
}
