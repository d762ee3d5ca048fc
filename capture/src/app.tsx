import type { CaptureClient } from '@firsthand/sdk/capture/client.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import type { CaptureStore, HeldCapture } from '@firsthand/sdk/capture/store.ts';
import type { CaptureView } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { createCamera } from './camera/camera.ts';
import { type End, endOf, type Held, placeToResume } from './flow.ts';
import { usePlace } from './history.ts';
import { createLocator } from './location.ts';
import type { Reporter } from './progress.ts';
import { EndScreen, Success } from './screens/ends.tsx';
import { Landing } from './screens/landing.tsx';
import { SendingScreen } from './screens/sending.tsx';
import { StepScreen } from './screens/step.tsx';
import { Summary } from './screens/summary.tsx';

type Props = {
  client: CaptureClient;
  store: CaptureStore;
  firstView: CaptureView;
  reporter: Reporter;
  onUnknown: () => void;
};

/** The visit to one verification from landing to success; what is held on the device is read back from the store. */
export function App(props: Props): JSX.Element {
  const { client, store, reporter } = props;
  const { place, go } = usePlace();
  const [view, setView] = useState(props.firstView);
  const [captures, setCaptures] = useState<HeldCapture[]>();
  const [answers, setAnswers] = useState<Record<string, string>>({});
  const [end, setEnd] = useState<End | undefined>(() => endOf(props.firstView, Date.now()));
  const [refusal, setRefusal] = useState<{ words: string; faults: Record<string, string> }>();
  const camera = useMemo(createCamera, []);
  const locator = useMemo(createLocator, []);

  const reread = useCallback(async (): Promise<Held> => {
    const [nextCaptures, nextAnswers] = await Promise.all([store.captures(client.token), store.answers(client.token)]);
    setCaptures(nextCaptures);
    setAnswers(nextAnswers);
    return { captures: nextCaptures, answers: nextAnswers };
  }, [store, client]);

  const refresh = useCallback(async () => {
    try {
      const next = await client.view();
      setView(next);
      const nextEnd = endOf(next, Date.now());
      // What was asked for may have been sent from another tab, or the time may be up.
      if (nextEnd) {
        setEnd(nextEnd);
        if (nextEnd === 'completed') await store.clear(client.token);
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) props.onUnknown();
      if (error instanceof ApiError && error.code === 'expired') setEnd('expired');
      // Offline: the page goes on with what it knows.
    }
  }, [client]);

  useEffect(() => {
    void reread();
  }, [reread]);

  const settled = place.at === 'success' || place.at === 'sending' || end !== undefined;
  useEffect(() => {
    if (settled) return;
    const onVisible = () => {
      if (document.visibilityState !== 'visible') return;
      void refresh();
      void reread();
    };
    document.addEventListener('visibilitychange', onVisible);
    // The service's clock decides: ours only says when to ask.
    const left = Date.parse(view.expires_at) - Date.now();
    const timer = setTimeout(refresh, Math.min(Math.max(left + 1500, 5_000), 2 ** 31 - 1));
    return () => {
      document.removeEventListener('visibilitychange', onVisible);
      clearTimeout(timer);
    };
  }, [settled, view, refresh, reread]);

  const onCamera = place.at === 'step' && view.config.steps[place.index]?.type === 'image' && !end;
  useEffect(() => {
    if (!onCamera) camera.close();
  }, [onCamera, camera]);

  useEffect(() => {
    if (end) return reporter.end();
    if (place.at === 'landing') reporter.at({ step: 'landing' });
    if (place.at === 'summary') reporter.at({ step: 'reviewing' });
    if (place.at === 'sending') reporter.at({ step: 'uploading' });
    if (place.at === 'success') reporter.at({ step: 'success' });
  }, [place, end, onCamera]);

  if (end && place.at !== 'success') return <EndScreen end={end} view={view} />;
  if (!captures) return <div class="loading" />;

  const held: Held = { captures, answers };

  switch (place.at) {
    case 'landing':
      return <Landing view={view} held={held} onStart={() => go(placeToResume(view, held))} />;
    case 'step':
      return (
        <StepScreen
          key={`${place.index} ${place.replaces ?? ''}`}
          {...{ place, view, captures, answers, camera, locator, reporter, go }}
          refusal={refusal?.faults}
          onCaptured={async (stepKey, capture) => {
            await store.putCapture({ ...capture, token: client.token, stepKey });
            if (place.replaces) await store.removeCapture(place.replaces);
            return reread();
          }}
          onRemove={async id => {
            await store.removeCapture(id);
            await reread();
          }}
          onAnswer={async (stepKey, value) => {
            await store.putAnswer({ token: client.token, key: stepKey, value });
            setRefusal(undefined);
            return reread();
          }}
        />
      );
    case 'summary':
      return (
        <Summary
          {...{ view, captures, answers }}
          durable={store.durable}
          refusal={refusal?.words}
          onOpen={(index, replaces) =>
            go({ at: 'step', index, fromSummary: true, ...(replaces === undefined ? {} : { replaces }) })
          }
          onSend={() => {
            setRefusal(undefined);
            go({ at: 'sending' });
          }}
          onBack={() => history.back()}
        />
      );
    case 'sending':
      return (
        <SendingScreen
          {...{ client, store, view }}
          onDone={next => {
            setView(next);
            go({ at: 'success' }, true);
          }}
          onClosed={(reason, next) => {
            if (next) setView(next);
            setEnd(reason);
          }}
          onUnknown={props.onUnknown}
          onRefused={async (words, faults) => {
            await reread();
            await refresh();
            setRefusal({ words, faults });
            go({ at: 'summary' }, true);
          }}
        />
      );
    case 'success':
      return <Success view={view} />;
  }
}
