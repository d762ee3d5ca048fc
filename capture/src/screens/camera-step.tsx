import { LIVE_IMAGE_TYPES } from '@firsthand/contract/base/enums.ts';
import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { Icon } from '@firsthand/look/marks.tsx';
import { sha256Hex } from '@firsthand/sdk/capture/digest.ts';
import type { HeldSession } from '@firsthand/sdk/capture/store.ts';
import type { DeviceLocation, FilmAnnouncement, ImageStep } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Camera, type CameraState, type Photo, sizeOf } from '../camera/camera.ts';
import { askForMotion } from '../camera/motion-sensor.ts';
import type { OpenChallenge, SessionResult } from '../camera/trace.ts';
import { useCamera } from '../camera/use-camera.ts';
import { checkFile } from '../files.ts';
import type { Filling } from '../flow.ts';
import type { Locator } from '../location.ts';
import { usePage } from '../page-context.ts';
import { sizeIn, typesIn } from '../refusal.ts';
import { Blocked } from './blocked.tsx';
import { LocationSheet } from './location-sheet.tsx';
import { MotionSheet } from './motion-sheet.tsx';
import { useScreen } from './parts.tsx';
import { Review } from './review.tsx';

/** A photo that the person accepted, ready to be held for sending. */
export type TakenPhoto = {
  bytes: ArrayBuffer;
  contentType: string;
  sha256: string;
  surface: 'web' | 'web_file';
  capturedAt: string;
  location?: DeviceLocation;
  motionFrame?: ArrayBuffer;
  session?: HeldSession;
};

export type CaptureStage = 'live' | 'review' | 'blocked';

type Shot = {
  photo: Photo;
  contentType: string;
  surface: 'web' | 'web_file';
  capturedAt: string;
  /** Requested at the shutter, so that it is the place where the photo was taken. */
  location?: Promise<DeviceLocation | undefined>;
  motionFrame?: Blob;
  session?: HeldSession;
};

type Props = {
  step: ImageStep;
  index: number;
  total: number;
  filling: Filling;
  camera: Camera;
  locator: Locator;
  wantsLocation: boolean;
  /** Pixels that the step asks for on the long side. */
  least: number | undefined;
  /** Asks for the moves after a photo; undefined where the step needs none. Never rejects. */
  challenge: (() => Promise<OpenChallenge | undefined>) | undefined;
  /** Tells the service at once which film answers the challenge. */
  onFilmed: (film: FilmAnnouncement) => void;
  /** Keeps the photo and leaves the review, either for a screen that replaces it in the history or back to the camera. */
  onTaken: (photo: TakenPhoto) => Promise<void>;
  onSkip: (() => void) | undefined;
  onBack: () => void;
  onStage: (stage: CaptureStage, camera: CameraState) => void;
};

