import { ROOT } from '@firsthand/look/root.ts';
import { useEffect, useRef } from 'react';

interface Changed {
  id: string;
  livemode: boolean;
}

/** Without a key or a pointer for this long the page stops listening, so that an idle session can end. */
const IDLE_MS = 10 * 60_000;
/** After a refusal, the next try waits this long. */
const REFUSED_MS = 60_000;
/** Changes of a moment are told together. */
const GATHER_MS = 400;

/**
 * Tells which verifications changed, while somebody is at the page. `onChanges` gets their ids; no ids when the page
 * starts to listen (again), because changes may have been missed until then.
 */
export function useChanges(onChanges: (ids: ReadonlySet<string> | null) => void): void {
  const told = useRef(onChanges);
  told.current = onChanges;
  useEffect(() => {
    let source: EventSource | null = null;
    let idle = 0;
    let gathering = 0;
    let ids = new Set<string>();
    let notBefore = 0;
    const tell = () => {
      gathering = 0;
      const changed = ids;
      ids = new Set();
      told.current(changed);
    };
    const stop = () => {
      source?.close();
      source = null;
    };
    const look = () => {
      listen();
      if (!source) told.current(null);
    };
    const listen = () => {
      clearTimeout(idle);
      if (document.hidden) return stop();
      idle = window.setTimeout(stop, IDLE_MS);
      if (source || Date.now() < notBefore) return;
      const opened = new EventSource(`${ROOT}/v1/changes/stream`);
      source = opened;
      opened.addEventListener('open', () => told.current(null));
      opened.addEventListener('changed', event => {
        ids.add((JSON.parse((event as MessageEvent<string>).data) as Changed).id);
        gathering ||= window.setTimeout(tell, GATHER_MS);
      });
      // A refusal closes the stream for good; a lost connection is opened again by the browser.
      opened.addEventListener('error', () => {
        if (opened.readyState !== EventSource.CLOSED || source !== opened) return;
        source = null;
        notBefore = Date.now() + REFUSED_MS;
      });
    };
    const signs = ['pointerdown', 'keydown'] as const;
    // Without a stream, coming back to the page is the moment to look.
    window.addEventListener('focus', look);
    for (const sign of signs) window.addEventListener(sign, listen, { passive: true });
    document.addEventListener('visibilitychange', listen);
    listen();
    return () => {
      window.removeEventListener('focus', look);
      for (const sign of signs) window.removeEventListener(sign, listen);
      document.removeEventListener('visibilitychange', listen);
      clearTimeout(idle);
      clearTimeout(gathering);
      stop();
    };
  }, []);
}
