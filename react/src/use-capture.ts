import { fillingOf } from '@firsthand/capture/flow.ts';
import {
  ApiError,
  type CaptureStore,
  type CaptureView,
  createCaptureClient,
  type HeldCapture,
  openStore,
  randomId,
  type SendProgress,
  type SendResult,
  type Step,
  sendHeld,
  sha256Hex,
} from '@firsthand/sdk/capture';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';

export interface UseCaptureOptions {
  /** The verification id (`vfy_…`). Whoever has it may capture. Another one starts anew. */
  token: string;
  /** Origin of the service; the page's own unless given. */
  baseUrl?: string;
  /** Called once when the service has everything that the verification requires. */
  onDone?: (view: CaptureView) => void;
}

/**
 * `loading`: the verification is being read. `ready`: take photos and answers. `sending`: photos are on their way. `done`: the service has
 * all that is required. `closed`: the verification takes nothing more. `failed`: see `error`; what was taken stays on the device.
 */
export type CapturePhase = 'loading' | 'ready' | 'sending' | 'done' | 'closed' | 'failed';

/** A photo on the device, which the service does not have yet. */
export interface HeldPhoto {
  id: string;
  stepKey: string;
  blob: Blob;
}

interface State {
  phase: CapturePhase;
  /** The verification as its end user may see it; null until it was read. */
  view: CaptureView | null;
  /** Photos on the device. */
  photos: readonly HeldPhoto[];
  answers: Readonly<Record<string, string>>;
  progress: SendProgress | null;
  /** Why the last step failed: an `ApiError` with the `fields` of a refusal, or a lost connection. */
  error: Error | null;
}

export interface Capture extends State {
  /** How many photos are on the device, by step key. */
  held: Readonly<Record<string, number>>;
  /** The steps that still need a photo or an answer before everything required is there. */
  missing: readonly Step[];
  /** Keeps a photo on the device, so that it outlives a reload. */
  addPhoto: (stepKey: string, photo: Blob) => Promise<void>;
  /** Forgets a photo that was not sent. */
  removePhoto: (id: string) => Promise<void>;
  setAnswer: (stepKey: string, value: string) => Promise<void>;
  /** Sends everything that is held. Call it again after a failure: it goes on where it stood, which may be reading the verification. */
  send: () => Promise<void>;
}

const CLOSED = new Set(['completed', 'expired', 'failed']);
const FRESH: State = { phase: 'loading', view: null, photos: [], answers: {}, progress: null, error: null };

/** The capture of one verification as React state. It draws nothing. */
export function useCapture({ token, baseUrl = '', onDone }: UseCaptureOptions): Capture {
  const client = useMemo(() => createCaptureClient({ token, baseUrl }), [token, baseUrl]);
  const [state, update] = useStateOf(client);
  const held = useHeld(token, update);
  const { opened, reread, rereadAnswers } = held;
  const ending = useRef<AbortController | null>(null);
  const done = useRef(onDone);
  done.current = onDone;

  const load = useCallback(
    async (signal: AbortSignal) => {
      update({ phase: 'loading', error: null });
      try {
        const [view] = await Promise.all([client.view(), reread(), rereadAnswers()]);
        if (!signal.aborted) update({ view, phase: CLOSED.has(view.status) ? 'closed' : 'ready' });
      } catch (cause) {
        const closed = cause instanceof ApiError && cause.status === 410;
        if (!signal.aborted) update({ error: cause as Error, phase: closed ? 'closed' : 'failed' });
      }
    },
    [client, reread, rereadAnswers, update],
  );
  useEffect(() => {
    const controller = new AbortController();
    ending.current = controller;
    void load(controller.signal);
    return () => controller.abort();
  }, [load]);

  const unread = state.view === null;
  const send = useCallback(async () => {
    const signal = ending.current?.signal;
    if (!signal || signal.aborted) return;
    if (unread) return load(signal);
    update({ phase: 'sending', error: null });
    try {
      const store = await opened();
      const result = await sendHeld({ client, store, signal, onProgress: progress => update({ progress }) });
      await reread();
      if (signal.aborted) return;
      update({
        ...('view' in result ? { view: result.view } : {}),
        error: refusalOf(result),
        phase: phaseAfter(result),
      });
      if (phaseAfter(result) === 'done' && 'view' in result) done.current?.(result.view);
    } catch (cause) {
      await reread();
      if (!signal.aborted) update({ error: cause as Error, phase: 'failed' });
    }
  }, [client, load, opened, reread, unread, update]);

  const { view, photos, answers } = state;
  const counts = countsOf(photos);
  const missing = view ? missingOf(view, photos, answers) : [];
  const { addPhoto, removePhoto, setAnswer } = held;
  return { ...state, held: counts, missing, addPhoto, removePhoto, setAnswer, send };
}