export function CameraStep(props: Props): JSX.Element {
  const { step, camera, locator } = props;
  const page = usePage();
  const { t, announce } = page;
  const state = useCamera(camera);
  const video = useRef<HTMLVideoElement>(null);
  const [ready, setReady] = useState(false);
  const [taking, setTaking] = useState(false);
  const [fault, setFault] = useState('');
  const [shot, setShot] = useState<Shot>();
  const [sheet, setSheet] = useState<'motion' | 'location'>();
  const challenge = useRef<Promise<OpenChallenge | undefined>>(undefined);

  const stage: CaptureStage = shot && !sheet ? 'review' : state.status === 'blocked' ? 'blocked' : 'live';
  useEffect(() => props.onStage(stage, state), [stage, state]);

  // During the review, Back returns to the camera. The step's own history entry is below.
  useEffect(() => {
    // The live picture stops during the review and restarts afterwards.
    if (stage === 'review') setReady(false);
    if (stage === 'review' && !history.state?.review) history.pushState({ ...history.state, review: true }, '');
  }, [stage]);
  useEffect(() => {
    const onPop = () => {
      setShot(undefined);
      setSheet(undefined);
    };
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);

  const stream = state.status === 'live' ? state.stream : null;
  const showsVideo = stream !== null && stage !== 'review';
  useEffect(() => {
    if (video.current && video.current.srcObject !== stream) {
      setReady(false);
      video.current.srcObject = stream;
      // If the browser requires a touch before it plays, the next touch starts it.
      video.current.play().catch(() => {});
    }
  }, [stream, showsVideo]);

  const title = step.description || t('camera.default');
  const place = props.total > 1 ? t('common.stepOf', { n: props.index + 1, total: props.total }) : '';
  const count =
    step.max > 1 ? t('camera.photoOf', { n: props.filling.sent + props.filling.held + 1, total: step.max }) : '';
  const kicker = [place, count].filter(Boolean).join(' · ');

  /** Runs the stages after a photo: the moves, location (asked once), review. */
  function proceed(next: Shot, after: 'shutter' | 'motion' | 'location'): void {
    setShot(next);
    if (after === 'shutter' && props.challenge && next.surface === 'web') {
      setSheet('motion');
      return;
    }
    if (after !== 'location' && props.wantsLocation && locator.undecided) {
      setSheet('location');
      return;
    }
    setSheet(undefined);
    setShot({
      ...next,
      location: next.location ?? (props.wantsLocation ? locator.locate() : Promise.resolve(undefined)),
    });
  }

  async function onShutter(): Promise<void> {
    if (!video.current || taking) return;
    setTaking(true);
    setFault('');
    announce(t('camera.taking'));
    const capturedAt = new Date().toISOString();
    if (props.challenge) {
      // Both in the tap itself: a system that asks for the sensor wants that, and the moves are known when the photo is taken.
      const asked = askForMotion();
      const moves = props.challenge();
      challenge.current = asked.then(() => moves);
    }
    try {
      const photo = await camera.takePhoto(video.current);
      proceed({ photo, contentType: photo.blob.type || 'image/jpeg', surface: 'web', capturedAt }, 'shutter');
    } catch {
      setFault(t('camera.failed'));
    } finally {
      setTaking(false);
    }
  }

  /** Goes on after the moves. The film is announced now: the person may look at the photo for longer than the challenge lives. */
  async function onMoved(shot: Shot, { second, session }: SessionResult): Promise<void> {
    const moved = { ...shot, ...(second ? { motionFrame: second } : {}) };
    if (!session) return proceed(moved, 'motion');
    const traceSha256 = await sha256Hex(session.trace);
    const { challengeId } = session;
    proceed({ ...moved, session: { ...session, traceSha256 } }, 'motion');
    const image_sha256 = await sha256Hex(await shot.photo.blob.arrayBuffer());
    props.onFilmed({ challenge_id: challengeId, image_sha256, trace_sha256: traceSha256 });
  }

  async function onFile(file: File | undefined): Promise<void> {
    if (!file) return;
    setFault('');
    const checked = await checkFile(file);
    if ('fault' in checked) {
      const [types, size] = [typesIn(LIVE_IMAGE_TYPES), sizeIn(page, UPLOAD_HARD_CAP_BYTES)];
      return setFault(t(checked.fault, { types, size, megapixels: page.number(checked.megapixels ?? 0) }));
    }
    // Some browsers cannot decode formats that the service accepts (HEIC). The file is then sent without a preview.
    const size = await sizeOf(file).catch(() => ({ width: 0, height: 0 }));
    const { blob, contentType } = checked;
    proceed(
      { photo: { blob, ...size }, contentType, surface: 'web_file', capturedAt: new Date().toISOString() },
      'shutter',
    );
  }

  async function onUse(): Promise<void> {
    if (!shot || taking) return;
    setTaking(true);
    const bytes = await shot.photo.blob.arrayBuffer();
    const location = await shot.location;
    const motionFrame = await shot.motionFrame?.arrayBuffer();
    const { session } = shot;
    await props.onTaken({
      bytes,
      contentType: shot.contentType,
      sha256: await sha256Hex(bytes),
      surface: shot.surface,
      capturedAt: shot.capturedAt,
      ...(location ? { location } : {}),
      ...(motionFrame ? { motionFrame } : {}),
      ...(session ? { session } : {}),
    });
    setTaking(false);
  }

  if (stage === 'review' && shot) {
    return (
      <Review
        photo={shot.photo}
        title={title}
        kicker={kicker}
        busy={taking}
        least={props.least}
        onRetake={() => history.back()}
        onUse={onUse}
      />
    );
  }
  if (state.status === 'blocked') {
    return (
      <Blocked
        reason={state.reason}
        kicker={kicker}
        step={title}
        fault={fault}
        onRetry={() => camera.open()}
        onFile={onFile}
        onBack={props.onBack}
        onSkip={props.onSkip}
      />
    );
  }
  return (
    <Viewfinder
      {...{ title, kicker, state, ready, taking, fault, video }}
      onReady={() => setReady(true)}
      onBack={props.onBack}
      onSkip={props.onSkip}
      onShutter={onShutter}
      onTorch={() => camera.toggleTorch()}
      onLens={() => camera.switchLens()}
      onReopen={() => camera.open()}
    >
      {sheet === 'motion' && shot && challenge.current && (
        <MotionSheet
          video={video}
          mirrored={state.status === 'live' && state.facing === 'front'}
          challenge={challenge.current}
          onDone={result => onMoved(shot, result)}
        />
      )}
      {sheet === 'location' && shot && (
        <LocationSheet
          locator={locator}
          onDone={location => proceed({ ...shot, location: Promise.resolve(location) }, 'location')}
        />
      )}
    </Viewfinder>
  );
}

type ViewfinderProps = {
  title: string;
  kicker: string;
  state: CameraState;
  ready: boolean;
  taking: boolean;
  fault: string;
  video: { current: HTMLVideoElement | null };
  children?: JSX.Element | false | (JSX.Element | false | undefined)[];
  onReady: () => void;
  onBack: () => void;
  onSkip: (() => void) | undefined;
  onShutter: () => void;
  onTorch: () => void;
  onLens: () => void;
  onReopen: () => void;
};

function Viewfinder(props: ViewfinderProps): JSX.Element {
  const { state, ready, taking } = props;
  const { t } = usePage();
  const heading = useScreen(props.title);
  const live = state.status === 'live';
  const sheetOpen = Array.isArray(props.children) ? props.children.some(Boolean) : Boolean(props.children);
  return (
    <div class={`viewfinder ${taking ? 'flash' : ''}`} data-screen={state.status === 'lost' ? 'lost' : 'camera'}>
      <main>
        <video
          ref={props.video}
          class={live && state.facing === 'front' ? 'mirrored' : ''}
          aria-label={t('camera.preview')}
          autoPlay
          playsInline
          muted
          onLoadedData={props.onReady}
        />
        <div class="guide" aria-hidden="true" />
        <div class="finder-top">
          <button type="button" class="round dark" onClick={props.onBack} aria-label={t('common.back')}>
            <Icon name="back" class="flips" />
          </button>
          <div class="finder-words">
            {props.kicker && <p class="kicker">{props.kicker}</p>}
            <h1 ref={heading} tabIndex={-1}>
              <bdi>{props.title}</bdi>
            </h1>
          </div>
          {props.onSkip && (
            <button type="button" class="pill dark" onClick={props.onSkip}>
              {t('common.skip')}
            </button>
          )}
        </div>
        {state.status === 'lost' ? (
          <div class="finder-notice" role="alert">
            <h2>{t('camera.lostTitle')}</h2>
            <p>{t('camera.lost')}</p>
            <button type="button" class="button" onClick={props.onReopen}>
              {t('common.tryAgain')}
            </button>
          </div>
        ) : (
          !(live && ready) && (
            <p class="finder-notice" role="status">
              {t(state.status === 'asking' ? 'camera.asking' : 'camera.starting')}
            </p>
          )
        )}
        <p class="finder-fault" role="alert">
          {props.fault}
        </p>
        {!sheetOpen && (
          <div class="finder-bottom">
            {live && state.torch !== 'none' ? (
              <button
                type="button"
                class="round dark"
                onClick={props.onTorch}
                aria-pressed={state.torch === 'on'}
                aria-label={t(state.torch === 'on' ? 'camera.torchOff' : 'camera.torchOn')}
              >
                <Icon name="light" />
              </button>
            ) : (
              <span class="round-space" />
            )}
            <button
              type="button"
              class="shutter"
              onClick={props.onShutter}
              disabled={!live || !ready || taking}
              aria-label={t('camera.shutter')}
            >
              <span />
            </button>
            {live && state.lenses > 1 ? (
              <button type="button" class="round dark" onClick={props.onLens} aria-label={t('camera.lens')}>
                <Icon name="lens" />
              </button>
            ) : (
              <span class="round-space" />
            )}
          </div>
        )}
        {props.children}
      </main>
    </div>
  );
}
