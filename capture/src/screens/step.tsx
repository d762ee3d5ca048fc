import { randomId } from '@firsthand/sdk/capture/digest.ts';
import type { HeldCapture } from '@firsthand/sdk/capture/store.ts';
import type { CaptureView, FilmAnnouncement } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Camera, CameraState } from '../camera/camera.ts';
import type { OpenChallenge } from '../camera/trace.ts';
import { asksForMoves, fillingOf, type Held, isRequired, leastSideOf, type Place, placeAfter } from '../flow.ts';
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
  const { place, view, go, reporter } = props;
  const { t } = usePage();
  const { index } = place;
  const { steps } = view.config;
  const [another, setAnother] = useState(false);
  const step = steps[index];
  if (!step) return null;

  const held: Held = { captures: props.captures, answers: props.answers };
  const filling = fillingOf(view, step, held);
  const least = leastSideOf(view, step);
  const own = props.captures.filter(capture => capture.stepKey === step.key);
  const kicker = steps.length > 1 ? t('common.stepOf', { n: index + 1, total: steps.length }) : '';
  const next = (after: Held, replace = false) =>
    go(place.fromSummary ? { at: 'summary' } : placeAfter(view, after, index), replace);
  const onBack = () => history.back();
  const onSkip = isRequired(step) && filling.needed > 0 ? undefined : () => next(held);

  const onStage = (stage: CaptureStage, state: CameraState) => {
    const permission =
      state.status === 'live'
        ? 'granted'
        : state.status === 'blocked'
          ? state.reason === 'denied'
            ? 'denied'
            : 'unavailable'
          : 'unknown';
    const steps = { live: 'capturing', review: 'reviewing', blocked: 'camera_blocked' } as const;
    if (state.status === 'asking') return;
    reporter.at({ step: steps[stage], step_index: index, camera_permission: permission });
  };

  switch (step.type) {
    case 'text':
      return (
        <TextStep
          {...{ step, kicker, onSkip, onBack }}
          value={props.answers[step.key] ?? ''}
          answered={filling.sent > 0}
          refusal={props.refusal?.[step.key]}
          onAnswer={async value => {
            if (value === '') return next(held);
            const after = await props.onAnswer(step.key, value);
            next(after);
            props.onHeld(after);
          }}
        />
      );
    case 'upload':
      return (
        <UploadStep
          {...{ step, kicker, filling, onBack, least }}
          held={own}
          onPicked={async picture => {
            props.onHeld(await props.onCaptured(step.key, picture));
          }}
          onRemove={props.onRemove}
          onNext={() => next(held)}
        />
      );
    case 'image': {
      const enough = filling.needed === 0 && filling.held + filling.sent > 0;
      if (enough && !another && !place.replaces) {
        return (
          <StepMore
            {...{ step, kicker, filling, onBack }}
            held={own}
            onAnother={() => setAnother(true)}
            onRemove={props.onRemove}
            onNext={() => next(held)}
          />
        );
      }
      return (
        <CameraStep
          {...{ step, index, filling, onSkip, onBack, onStage, least }}
          total={steps.length}
          camera={props.camera}
          locator={props.locator}
          wantsLocation={view.requires?.location ?? false}
          challenge={asksForMoves(view, step) ? () => props.challengeFor(step.key) : undefined}
          onFilmed={props.onFilmed}
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
  }
}
