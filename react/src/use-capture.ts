import {
  ApiError,
  type CaptureStore,
  type CaptureView,
  createCaptureClient,
  openStore,
  randomId,
  type SendProgress,
  type SendResult,
  sendHeld,
  sha256Hex,
} from '@firsthand/sdk/capture';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';

type Refused = Extract<Awaited<ReturnType<typeof sendHeld>>, { outcome: 'answers_refused' }>;

/** The error of answers that the service does not take. */
const refusedAnswers = ({ faults }: Refused): ApiError => {
  const fields = Object.values(faults);
  return new ApiError(400, 'invalid_request', fields.map(({ message }) => message).join(' '), fields);
};

export interface UseCaptureOptions {
  /** The verification id (`vfy_…`). Whoever has it may capture. */
  token: string;
  /** Origin of the service; the page's own unless given. */
  baseUrl?: string;
  /** Called once when the service has everything that was sent. */
  onDone?: (view: CaptureView) => void;
}

/**
 * `loading`: the verification is being read. `ready`: take photos and answers. `sending`: photos are on their way. `done`: the service has
 * them. `closed`: the verification takes nothing more. `failed`: see `error`; what was taken stays on the device.
 */
export type CapturePhase = 'loading' | 'ready' | 'sending' | 'done' | 'closed' | 'failed';

export interface Capture {
  phase: CapturePhase;
  /** The verification as its end user may see it; null while it loads. */
  view: CaptureView | null;
  /** Photos on the device, by step key. */
  held: Readonly<Record<string, number>>;
  answers: Readonly<Record<string, string>>;
  progress: SendProgress | null;
  /** Why the last step failed: an `ApiError` with the `fields` of a refusal, or a lost connection. */
  error: Error | null;
  /** Keeps a photo on the device, so that it outlives a reload. */
  addPhoto: (stepKey: string, photo: Blob) => Promise<void>;
  setAnswer: (stepKey: string, value: string) => Promise<void>;
  /** Sends everything that is held. Call it again after a failure: it goes on where it stood. */
  send: () => Promise<void>;
}

const CLOSED = new Set(['completed', 'expired', 'failed']);

/** The capture of one verification as React state. It draws nothing. */
export function useCapture({ token, baseUrl = '', onDone }: UseCaptureOptions): Capture {
  const client = useMemo(() => createCaptureClient({ token, baseUrl }), [token, baseUrl]);
  const { opened, held, answers, recount, reread, addPhoto, setAnswer } = useHeld(token);
  const [phase, setPhase] = useState<CapturePhase>('loading');
  const [view, setView] = useState<CaptureView | null>(null);
  const [progress, setProgress] = useState<SendProgress | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const ending = useRef<AbortController | null>(null);
  const done = useRef(onDone);
  done.current = onDone;

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    ending.current = controller;
    Promise.all([client.view(), reread(signal)]).then(
      ([loaded]) => {
        if (signal.aborted) return;
        setView(loaded);
        setPhase(CLOSED.has(loaded.status) ? 'closed' : 'ready');
      },
      (cause: Error) => {
        if (signal.aborted) return;
        setError(cause);
        setPhase(cause instanceof ApiError && cause.status === 410 ? 'closed' : 'failed');
      },
    );
    return () => controller.abort();
  }, [client, reread]);

  const send = useCallback(async () => {
    setPhase('sending');
    setError(null);
    try {
      const signal = ending.current?.signal;
      const options = { client, store: await opened(), onProgress: setProgress, ...(signal ? { signal } : {}) };
      const result = await sendHeld(options);
      if ('view' in result) setView(result.view);
      if (result.outcome === 'done') done.current?.(result.view);
      setError(refusalOf(result));
      setPhase(result.outcome === 'done' || result.outcome === 'closed' ? result.outcome : 'ready');
    } catch (cause) {
      setError(cause as Error);
      setPhase('failed');
    }
    await recount();
  }, [client, opened, recount]);

  return { phase, view, held, answers, progress, error, addPhoto, setAnswer, send };
}

/** What the service refused of what was sent. */
function refusalOf(result: SendResult): Error | null {
  if (result.outcome === 'refused') return new ApiError(400, result.code, result.message, result.fields);
  if (result.outcome === 'answers_refused') return refusedAnswers(result);
  return null;
}

/** Photos and answers on the device, and the ways to add to them. The store opens when it is first needed. */
function useHeld(token: string) {
  const [held, setHeld] = useState<Record<string, number>>({});
  const [answers, setAnswers] = useState<Record<string, string>>({});
  const store = useRef<Promise<CaptureStore> | null>(null);
  const opened = useCallback(() => {
    store.current ??= openStore();
    return store.current;
  }, []);
  const recount = useCallback(async () => {
    const counts: Record<string, number> = {};
    for (const { stepKey } of await (await opened()).captures(token)) counts[stepKey] = (counts[stepKey] ?? 0) + 1;
    setHeld(counts);
  }, [opened, token]);
  const reread = useCallback(
    async (signal: AbortSignal) => {
      const [kept] = await Promise.all([opened().then(own => own.answers(token)), recount()]);
      if (!signal.aborted) setAnswers(kept);
    },
    [opened, recount, token],
  );
  const addPhoto = useCallback(
    async (stepKey: string, photo: Blob) => {
      const bytes = await photo.arrayBuffer();
      await (await opened()).putCapture({
        id: randomId(),
        token,
        stepKey,
        bytes,
        contentType: photo.type || 'image/jpeg',
        sha256: await sha256Hex(bytes),
        surface: 'web_file',
        capturedAt: new Date().toISOString(),
      });
      await recount();
    },
    [opened, recount, token],
  );
  const setAnswer = useCallback(
    async (stepKey: string, value: string) => {
      setAnswers(before => ({ ...before, [stepKey]: value }));
      await (await opened()).putAnswer({ token, key: stepKey, value });
    },
    [opened, token],
  );
  return { opened, held, answers, recount, reread, addPhoto, setAnswer };
}
