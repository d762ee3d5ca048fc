// Re-exports the contract's types only, so no schema reaches the phone.
import type { CaptureRequest, ProgressRequest, UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import type { Challenge as SessionChallenge } from '@firsthand/contract/verification/presence.ts';
import type {
  BrandView,
  EndUserView,
  GeoPoint,
  PublicView as Public,
} from '@firsthand/contract/verification/verification.ts';

export type { ImageStep, Step, TextStep, UploadStep } from '@firsthand/contract/capture/steps.ts';
export type { Move, TraceHeader } from '@firsthand/contract/verification/presence.ts';
export type { StepState } from '@firsthand/contract/verification/verification.ts';

/** The verification as its end user may see it, which every capture-token route returns. */
export type CaptureView = EndUserView;
/** The share-safe projection behind a certificate. */
export type PublicView = Public;
export type Brand = BrandView;
export type DeviceLocation = GeoPoint;
/** The moves of a camera session. */
export type Challenge = SessionChallenge;
/** How to PUT the bytes of one capture. Works once, for five minutes. */
export type UploadTarget = UploadUrlResponse;
/** `POST …/captures` for bytes that were already PUT. */
export type CaptureSubmission = Omit<CaptureRequest, 'image_base64'> & { image_key: string; image_sha256: string };
export type ProgressReport = ProgressRequest;
