import { useCallback, useEffect, useRef, useState } from 'react';
import { AppState } from 'react-native';
import type { Camera, CameraHandle } from './camera.tsx';

/** A camera that says nothing for so long is mounted afresh, once. */
const READY_WITHIN_MS = 5_000;
const PHOTO_WITHIN_MS = 20_000;

/**
 * `asking`: the system asks. `denied`: the app may not use the camera. `starting`: no picture yet. `lost`: the camera gives none, because
 * there is none or another app has it.
 */
export type ViewfinderPhase = 'asking' | 'denied' | 'starting' | 'live' | 'lost';

/** A camera view that is mounted afresh with each attempt. */
interface Attempt {
  number: number;
  phase: 'starting' | 'live' | 'lost';
  /** Whether another one follows by itself. */
  again: boolean;
}
const FIRST: Attempt = { number: 0, phase: 'starting', again: true };

/** The life of a camera view: permission, silence, the app behind another one, and one photo at a time. */
export function useViewfinder(camera: Camera) {
  const { granted, denied, ask } = useAsking(camera);
  const [attempt, setAttempt] = useState(FIRST);
  const handle = useRef<CameraHandle>(null);
  const { taking, take } = useTaking(handle);
  const retry = useCallback(() => setAttempt(({ number }) => ({ ...FIRST, number: number + 1 })), []);

  useReturn(() => {
    // A call or the lock screen may have ended the session without a word.
    if (granted) retry();
  });
  const { phase, number, again } = attempt;
  useEffect(() => {
    if (!granted || phase !== 'starting') return undefined;
    const next = again
      ? { number: number + 1, phase: 'starting' as const, again: false }
      : { number, phase: 'lost' as const, again };
    const timer = setTimeout(() => setAttempt(next), READY_WITHIN_MS);
    return () => clearTimeout(timer);
  }, [granted, phase, number, again]);
  const said = (next: 'live' | 'lost') => () =>
    setAttempt(now => (now.number === number ? { ...now, phase: next } : now));

  const shown: ViewfinderPhase = granted ? phase : denied ? 'denied' : 'asking';
  return {
    phase: shown,
    attempt: number,
    handle,
    onReady: said('live'),
    onFailure: said('lost'),
    retry,
    ask,
    taking,
    take,
  };
}

/** Asks once even where the system says that it cannot ask: on Android it may. Reads the answer again when the app comes back. */
function useAsking(camera: Camera) {
  const { granted, ask, reread } = camera.usePermission();
  const asked = useRef(false);
  const [denied, setDenied] = useState(false);
  const askNow = useCallback(async () => {
    await ask().catch(() => {});
    setDenied(true);
  }, [ask]);
  useEffect(() => {
    if (granted !== false || asked.current) return;
    asked.current = true;
    void askNow();
  }, [granted, askNow]);
  useReturn(() => void reread().catch(() => {}));
  return { granted: granted === true, denied, ask: askNow };
}

/** Calls back when the app was behind another one and comes to the front. A question of the system is not behind. */
function useReturn(onReturn: () => void): void {
  const latest = useRef(onReturn);
  latest.current = onReturn;
  useEffect(() => {
    let behind = false;
    const subscription = AppState.addEventListener('change', state => {
      if (state === 'active' && behind) latest.current();
      behind = state === 'background' || (behind && state !== 'active');
    });
    return () => subscription.remove();
  }, []);
}

/** One photo at a time. A photo may never come when the app goes behind another one or the view is gone: nobody waits for it then. */
function useTaking(handle: { readonly current: CameraHandle | null }) {
  const [taking, setTaking] = useState(false);
  const ending = useRef<(() => void) | null>(null);
  useEffect(() => {
    const subscription = AppState.addEventListener('change', state => {
      if (state === 'background') ending.current?.();
    });
    return () => {
      subscription.remove();
      ending.current?.();
    };
  }, []);

  /** Resolves with the file's address; rejects without a photo. Undefined while another one is taken. */
  const take = useCallback(async (): Promise<string | undefined> => {
    const camera = handle.current;
    if (ending.current || !camera) return undefined;
    setTaking(true);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stopped = new Promise<never>((_, reject) => {
      const stop = () => reject(new Error('The camera gave no picture.'));
      ending.current = stop;
      timer = setTimeout(stop, PHOTO_WITHIN_MS);
    });
    try {
      return await Promise.race([camera.take(), stopped]);
    } finally {
      clearTimeout(timer);
      ending.current = null;
      setTaking(false);
    }
  }, [handle]);
  return { taking, take };
}
