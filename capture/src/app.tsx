import type { CaptureClient } from '@firsthand/sdk/capture/client.ts';
import type { CaptureStore } from '@firsthand/sdk/capture/store.ts';
import type { CaptureView } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { createCamera } from './camera/camera.ts';
import { announceFilm, requestChallenge } from './camera/challenge.ts';
import { type Host, isFramed } from './embedding.ts';
import { endOf, isHeld, type Place, placeToResume } from './flow.ts';
import { usePlace } from './history.ts';
import { createLocator } from './location.ts';
import type { OnDevice } from './on-device.ts';
import { usePage } from './page-context.ts';
import { isComputer } from './platform.ts';
import type { Reporter } from './progress.ts';
import { EndScreen, Success } from './screens/end-screens.tsx';
import { asksForCamera, Landing } from './screens/landing.tsx';
import { SendingScreen } from './screens/sending.tsx';
import { StepScreen } from './screens/step.tsx';
import { Summary } from './screens/summary.tsx';
import { useFreshness, useOnDevice, useReports, useView } from './visit.ts';

type Props = {
  client: CaptureClient;
  store: CaptureStore;
  firstView: CaptureView;
  reporter: Reporter;
  host: Host;
  onUnknown: () => void;
};

const NOTHING: OnDevice = { captures: [], answers: {} };

/** The visit to one verification, from landing to success. State held on the device is read from the store. */
export function App(props: Props): JSX.Element {
  const { client, store } = props;
  const { place, go } = usePlace();
  const latest = useView(client, props.firstView, props.onUnknown);
  const device = useOnDevice(store, client);
  const { view, refresh } = latest;
  const { onDevice = NOTHING, reread } = device;
  const camera = useMemo(createCamera, []);
  const locator = useMemo(createLocator, []);
  const known = device.onDevice !== undefined;
  const end = latest.closed ?? (known ? endOf(view, Date.now(), onDevice) : undefined);
  useEffect(() => {
    // The verification is over: delete the photos from this device.
    if (end) void store.clear(client.token);
  }, [end, store, client]);

  const look = () => {
    void refresh();
    void reread();
  };
  useFreshness(place.at !== 'success' && place.at !== 'sending' && end === undefined, view, look, refresh);
  const handOver = useHandOver(place.at === 'landing' && known && !isHeld(onDevice) && asksForCamera(view));
  const onCamera = place.at === 'step' && view.config.steps[place.index]?.type === 'image' && !end;
  useEffect(() => {
    if (!onCamera) camera.close();
  }, [onCamera, camera]);
  useReports(props, { place, end, onCamera, known, waits: handOver.on });

  const [refusal, setRefusal] = useState<Refusal>();
  const [unneeded, setUnneeded] = useState(0);
  if (end && place.at !== 'success') return <EndScreen {...{ end, view }} watched={handOver.watched} />;
  if (!known) return <Loading />;
  const visit: Visit = { ...props, ...latest, ...device, onDevice, camera, locator, go, refusal, setRefusal };
  switch (place.at) {
    case 'landing':
      if (handOver.on) return <handOver.Screen {...{ view }} onLook={refresh} onStay={handOver.stay} />;
      return <Landing view={view} held={onDevice} onStart={() => go(placeToResume(view, onDevice))} />;
    case 'step':
      return <StepHere key={`${place.index} ${place.replaces ?? ''}`} {...visit} place={place} />;
    case 'summary':
      return <SummaryHere {...visit} />;
    case 'sending':
      return <SendingHere {...visit} onUnneeded={count => setUnneeded(before => before + count)} />;
    case 'success':
      return <Success {...{ view, unneeded, refresh }} />;
  }
}

/** Whether a computer offers to go on on the phone. `watched`: it did in this visit. */
function useHandOver(mayOffer: boolean) {
  const { platform } = usePage();
  const [stays, setStays] = useState(() => isFramed || !isComputer(platform));
  const [Screen, setScreen] = useState<HandOverScreen>();
  const watched = useRef(false);
  const on = mayOffer && !stays;
  const stay = () => setStays(true);
  useEffect(() => {
    // Only computers load it. Where that fails, the page goes on as on a phone.
    if (on) void import('./screens/hand-over.tsx').then(({ HandOver }) => setScreen(() => HandOver), stay);
  }, [on]);
  watched.current ||= on;
  return { on, stay, watched: watched.current, Screen: Screen ?? Loading };
}

type HandOverScreen = typeof import('./screens/hand-over.tsx').HandOver;

const Loading = () => <div class="loading" />;

/** What the service refused of what was sent: in words, and by text step key. */
type Refusal = { words: string; faults: Record<string, string> };

/** The visit as its screens see it. */
type Visit = Props &
  ReturnType<typeof useView> &
  ReturnType<typeof useOnDevice> &
  Pick<ReturnType<typeof usePlace>, 'go'> & {
    onDevice: OnDevice;
    camera: ReturnType<typeof createCamera>;
    locator: ReturnType<typeof createLocator>;
    refusal: Refusal | undefined;
    setRefusal: (refusal: Refusal | undefined) => void;
  };

function StepHere(props: Visit & { place: Extract<Place, { at: 'step' }> }): JSX.Element {
  const { client, store, place, view, onDevice, camera, locator, reporter, go, read, reread } = props;
  const { token } = client;
  return (
    <StepScreen
      {...{ place, view, ...onDevice, camera, locator, reporter, go }}
      refusal={props.refusal?.faults}
      challengeFor={stepKey => requestChallenge(client, stepKey)}
      onFilmed={film => void announceFilm(client, film)}
      onCaptured={async (stepKey, capture) => {
        await store.putCapture({ ...capture, token, stepKey });
        if (place.replaces) await store.removeCapture(place.replaces);
        return read();
      }}
      onHeld={props.show}
      onRemove={async id => {
        await store.removeCapture(id);
        await reread();
      }}
      onAnswer={async (key, value) => {
        await store.putAnswer({ token, key, value });
        props.setRefusal(undefined);
        return read();
      }}
    />
  );
}

function SummaryHere({ view, onDevice, store, refusal, setRefusal, go }: Visit): JSX.Element {
  return (
    <Summary
      {...{ view, ...onDevice }}
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
}

function SendingHere(props: Visit & { onUnneeded: (count: number) => void }): JSX.Element {
  const { client, store, view, setView, go, onUnknown, onUnneeded } = props;
  return (
    <SendingScreen
      {...{ client, store, view, onUnknown }}
      onDone={(next, count) => {
        onUnneeded(count);
        setView(next);
        go({ at: 'success' }, true);
      }}
      onClosed={(reason, next) => {
        if (next) setView(next);
        props.setClosed(reason);
      }}
      onRefused={async (words, faults, count = 0) => {
        onUnneeded(count);
        await props.reread();
        await props.refresh();
        props.setRefusal({ words, faults });
        go({ at: 'summary' }, true);
      }}
    />
  );
}
