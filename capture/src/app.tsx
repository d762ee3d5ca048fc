import type { CaptureClient } from '@firsthand/sdk/capture/client.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import type { CaptureStore, HeldCapture } from '@firsthand/sdk/capture/store.ts';
import type { CaptureView } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { createCamera } from './camera/camera.ts';
import { announceFilm, requestChallenge } from './camera/challenge.ts';
import type { Host } from './embedding.ts';
import { type End, endOf, type Held, placeToResume } from './flow.ts';
import { usePlace } from './history.ts';
import { createLocator } from './location.ts';
import type { OnDevice } from './on-device.ts';
import type { Reporter } from './progress.ts';
import { EndScreen, Success } from './screens/end-screens.tsx';
import { Landing } from './screens/landing.tsx';
import { SendingScreen } from './screens/sending.tsx';
import { StepScreen } from './screens/step.tsx';
import { Summary } from './screens/summary.tsx';

type Props = {
  client: CaptureClient;
  store: CaptureStore;
  firstView: CaptureView;
  reporter: Reporter;
  host: Host;
  onUnknown: () => void;
};

/** The visit to one verification, from landing to success. State held on the device is read from the store. */
export function App(props: Props): JSX.Element {
  const { client, store, reporter, host } = props;
  const { place, go } = usePlace();
  const [view, setView] = useState(props.firstView);
  const [captures, setCaptures] = useState<HeldCapture[]>();
  const [answers, setAnswers] = useState<Record<string, string>>({});
  const [closed, setClosed] = useState<End>();
  const [unneeded, setUnneeded] = useState(0);
  const [refusal, setRefusal] = useState<{ words: string; faults: Record<string, string> }>();
  const camera = useMemo(createCamera, []);
  const locator = useMemo(createLocator, []);

  const read = useCallback(
    async (): Promise<OnDevice> => ({
      captures: await store.captures(client.token),
      answers: await store.answers(client.token),
    }),
    [store, client],
  );
  const show = useCallback((next: OnDevice) => {
    setCaptures(next.captures);
    setAnswers(next.answers);
  }, []);
  const reread = useCallback(async () => show(await read()), [read, show]);

  const refresh = useCallback(async () => {
    try {
      // Another tab may have sent everything, or the link may have expired.
      setView(await client.view());
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) props.onUnknown();
      if (error instanceof ApiError && error.code === 'redacted') setClosed('redacted');
      if (error instanceof ApiError && error.code === 'expired') setClosed('expired');
      // Offline: continue with the last known view.
    }
  }, [client]);

  useEffect(() => {
    void reread();
  }, [reread]);

  const held: Held = { captures: captures ?? [], answers };
  const known = captures !== undefined;
  const end = closed ?? (known ? endOf(view, Date.now(), held) : undefined);
  useEffect(() => {
    // The verification is over: delete the photos from this device.
    if (end) void store.clear(client.token);
  }, [end, store, client]);

  const settled = place.at === 'success' || place.at === 'sending' || end !== undefined;
  useEffect(() => {
    if (settled) return;
    const onVisible = () => {
      if (document.visibilityState !== 'visible') return;
      void refresh();
      void reread();
    };
    document.addEventListener('visibilitychange', onVisible);
    // The service's clock decides about expiry; ours only says when to ask.
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
    // Wait for the store: only then is it known whether anything is left to do.
    if (!known) return;
    if (end && place.at !== 'success') {
      host.ended(end);
      return reporter.end();
    }
    if (place.at === 'landing') reporter.at({ step: 'landing' });
    if (place.at === 'summary') reporter.at({ step: 'reviewing' });
    if (place.at === 'sending') reporter.at({ step: 'uploading' });
    if (place.at === 'success') {
      reporter.at({ step: 'success' });
      host.tell({ type: 'completed' });
    }
    // A camera step reports its own state, which depends on the camera.
    if (place.at === 'step' && !onCamera) reporter.at({ step: 'ready', step_index: place.index });
  }, [place, end, onCamera, known]);

  if (end && place.at !== 'success') return <EndScreen end={end} view={view} />;
  if (!captures) return <div class="loading" />;

  switch (place.at) {
    case 'landing':
      return <Landing view={view} held={held} onStart={() => go(placeToResume(view, held))} />;
    case 'step':
      return (
        <StepScreen
          key={`${place.index} ${place.replaces ?? ''}`}
          {...{ place, view, captures, answers, camera, locator, reporter, go }}
          refusal={refusal?.faults}
          challengeFor={stepKey => requestChallenge(client, stepKey)}
          onFilmed={film => void announceFilm(client, film)}
          onCaptured={async (stepKey, capture) => {
            await store.putCapture({ ...capture, token: client.token, stepKey });
            if (place.replaces) await store.removeCapture(place.replaces);
            return read();
          }}
          onHeld={show}
          onRemove={async id => {
            await store.removeCapture(id);
            await reread();
          }}
          onAnswer={async (stepKey, value) => {
            await store.putAnswer({ token: client.token, key: stepKey, value });
            setRefusal(undefined);
            return read();
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
          onDone={(next, count) => {
            setUnneeded(before => before + count);
            setView(next);
            go({ at: 'success' }, true);
          }}
          onClosed={(reason, next) => {
            if (next) setView(next);
            setClosed(reason);
          }}
          onUnknown={props.onUnknown}
          onRefused={async (words, faults, count = 0) => {
            setUnneeded(before => before + count);
            await reread();
            await refresh();
            setRefusal({ words, faults });
            go({ at: 'summary' }, true);
          }}
        />
      );
    case 'success':
      return <Success {...{ view, unneeded }} />;
  }
}