type Update = (change: Partial<State> | ((before: State) => Partial<State>)) => void;

/** State that belongs to one owner: another one starts anew, and changes for the one before are ignored. */
function useStateOf(owner: object): [State, Update] {
  const [kept, setKept] = useState({ owner, state: FRESH });
  const latest = useRef(owner);
  latest.current = owner;
  const update = useCallback<Update>(
    change => {
      if (latest.current !== owner) return;
      setKept(before => {
        const state = before.owner === owner ? before.state : FRESH;
        return { owner, state: { ...state, ...(typeof change === 'function' ? change(state) : change) } };
      });
    },
    [owner],
  );
  return [kept.owner === owner ? kept.state : FRESH, update];
}

function countsOf(photos: readonly HeldPhoto[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { stepKey } of photos) counts[stepKey] = (counts[stepKey] ?? 0) + 1;
  return counts;
}

/** The steps that lack something of what is required, with what is held counted in. */
const missingOf = (
  view: CaptureView,
  captures: readonly HeldPhoto[],
  answers: Readonly<Record<string, string>>,
): Step[] => view.config.steps.filter(step => fillingOf(view, step, { captures, answers }).needed > 0);

function phaseAfter(result: SendResult): CapturePhase {
  if (result.outcome === 'closed') return 'closed';
  return result.outcome === 'done' && missingOf(result.view, [], {}).length === 0 ? 'done' : 'ready';
}

/** What the service refused of what was sent. */
function refusalOf(result: SendResult): Error | null {
  if (result.outcome === 'refused') return new ApiError(400, result.code, result.message, result.fields);
  if (result.outcome !== 'answers_refused') return null;
  const fields = Object.values(result.faults);
  return new ApiError(400, 'invalid_request', fields.map(({ message }) => message).join(' '), fields);
}

const photoOf = ({ id, stepKey, bytes, contentType }: HeldCapture): HeldPhoto => ({
  id,
  stepKey,
  blob: new Blob([bytes], { type: contentType }),
});

/** The ways to add to what is on the device. The store opens when it is first needed. */
function useHeld(token: string, update: Update) {
  const store = useRef<Promise<CaptureStore> | null>(null);
  const opened = useCallback(() => {
    store.current ??= openStore();
    return store.current;
  }, []);
  const reread = useCallback(async () => {
    const captures = await (await opened()).captures(token);
    update({ photos: captures.map(photoOf) });
  }, [opened, token, update]);
  const rereadAnswers = useCallback(async () => {
    update({ answers: await (await opened()).answers(token) });
  }, [opened, token, update]);
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
      await reread();
    },
    [opened, reread, token],
  );
  const removePhoto = useCallback(
    async (id: string) => {
      await (await opened()).removeCapture(id);
      await reread();
    },
    [opened, reread],
  );
  const setAnswer = useCallback(
    async (stepKey: string, value: string) => {
      update(({ answers }) => ({ answers: { ...answers, [stepKey]: value } }));
      await (await opened()).putAnswer({ token, key: stepKey, value });
    },
    [opened, token, update],
  );
  return { opened, reread, rereadAnswers, addPhoto, removePhoto, setAnswer };
}
