import type { FilmAnnouncement, ImageStep } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Camera, CameraState } from '../camera/camera.ts';
import type { OpenChallenge, SessionResult } from '../camera/trace.ts';
import { useCamera } from '../camera/use-camera.ts';
import type { Filling } from '../flow.ts';
import type { Locator } from '../location.ts';
import { usePage } from '../page-context.ts';
import { Blocked } from './blocked.tsx';
import { LocationSheet } from './location-sheet.tsx';
import { MotionSheet } from './motion-sheet.tsx';
import { Review } from './review.tsx';
import { filmOf, type Shot, type TakenPhoto, takenOf, useShot, withMoves, withPlace } from './shot.ts';
import { useTaking, type Video } from './taking.ts';
import { Viewfinder } from './viewfinder.tsx';

export type CaptureStage = 'live' | 'review' | 'blocked';

type Props = {
  step: ImageStep;
  index: number;
  total: number;
  filling: Filling;
  camera: Camera;
  locator: Locator;
  wantsLocation: boolean;
  /** Where the step's example picture is shown. */
  example: string | undefined;
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

/** From the live picture to a photo that the person accepts. */
export function CameraStep(props: Props): JSX.Element {
  const { camera, example, onBack, onSkip } = props;
  const state = useCamera(camera);
  const video = useRef<HTMLVideoElement>(null);
  const { shot, sheet, proceed, discard } = useShot(props);
  const { taking, setTaking, fault, challenge, onShutter, onFile } = useTaking(camera, video, props.challenge, proceed);
  const stage: CaptureStage = shot && !sheet ? 'review' : state.status === 'blocked' ? 'blocked' : 'live';
  useEffect(() => props.onStage(stage, state), [stage, state]);
  useReviewEntry(stage, discard);
  const [ready, onReady] = useLivePicture(video, state, stage);
  const words = useTitle(props);

  /** Goes on after the moves. The film is announced now: the person may look at the photo for longer than the challenge lives. */
  async function onMoved(before: Shot, result: SessionResult): Promise<void> {
    const moved = await withMoves(before, result);
    proceed(moved, 'motion');
    const film = await filmOf(moved);
    if (film) props.onFilmed(film);
  }

  async function onUse(): Promise<void> {
    if (!shot || taking) return;
    setTaking(true);
    await props.onTaken(await takenOf(shot));
    setTaking(false);
  }

  if (stage === 'review' && shot) {
    return (
      <Review
        {...words}
        photo={shot.photo}
        busy={taking}
        least={props.least}
        onRetake={() => history.back()}
        onUse={onUse}
      />
    );
  }
  if (state.status === 'blocked') {
    const { title: step, kicker } = words;
    return (
      <Blocked
        {...{ kicker, step, example, fault, onFile, onBack, onSkip }}
        reason={state.reason}
        onRetry={camera.open}
      />
    );
  }
  return (
    <Viewfinder
      {...{ ...words, example, camera, state, ready, taking, fault, video, onReady, onBack, onSkip, onShutter }}
    >
      {shot && sheet === 'motion' && challenge.current && (
        <MotionSheet
          video={video}
          mirrored={state.status === 'live' && state.facing === 'front'}
          challenge={challenge.current}
          onDone={result => onMoved(shot, result)}
        />
      )}
      {shot && sheet === 'location' && (
        <LocationSheet locator={props.locator} onDone={place => proceed(withPlace(shot, place), 'location')} />
      )}
    </Viewfinder>
  );
}

/** What the step asks for, and which step and photo it is of how many. */
function useTitle({ step, index, total, filling }: Props): { title: string; kicker: string } {
  const { t, describe } = usePage();
  const place = total > 1 ? t('common.stepOf', { n: index + 1, total }) : '';
  const n = filling.sent + filling.held + 1;
  // Of those the first page asked for; a photo beyond them is one more.
  const count = step.min > 1 && n <= step.min ? t('camera.photoOf', { n, total: step.min }) : '';
  return { title: describe(step) || t('camera.default'), kicker: [place, count].filter(Boolean).join(' · ') };
}

/** During the review, Back returns to the camera. The step's own history entry is below. */
function useReviewEntry(stage: CaptureStage, onLeave: () => void): void {
  useEffect(() => {
    if (stage === 'review' && !history.state?.review) history.pushState({ ...history.state, review: true }, '');
  }, [stage]);
  useEffect(() => {
    addEventListener('popstate', onLeave);
    return () => removeEventListener('popstate', onLeave);
  }, []);
}

/** Plays the camera in the video. Returns whether a picture is seen, and what to call when it is. It stops during the review. */
function useLivePicture(video: Video, state: CameraState, stage: CaptureStage): [ready: boolean, onReady: () => void] {
  const [ready, setReady] = useState(false);
  const stream = state.status === 'live' ? state.stream : null;
  const inReview = stage === 'review';
  useEffect(() => {
    if (inReview) setReady(false);
  }, [inReview]);
  useEffect(() => {
    if (!video.current || video.current.srcObject === stream) return;
    setReady(false);
    video.current.srcObject = stream;
    // If the browser requires a touch before it plays, the next touch starts it.
    video.current.play().catch(() => {});
  }, [stream, inReview]);
  return [ready, () => setReady(true)];
}
