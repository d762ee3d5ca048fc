import { ApiError } from './errors.ts';
import { uploadBytes } from './put.ts';
import { missingOf, type Sending } from './sending.ts';
import type { Bytes, HeldCapture } from './store.ts';
import { TRACE_CONTENT_TYPE } from './trace.ts';
import type { CaptureSubmission, CaptureView } from './wire.ts';

/** A capture counts as refused after the service fails to find its uploaded bytes this many times. */
const MAX_REUPLOADS = 3;

/** Repeats an upload whose URL expired before the bytes went out (the phone slept): its PUT fails with a bare status. */
async function stored<B extends Bytes>({ persist }: Sending<B>, upload: () => Promise<string>): Promise<string> {
  for (let refusals = 0; ; refusals++) {
    try {
      // Creates a new upload URL with each PUT: a URL is good for one PUT within five minutes, and after a lost
      // answer nobody can tell whether that PUT happened.
      return await persist('sending', upload);
    } catch (error) {
      const stale = error instanceof ApiError && (error.code.startsWith('http_') || error.code === 'forbidden');
      if (!stale || refusals === MAX_REUPLOADS) throw error;
    }
  }
}

/** Uploads what the service lacks: the picture, then the trace. */
export async function upload<B extends Bytes>(sending: Sending<B>, capture: HeldCapture<B>): Promise<void> {
  const { client, store, put, report } = sending;
  const { stepKey, contentType, bytes, session } = capture;
  if (!capture.imageKey) {
    capture.imageKey = await stored(sending, () => uploadBytes(client, put, { contentType, step_key: stepKey, bytes }));
    await store.putCapture(capture);
    report('sending');
  }
  if (!session || session.traceKey) return;
  try {
    const { trace } = session;
    session.traceKey = await stored(sending, () =>
      uploadBytes(client, put, { contentType: TRACE_CONTENT_TYPE, step_key: stepKey, bytes: trace }),
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The service takes no trace: the photo goes without.
    delete capture.session;
  }
  await store.putCapture(capture);
  report('sending');
}

/** Submits a capture. Uploads first what the service has not got, or has lost. */
export async function submit<B extends Bytes>(sending: Sending<B>, capture: HeldCapture<B>): Promise<CaptureView> {
  for (let uploads = 0; ; uploads++) {
    const { imageKey } = capture;
    if (!imageKey || missingOf(capture) > 0) {
      await upload(sending, capture);
      continue;
    }
    const attestationToken = await sending.attestation(capture).catch(() => undefined);
    try {
      const body = submissionOf(capture, imageKey, attestationToken);
      return await sending.persist('finishing', () => sending.client.submit(body, capture.id));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_request') throw error;
      if (!forgetLost(capture, error, uploads < MAX_REUPLOADS)) throw error;
    }
  }
}

function submissionOf(
  capture: HeldCapture<Bytes>,
  imageKey: string,
  attestationToken: string | undefined,
): CaptureSubmission {
  const { location, motionFrame, session } = capture;
  return {
    image_key: imageKey,
    image_sha256: capture.sha256,
    step_key: capture.stepKey,
    surface: capture.surface,
    client_captured_at: capture.capturedAt,
    ...(location ? { location } : {}),
    ...(motionFrame ? { motion_frame_base64: toBase64(motionFrame) } : {}),
    ...(attestationToken ? { attestation_token: attestationToken } : {}),
    ...(session?.traceKey
      ? { challenge_id: session.challengeId, trace_key: session.traceKey, trace_sha256: session.traceSha256 }
      : {}),
  };
}

/** Forgets what the service does not find, so that the next try uploads it, or goes without it. Returns false when neither helps. */
function forgetLost(capture: HeldCapture<Bytes>, error: ApiError, mayUpload: boolean): boolean {
  const { session } = capture;
  const lost = error.names('image_key') || error.names('image_sha256');
  const traceLost = error.names('trace_key') || error.names('trace_sha256');
  const challengeLost = error.names('challenge_id');
  if (mayUpload && lost) delete capture.imageKey;
  else if (mayUpload && traceLost && !challengeLost) delete session?.traceKey;
  // A service that does not know traces, or not this challenge, takes the photo without them.
  else if (session && (traceLost || challengeLost)) delete capture.session;
  else return false;
  return true;
}

function toBase64(buffer: ArrayBuffer): string {
  const bytes = new Uint8Array(buffer);
  let text = '';
  // In slices: spreading a whole picture into one call overflows the stack.
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
