/** The protocol between the capture page and the page or app around it. `docs/embedding.md` describes it. */
export const PROTOCOL_VERSION = 1;

export type CaptureStepName =
  | 'landing'
  | 'ready'
  | 'capturing'
  | 'reviewing'
  | 'uploading'
  | 'camera_blocked'
  | 'success';

/** `not_loaded` comes only from the element: the page did not answer, for example because this origin is not allowed. */
export type CaptureErrorCode =
  | 'not_found'
  | 'expired'
  | 'cancelled'
  | 'failed'
  | 'redacted'
  | 'revoked'
  | 'forbidden'
  | 'unreachable'
  | 'broken'
  | 'not_loaded';

/** What the page says. It never holds the token, a photo, an answer, a place or a name. */
export type CaptureEvent =
  | { type: 'ready' }
  | { type: 'step'; step: CaptureStepName; index?: number; total: number }
  | { type: 'completed' }
  | { type: 'abandoned' }
  | { type: 'error'; code: CaptureErrorCode };

/** `fill`: the camera is on; the frame takes the height that the window has. */
export type ResizeEvent = { type: 'resize'; height: number; fill: boolean };

export type CaptureMessage = { source: 'firsthand'; version: number } & (CaptureEvent | ResizeEvent);

export const isCaptureMessage = (data: unknown): data is CaptureMessage =>
  typeof data === 'object' &&
  data !== null &&
  (data as CaptureMessage).source === 'firsthand' &&
  (data as CaptureMessage).version === PROTOCOL_VERSION;
