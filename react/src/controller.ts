import { fillingOf } from '@firsthand/capture/flow.ts';
import { ApiError, type CaptureView, type SendProgress, type SendResult, type Step } from '@firsthand/sdk/capture';

/**
 * `loading`: the verification is being read. `ready`: take photos and answers. `sending`: photos are on their way. `done`: the service has
 * all that is required. `closed`: the verification takes nothing more. `failed`: see `error`; what was taken stays on the device.
 */
export type CapturePhase = 'loading' | 'ready' | 'sending' | 'done' | 'closed' | 'failed';

type Answers = Readonly<Record<string, string>>;

interface Kept<P> {
  phase: CapturePhase;
  /** The verification as its end user may see it; null until it was read. */
  view: CaptureView | null;
  /** Photos on the device. */
  photos: readonly P[];
  answers: Answers;
  progress: SendProgress | null;
  /** Why the last step failed: an `ApiError` with the `fields` of a refusal, or a lost connection. */
  error: Error | null;
}

export interface CaptureState<P> extends Kept<P> {
  /** How many photos are on the device, by step key. */
  held: Readonly<Record<string, number>>;
  /** The steps that still need a photo or an answer before everything required is there. */
  missing: readonly Step[];
}

/** Reads one verification, keeps its photos and answers on the device, and sends them. */
export interface Keeper<P> {
  view(): Promise<CaptureView>;
  photos(): Promise<readonly P[]>;
  answers(): Promise<Answers>;
  remove(id: string): Promise<void>;
  setAnswer(key: string, value: string): Promise<void>;
  send(options: { signal: AbortSignal; onProgress: (progress: SendProgress) => void }): Promise<SendResult>;
}

export interface Controller<P> {
  state(): CaptureState<P>;
  subscribe(listener: () => void): () => void;
  /** Reads the verification and the device. Returns what ends it: sending stops, and what is held stays held. */
  start(): () => void;
  /** Reads the photos of the device again, after one was added. */
  reread(): Promise<void>;
  /** Forgets a photo that was not sent. */
  removePhoto(id: string): Promise<void>;
  setAnswer(stepKey: string, value: string): Promise<void>;
  /** Sends everything that is held. Call it again after a failure: it goes on where it stood, which may be reading the verification. */
  send(): Promise<void>;
}

const CLOSED = new Set(['completed', 'expired', 'failed']);
const FRESH = { phase: 'loading', view: null, photos: [], answers: {}, progress: null, error: null } as const;

/** The capture of one verification, for a screen to show. `onDone`: called once when the service has everything required. */
export function createController<P extends { stepKey: string }>(
  keeper: Keeper<P>,
  onDone: (view: CaptureView) => void,
): Controller<P> {
  let state: CaptureState<P> = derived(FRESH);
  let ending: AbortController | undefined;
  const listeners = new Set<() => void>();

  const update = (change: Partial<Kept<P>>) => {
    state = derived({ ...state, ...change });
    for (const listener of [...listeners]) listener();
  };
  const reread = async () => update({ photos: await keeper.photos() });

  async function load(signal: AbortSignal): Promise<void> {
    update({ phase: 'loading', error: null });
    try {
      const [view, photos, answers] = await Promise.all([keeper.view(), keeper.photos(), keeper.answers()]);
      if (!signal.aborted) update({ view, photos, answers, phase: CLOSED.has(view.status) ? 'closed' : 'ready' });
    } catch (cause) {
      const closed = cause instanceof ApiError && cause.status === 410;
      if (!signal.aborted) update({ error: cause as Error, phase: closed ? 'closed' : 'failed' });
    }
  }

  async function send(): Promise<void> {
    const signal = ending?.signal;
    if (!signal || signal.aborted || state.phase === 'sending') return;
    if (state.view === null) return load(signal);
    update({ phase: 'sending', error: null });
    try {
      const result = await keeper.send({ signal, onProgress: progress => signal.aborted || update({ progress }) });
      const photos = await keeper.photos();
      if (signal.aborted) return;
      const phase = phaseAfter(result);
      update({ photos, phase, error: refusalOf(result), ...('view' in result ? { view: result.view } : {}) });
      if (phase === 'done' && 'view' in result) onDone(result.view);
    } catch (cause) {
      const photos = await keeper.photos().catch(() => state.photos);
      if (!signal.aborted) update({ photos, error: cause as Error, phase: 'failed' });
    }
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      ending?.abort();
      ending = new AbortController();
      void load(ending.signal);
      return () => ending?.abort();
    },
    reread,
    async removePhoto(id) {
      await keeper.remove(id);
      await reread();
    },
    async setAnswer(key, value) {
      update({ answers: { ...state.answers, [key]: value } });
      await keeper.setAnswer(key, value);
    },
    send,
  };
}

function derived<P extends { stepKey: string }>(kept: Kept<P>): CaptureState<P> {
  const { view, photos, answers } = kept;
  const held: Record<string, number> = {};
  for (const { stepKey } of photos) held[stepKey] = (held[stepKey] ?? 0) + 1;
  return { ...kept, held, missing: view ? missingOf(view, photos, answers) : [] };
}

/** The steps that lack something of what is required, with what is held counted in. */
const missingOf = (view: CaptureView, captures: readonly { stepKey: string }[], answers: Answers): Step[] =>
  view.config.steps.filter(step => fillingOf(view, step, { captures, answers }).needed > 0);

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
