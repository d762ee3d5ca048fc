import type { CaptureClient } from '@firsthand/sdk/capture/client.ts';
import type { CaptureStore } from '@firsthand/sdk/capture/store.ts';
import type { CaptureView } from '@firsthand/sdk/capture/wire.ts';
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Host } from './embedding.ts';
import { type End, endOfError, type Place } from './flow.ts';
import type { OnDevice } from './on-device.ts';
import type { Reporter } from './progress.ts';

/** What the store holds for the verification; undefined until it was read. */
export function useOnDevice(store: CaptureStore, { token }: CaptureClient) {
  const [onDevice, show] = useState<OnDevice>();
  const read = useCallback(
    async (): Promise<OnDevice> => ({ captures: await store.captures(token), answers: await store.answers(token) }),
    [store, token],
  );
  const reread = useCallback(async () => show(await read()), [read]);
  useEffect(() => {
    void reread();
  }, [reread]);
  return { onDevice, show, read, reread };
}

/** The verification as the service showed it last. `closed`: an end that no view tells of. */
export function useView(client: CaptureClient, firstView: CaptureView, onUnknown: () => void) {
  const [view, setView] = useState(firstView);
  const [closed, setClosed] = useState<End>();
  const refresh = useCallback(async () => {
    try {
      // Another tab may have sent everything, or the link may have expired.
      setView(await client.view());
    } catch (error) {
      const end = endOfError(error);
      if (end === 'unknown') onUnknown();
      // Offline: continue with the last known view.
      else if (end) setClosed(end);
    }
  }, [client]);
  return { view, setView, closed, setClosed, refresh };
}

/** Calls `onLook` when the page becomes visible again, and `onExpiry` when the link has expired. */
export function useFreshness(active: boolean, view: CaptureView, onLook: () => void, onExpiry: () => void): void {
  useEffect(() => {
    if (!active) return;
    const onVisible = () => {
      if (document.visibilityState === 'visible') onLook();
    };
    document.addEventListener('visibilitychange', onVisible);
    // The service's clock decides about expiry; ours only says when to ask.
    const left = Date.parse(view.expires_at) - Date.now();
    const timer = setTimeout(onExpiry, Math.min(Math.max(left + 1500, 5_000), 2 ** 31 - 1));
    return () => {
      document.removeEventListener('visibilitychange', onVisible);
      clearTimeout(timer);
    };
  }, [active, view]);
}

const PROGRESS = { landing: 'landing', summary: 'reviewing', sending: 'uploading', success: 'success' } as const;

type Visited = {
  place: Place;
  end: End | undefined;
  onCamera: boolean;
  known: boolean;
  /** The page waits for the phone. */
  waits: boolean;
};

/** Tells the service and the page around where the person is. `known`: the store was read, so it is known whether anything is left to do. */
export function useReports(
  { reporter, host }: { reporter: Reporter; host: Host },
  { place, end, onCamera, known, waits }: Visited,
): void {
  useEffect(() => {
    if (!known) return;
    if (end && place.at !== 'success') {
      host.ended(end);
      return reporter.end();
    }
    // The phone reports its own progress, and leaving this page abandons nothing.
    if (waits) return reporter.end();
    if (place.at !== 'step') reporter.at({ step: PROGRESS[place.at] });
    // A camera step reports its own state, which depends on the camera.
    else if (!onCamera) reporter.at({ step: 'ready', step_index: place.index });
    if (place.at === 'success') host.tell({ type: 'completed' });
  }, [place, end, onCamera, known, waits]);
}
