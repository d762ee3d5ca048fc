// The package's entry for pages and apps that take photos.
export { type CaptureClient, type CaptureClientOptions, createCaptureClient } from './client.ts';
export { randomId, sha256Hex } from './digest.ts';
export { ApiError, isTransient, NetworkError } from './errors.ts';
export { submissionOrder } from './order.ts';
export { type SendResult, sendHeld } from './outbox.ts';
export { type Put, type PutOptions, putWithProgress } from './put.ts';
export type { SendOptions, SendProgress } from './sending.ts';
export {
  type Bytes,
  type CaptureStore,
  type HeldAnswer,
  type HeldCapture,
  type HeldSession,
  memoryStore,
  openStore,
} from './store.ts';
export { TRACE_CONTENT_TYPE, TRACE_LIMITS, type TraceParts, traceBlob, uploadTrace } from './trace.ts';
export type * from './wire.ts';
