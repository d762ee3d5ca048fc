import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { MAX_PIXELS } from '@firsthand/contract/capture/pictures.ts';
import { betterLens, facingOf, lensesBeside } from './lens.ts';

export type Photo = { blob: Blob; width: number; height: number };

export type CameraState =
  | { status: 'off' }
  | { status: 'asking' }
  | { status: 'live'; stream: MediaStream; torch: 'none' | 'off' | 'on'; lenses: number; facing: 'front' | 'back' }
  /** `denied`: by the person or a policy. `insecure`: the page is not HTTPS. `busy`: another app uses the camera. */
  | { status: 'blocked'; reason: 'denied' | 'none' | 'insecure' | 'busy' }
  | { status: 'lost' };

export type Camera = ReturnType<typeof createCamera>;

// Larger than any phone camera in a browser, so 'ideal' picks the highest resolution.
const BEST = { width: { ideal: 4096 }, height: { ideal: 3072 } };

// `torch` is in the Image Capture draft and in Chromium, not in the DOM types.
type TorchCapabilities = MediaTrackCapabilities & { torch?: boolean };
type ImageCaptureLike = { takePhoto(): Promise<Blob> };
declare const ImageCapture: (new (track: MediaStreamTrack) => ImageCaptureLike) | undefined;

/** Longest a hardware photo may take before the current frame is used instead. */
const PHOTO_TIMEOUT_MS = 4_000;

/** An open stream, and the lenses that can be opened in its place. */
type Opened = { stream: MediaStream; lensIds: readonly string[] };

