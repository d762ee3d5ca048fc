import type { CaptureRequest, EndUserView, Move, ProgressRequest, UploadUrlResponse } from '../api.generated.ts';

export type {
  BrandView as Brand,
  Challenge,
  Fault,
  FilmAnnouncement,
  GeoPoint as DeviceLocation,
  ImageStep,
  PublicView,
  Step,
  StepState,
  TextStep,
  UploadStep,
} from '../api.generated.ts';

/** The verification as its end user may see it, which every capture-token route returns. */
export type CaptureView = EndUserView;
/** How to PUT the bytes of one capture. Works once, for five minutes. */
export type UploadTarget = UploadUrlResponse;
/** `POST …/captures` for bytes that were already PUT. */
export type CaptureSubmission = Omit<CaptureRequest, 'image_base64'> & { image_key: string; image_sha256: string };
export type ProgressReport = ProgressRequest;

/** The JSON at the beginning of a trace file. */
export type TraceHeader = {
  version: 1;
  challenge_id: string;
  /** When the first frame was taken: ms since 1970 by the server's clock, counted from the challenge's `issued_at`. */
  began_at: number;
  /** Pixels of the full video frame. */
  video: { width: number; height: number };
  /** `at`: the video's own time in ms. `bytes`: length of the JPEG. */
  frames: { at: number; bytes: number }[];
  /** Upper left corner in pixels of the full video frame. */
  crops: { frame: number; x: number; y: number; size: 256; bytes: number }[];
  /** Time in ms and rotation rates in rad/s about the device's axes: x to the right, y up, z out of the display. */
  motion: [at: number, x: number, y: number, z: number][];
  /** `program`: the camera's name, where it is that of a program that pretends to be a camera. Names of other cameras are not sent. */
  track: {
    settings: Record<string, unknown>;
    capabilities: Record<string, unknown>;
    program?: string;
    /** Why `motion` is empty. */
    motion?: 'refused' | 'blocked' | 'silent';
    signs?: ('drawn_track' | 'replaced_function')[];
  };
  guidance: { gave_up: boolean; seconds: number; moves: { move: Move; done: boolean }[] };
};
