// The package's entry. Errors and types of the capture client are passed on, so that an app loads one copy of them.
export {
  ApiError,
  type CaptureView,
  isTransient,
  NetworkError,
  type SendProgress,
  type SendResult,
  type Step,
} from '@firsthand/sdk/capture';
export { type Camera, type CameraHandle, type CameraProps, expoCamera } from './camera.tsx';
export {
  type AddOptions,
  type Capture,
  type HeldPhoto,
  heldLinks,
  type Link,
  openCapture,
  type PhotoFault,
  PhotoRefused,
  type PhotoStep,
  type SendHeldOptions,
} from './capture.ts';
export { type ExpoPhoneOptions, expoPhone } from './expo.ts';
export {
  type Film,
  type FilmChallenge,
  type Filming,
  type Gyroscope,
  type MotionSample,
  recordMotion,
} from './film.ts';
export type { AppAttest, Files, Integrity, Phone, PlayIntegrity, Secrets, UploadRequest } from './phone.ts';
export { FirsthandCapture, type FirsthandCaptureProps } from './screen/firsthand-capture.tsx';
export { type CaptureEnd, type CaptureHook, type UseCaptureOptions, useCapture } from './use-capture.ts';
export { useViewfinder, type ViewfinderPhase } from './use-viewfinder.ts';
export type { Words } from './word-keys.ts';