function createState() {
  let state: CameraState = { status: 'off' };
  const listeners = new Set<(state: CameraState) => void>();
  const live = () => (state.status === 'live' ? state : undefined);
  return {
    get state() {
      return state;
    },
    live,
    track: () => live()?.stream.getVideoTracks()[0],
    set(next: CameraState): void {
      state = next;
      for (const listener of listeners) listener(state);
    },
    subscribe(listener: (state: CameraState) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Keeps one stream for the whole visit. Reports its state to `subscribe`rs and does not touch the page. */
export function createCamera() {
  const at = createState();
  let lensIds: readonly string[] = [];
  let opening: Promise<void> | undefined;

  /** Shows what opens. Never rejects; the state tells the outcome. */
  async function show(opened: Promise<Opened>): Promise<void> {
    try {
      const { stream, ...next } = await opened;
      lensIds = next.lensIds;
      const onEnded = () => at.live()?.stream === stream && at.set({ status: 'lost' });
      at.set({ status: 'live', stream, lenses: lensIds.length, ...traitsOf(stream, onEnded) });
    } catch (error) {
      at.set({ status: 'blocked', reason: reasonOf(error) });
    }
  }

  async function ask(): Promise<void> {
    if (at.track()?.readyState === 'live') return;
    if (navigator.mediaDevices?.getUserMedia !== undefined) {
      at.set({ status: 'asking' });
      await show(openBest());
    } else at.set({ status: 'blocked', reason: globalThis.isSecureContext ? 'none' : 'insecure' });
  }

  return {
    get state() {
      return at.state;
    },
    subscribe: at.subscribe,
    /** Requests or reopens the camera. Never rejects; the state tells the outcome. */
    open(): Promise<void> {
      opening ??= ask().finally(() => {
        opening = undefined;
      });
      return opening;
    },
    /** Releases the camera: its light goes out and other apps can use it. */
    close(): void {
      const stream = at.live()?.stream;
      at.set({ status: 'off' });
      for (const each of stream?.getTracks() ?? []) each.stop();
    },
    async switchLens(): Promise<void> {
      const stream = at.live()?.stream;
      const next = lensIds[(lensIds.indexOf(at.track()?.getSettings().deviceId ?? '') + 1) % lensIds.length];
      if (stream && next !== undefined && lensIds.length > 1) await show(replaceLens({ stream, lensIds }, next));
    },
    async toggleTorch(): Promise<void> {
      const now = at.live();
      if (!now || now.torch === 'none') return;
      const torch = now.torch === 'off' ? 'on' : 'off';
      const done = await setTorch(at.track(), torch === 'on');
      const after = at.live();
      if (done && after) at.set({ ...after, torch });
    },
    /** Takes the sensor's photo, else the full video frame. Rejects when neither gives a picture. */
    takePhoto: async (video: HTMLVideoElement) => (await sensorPhoto(at.track(), video)) ?? frameOf(video),
  };
}

const backStream = () =>
  navigator.mediaDevices.getUserMedia({ video: { facingMode: { ideal: 'environment' }, ...BEST }, audio: false });

/** Opens the back camera, or a lens beside it that is better. */
async function openBest(): Promise<Opened> {
  const stream = await backStream();
  const opened = openLens(stream);
  // Browsers name the cameras only after permission.
  const devices = await navigator.mediaDevices.enumerateDevices().catch(() => []);
  const lenses = lensesBeside(devices, opened);
  const best = { stream, lensIds: lenses.map(lens => lens.deviceId) };
  const better = betterLens(lenses, opened);
  return better ? replaceLens(best, better.deviceId) : best;
}

/**
 * Closes the stream and opens another lens, because phones open one camera at a time. A lens that fails, or that turns out to look at the
 * person, is offered no more, and the back camera is opened again.
 */
async function replaceLens({ stream, lensIds }: Opened, deviceId: string): Promise<Opened> {
  const { facing } = openLens(stream);
  for (const old of stream.getTracks()) old.stop();
  try {
    const next = await navigator.mediaDevices.getUserMedia({ video: { deviceId: { exact: deviceId }, ...BEST } });
    if (facing !== 'back' || openLens(next).facing !== 'front') return { stream: next, lensIds };
    for (const wrong of next.getTracks()) wrong.stop();
  } catch {
    // The back camera follows.
  }
  return { stream: await backStream(), lensIds: lensIds.filter(id => id !== deviceId) };
}

/** Returns what the page needs to know of an open camera. Calls `onEnded` when it stops by itself. */
function traitsOf(stream: MediaStream, onEnded: () => void): { torch: 'off' | 'none'; facing: 'front' | 'back' } {
  const video = stream.getVideoTracks()[0]!;
  video.addEventListener('ended', onEnded);
  const torch = (video.getCapabilities?.() as TorchCapabilities | undefined)?.torch ? 'off' : 'none';
  return { torch, facing: facingOf(video) === 'front' ? 'front' : 'back' };
}

/** Returns false when the torch did not change, so that the button keeps showing its true state. */
async function setTorch(track: MediaStreamTrack | undefined, torch: boolean): Promise<boolean> {
  try {
    await track?.applyConstraints({ advanced: [{ torch } as MediaTrackConstraintSet] });
    return true;
  } catch {
    return false;
  }
}

/** The sensor's own photo; undefined where the browser gives none, or none that is better than a frame of the video. */
async function sensorPhoto(track: MediaStreamTrack | undefined, video: HTMLVideoElement): Promise<Photo | undefined> {
  if (!track || typeof ImageCapture === 'undefined') return undefined;
  try {
    const blob = await within(PHOTO_TIMEOUT_MS, new ImageCapture(track).takePhoto());
    const size = await sizeOf(blob);
    const pixels = size.width * size.height;
    // Some drivers return a thumbnail here; the video frame is then better. Some sensors give more than the service takes.
    const fits = pixels <= MAX_PIXELS && blob.size <= UPLOAD_HARD_CAP_BYTES;
    if (fits && pixels >= video.videoWidth * video.videoHeight) return { blob, ...size };
  } catch {
    // Some drivers claim to take photos but fail.
  }
  return undefined;
}

/** Returns the video's current frame as JPEG, at full size or with at most `maxSide` pixels on its longer side. */
export async function frameOf(video: HTMLVideoElement, maxSide = Number.POSITIVE_INFINITY): Promise<Photo> {
  const scale = Math.min(1, maxSide / Math.max(video.videoWidth, video.videoHeight));
  const width = Math.round(video.videoWidth * scale);
  const height = Math.round(video.videoHeight * scale);
  if (width === 0 || height === 0) throw new Error('The video has no frame yet.');
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.getContext('2d')!.drawImage(video, 0, 0, width, height);
  const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/jpeg', 0.94));
  if (!blob) throw new Error('The frame could not be encoded.');
  return { blob, width, height };
}

/** Returns width and height of an encoded picture after orientation. */
export async function sizeOf(blob: Blob): Promise<{ width: number; height: number }> {
  const bitmap = await createImageBitmap(blob);
  const { width, height } = bitmap;
  bitmap.close();
  return { width, height };
}

function openLens(stream: MediaStream) {
  const video = stream.getVideoTracks()[0];
  return { deviceId: video?.getSettings?.().deviceId, facing: video ? facingOf(video) : ('unknown' as const) };
}

function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('timeout')), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function reasonOf(error: unknown): 'denied' | 'none' | 'busy' {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied';
  if (name === 'NotReadableError' || name === 'AbortError') return 'busy';
  return 'none';
}
