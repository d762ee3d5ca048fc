import { randomId } from '@firsthand/sdk/capture/digest.ts';
import type { HeldCapture } from '@firsthand/sdk/capture/store.ts';
import type { CaptureView, FilmAnnouncement, Step } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Camera, CameraState } from '../camera/camera.ts';
import type { OpenChallenge } from '../camera/trace.ts';
import {
  asksForMoves,
  exampleOf,
  fillingOf,
  type Held,
  isRequired,
  leastSideOf,
  type Place,
  placeAfter,
} from '../flow.ts';
import { stepBack } from '../history.ts';
import type { Locator } from '../location.ts';
import type { OnDevice } from '../on-device.ts';
import { usePage } from '../page-context.ts';
import type { Reporter } from '../progress.ts';
import { CameraStep, type CaptureStage } from './camera-step.tsx';
import { StepMore } from './step-more.tsx';
import { TextStep } from './text-step.tsx';
import { UploadStep } from './upload-step.tsx';

type Props = {
  place: Extract<Place, { at: 'step' }>;
  view: CaptureView;
  captures: readonly HeldCapture[];
  answers: Readonly<Record<string, string>>;
  /** Why the service refused an answer, by step key. */
  refusal: Readonly<Record<string, string>> | undefined;
  camera: Camera;
  locator: Locator;
  reporter: Reporter;
  go: (place: Place, replace?: boolean) => void;
  /** Asks the service for the moves of a camera session; undefined when it gives none. */
  challengeFor: (stepKey: string) => Promise<OpenChallenge | undefined>;
  onFilmed: (film: FilmAnnouncement) => void;
  /** Stores a capture. `onHeld` then updates the held state and the place together. */
  onCaptured: (stepKey: string, capture: Omit<HeldCapture, 'token' | 'stepKey'>) => Promise<OnDevice>;
  onHeld: (held: OnDevice) => void;
  onRemove: (id: string) => Promise<void>;
  onAnswer: (stepKey: string, value: string) => Promise<OnDevice>;
};

/** One step of the request, by its type. */
export function StepScreen(props: Props): JSX.Element | null {
  const step = props.view.config.steps[props.place.index];
  switch (step?.type) {
    case 'text':
      return <Answer {...props} step={step} />;
    case 'upload':
      return <Upload {...props} step={step} />;
    case 'image':
      return <Photo {...props} step={step} />;
    default:
      return null;
  }
}

type Of<Type extends Step['type']> = Props & { step: Extract<Step, { type: Type }> };

/** What the step has already, and the ways out of it. */
function useStep({ place, view, captures, answers, go, step }: Props & { step: Step }) {
  const { t } = usePage();
  const { index, fromSummary } = place;
  const { length: total } = view.config.steps;
  const held: Held = { captures, answers };
  const filling = fillingOf(view, step, held);
  const next = (after = held, replace = false) =>
    go(fromSummary ? { at: 'summary' } : placeAfter(view, after, index), replace);
  return {
    filling,
    next,
    /** Pictures of this step on the device. */
    own: captures.filter(capture => capture.stepKey === step.key),
    /** Of all types of step. */
    shared: {
      step,
      example: exampleOf(view, step),
      kicker: total > 1 ? t('common.stepOf', { n: index + 1, total }) : '',
      onBack: () => history.back(),
      onSkip: isRequired(step) && filling.needed > 0 ? undefined : () => next(),
    },
  };
}

function Answer(props: Of<'text'>): JSX.Element {
  const { step, answers, refusal } = props;
  const { filling, next, shared } = useStep(props);
  return (
    <TextStep
      {...shared}
      step={step}
      value={answers[step.key] ?? ''}
      answered={filling.sent > 0}
      refusal={refusal?.[step.key]}
      onAnswer={async value => {
        if (value === '') return next();
        const after = await props.onAnswer(step.key, value);
        next(after);
        props.onHeld(after);
      }}
    />
  );
}

function Upload(props: Of<'upload'>): JSX.Element {
  const { step, view, onRemove } = props;
  const { filling, next, own, shared } = useStep(props);
  return (
    <UploadStep
      {...{ ...shared, step, filling, onRemove }}
      least={leastSideOf(view, step)}
      held={own}
      onPicked={async picture => props.onHeld(await props.onCaptured(step.key, picture))}
      onNext={() => next()}
    />
  );
}

function Photo(props: Of<'image'>): JSX.Element {
  const { step, place, view, camera, locator, reporter, onFilmed, onRemove } = props;
  const { filling, next, own, shared } = useStep(props);
  const [another, setAnother] = useState(false);
  const enough = filling.needed === 0 && filling.held + filling.sent > 0;
  if (enough && !another && !place.replaces) {
    return (
      <StepMore
        {...{ ...shared, step, filling, onRemove }}
        held={own}
        onAnother={() => setAnother(true)}
        onNext={() => next()}
      />
    );
  }
  return (
    <CameraStep
      {...{ ...shared, step, filling, camera, locator, onFilmed }}
      index={place.index}
      total={view.config.steps.length}
      least={leastSideOf(view, step)}
      wantsLocation={view.requires?.location ?? false}
      challenge={asksForMoves(view, step) ? () => props.challengeFor(step.key) : undefined}
      onStage={(stage, state) => report(reporter, place.index, stage, state)}
      onTaken={async photo => {
        const after = await props.onCaptured(step.key, { id: randomId(), ...photo });
        // The review has its own history entry: replace it with the next screen, or go back to the entry below.
        if (place.replaces || fillingOf(view, step, after).free === 0) next(after, true);
        else await stepBack();
        setAnother(false);
        props.onHeld(after);
      }}
    />
  );
}

const PROGRESS = { live: 'capturing', review: 'reviewing', blocked: 'camera_blocked' } as const;

function report(reporter: Reporter, index: number, stage: CaptureStage, state: CameraState): void {
  if (state.status !== 'asking')
    reporter.at({ step: PROGRESS[stage], step_index: index, camera_permission: permissionOf(state) });
}

function permissionOf(state: CameraState) {
  if (state.status === 'blocked') return state.reason === 'denied' ? 'denied' : 'unavailable';
  return state.status === 'live' ? 'granted' : 'unknown';
}
