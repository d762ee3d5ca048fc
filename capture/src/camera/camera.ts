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

/** Keeps one stream for the whole visit. Reports its state to `subscribe`rs and does not touch the page. */
export function createCamera() {
  let state: CameraState = { status: 'off' };
  const listeners = new Set<(state: CameraState) => void>();
  let lensIds: string[] = [];
  let opening: Promise<void> | undefined;

  const set = (next: CameraState) => {
    state = next;
    for (const listener of listeners) listener(state);
  };
  const track = () => (state.status === 'live' ? state.stream.getVideoTracks()[0] : undefined);

  function show(stream: MediaStream): void {
    const video = stream.getVideoTracks()[0]!;
    video.addEventListener('ended', () => {
      if (state.status === 'live' && state.stream === stream) set({ status: 'lost' });
    });
    const torch = (video.getCapabilities?.() as TorchCapabilities | undefined)?.torch ? 'off' : 'none';
    const facing = facingOf(video) === 'front' ? 'front' : 'back';
    set({ status: 'live', stream, torch, lenses: lensIds.length, facing });
  }

  /** Requests or reopens the camera. Never rejects; the state tells the outcome. */
  function open(): Promise<void> {
    opening ??= ask().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  async function ask(): Promise<void> {
    if (track()?.readyState === 'live') return;
    if (!navigator.mediaDevices?.getUserMedia) {
      return set({ status: 'blocked', reason: globalThis.isSecureContext ? 'none' : 'insecure' });
    }
    set({ status: 'asking' });
    try {
      const stream = await backStream();
      const opened = openLens(stream);
      // Browsers name the cameras only after permission.
      const devices = await navigator.mediaDevices.enumerateDevices().catch(() => []);
      const lenses = lensesBeside(devices, opened);
      lensIds = lenses.map(lens => lens.deviceId);
      const better = betterLens(lenses, opened);
      show(better ? await replace(stream, better.deviceId) : stream);
    } catch (error) {
      set({ status: 'blocked', reason: reasonOf(error) });
    }
  }

  const backStream = () =>
    navigator.mediaDevices.getUserMedia({ video: { facingMode: { ideal: 'environment' }, ...BEST }, audio: false });

  /**
   * Closes `stream` and opens another lens, because phones open one camera at a time. A lens that fails, or that turns out to look at the
   * person, is offered no more, and the back camera is opened again.
   */
  async function replace(stream: MediaStream, deviceId: string): Promise<MediaStream> {
    const { facing } = openLens(stream);
    for (const old of stream.getTracks()) old.stop();
    try {
      const next = await navigator.mediaDevices.getUserMedia({ video: { deviceId: { exact: deviceId }, ...BEST } });
      if (facing !== 'back' || openLens(next).facing !== 'front') return next;
      for (const wrong of next.getTracks()) wrong.stop();
    } catch {
      // The back camera follows.
    }
    lensIds = lensIds.filter(id => id !== deviceId);
    return backStream();
  }

  return {
    get state() {
      return state;
    },
    subscribe(listener: (state: CameraState) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    open,

    /** Releases the camera: its light goes out and other apps can use it. */
    close(): void {
      const stream = state.status === 'live' ? state.stream : undefined;
      set({ status: 'off' });
      for (const each of stream?.getTracks() ?? []) each.stop();
    },

    async switchLens(): Promise<void> {
      if (state.status !== 'live' || lensIds.length < 2) return;
      const { stream } = state;
      const current = lensIds.indexOf(track()?.getSettings().deviceId ?? '');
      try {
        show(await replace(stream, lensIds[(current + 1) % lensIds.length]!));
      } catch (error) {
        set({ status: 'blocked', reason: reasonOf(error) });
      }
    },

    async toggleTorch(): Promise<void> {
      if (state.status !== 'live' || state.torch === 'none') return;
      const on = state.torch === 'off';
      try {
        await track()?.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] });
        set({ ...state, torch: on ? 'on' : 'off' });
      } catch {
        // The torch did not change, so the button keeps showing its true state.
      }
    },

    /**
     * Takes the best still available: the sensor's photo if the browser offers it, else the full video frame.
     *
     * @throws when neither gives a picture.
     */
    async takePhoto(video: HTMLVideoElement): Promise<Photo> {
      const live = track();
      if (live && typeof ImageCapture !== 'undefined') {
        try {
          const blob = await within(PHOTO_TIMEOUT_MS, new ImageCapture(live).takePhoto());
          const size = await sizeOf(blob);
          const pixels = size.width * size.height;
          // Some drivers return a thumbnail here; the video frame is then better. Some sensors give more than the service takes.
          const fits = pixels <= MAX_PIXELS && blob.size <= UPLOAD_HARD_CAP_BYTES;
          if (fits && pixels >= video.videoWidth * video.videoHeight) return { blob, ...size };
        } catch {
          // Some drivers claim to take photos but fail.
        }
      }
      return frameOf(video);
    },
  };
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
