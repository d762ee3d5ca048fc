import type { Previewed } from '@firsthand/contract/capture/previewed.ts';
import { ROOT } from '@firsthand/look/root.ts';
import type { CaptureView, Step, StepState } from '@firsthand/sdk/capture/wire.ts';
import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { applyBrand } from './brand.ts';
import { createDrawnCamera } from './camera/drawn-camera.ts';
import { useLanguage } from './language.ts';
import { createLocator } from './location.ts';
import { Page } from './page-context.ts';
import { platformOf } from './platform.ts';
import { Landing } from './screens/landing.tsx';
import { StepScreen } from './screens/step.tsx';

const HELD = { captures: [], answers: {} };
const nothing = () => {};

/** A step's example picture, as the service would show it. */
const exampleOf = (step: Step): StepState[] =>
  step.type === 'text' || step.example_picture === undefined
    ? []
    : [
        {
          key: step.key,
          type: step.type,
          captured: 0,
          remaining: step.max,
          example_url: `${ROOT}/example-pictures/${step.example_picture}.jpg`,
        },
      ];

/** The verification that the steps would make. */
const viewOf = ({ steps, location, brand, expiresAt }: Previewed): CaptureView => ({
  id: 'vfy_00000000000000000000000000',
  status: 'pending',
  capture_url: window.location.origin,
  created_at: expiresAt,
  expires_at: expiresAt,
  captures_count: 0,
  config: { max_captures: 1, steps, signals_required: [] },
  step_states: steps.flatMap(exampleOf),
  requires: { location, motion_frame: false },
  ...(brand ? { brand } : {}),
});

/** The capture page's own screens over steps that no verification has. Nothing can be pressed and nothing is sent. */
function Preview() {
  const { translator, setLanguage, describe } = useLanguage();
  const [shown, setShown] = useState<Previewed>();
  const camera = useMemo(createDrawnCamera, []);
  const locator = useMemo(createLocator, []);
  const platform = useMemo(() => platformOf(navigator.userAgent, navigator.maxTouchPoints), []);
  useEffect(() => {
    const onMessage = ({ origin, source, data }: MessageEvent<Previewed>) => {
      // Tools that look into a page post messages of their own.
      if (origin === location.origin && source === parent && Array.isArray(data?.steps)) setShown(data);
    };
    addEventListener('message', onMessage);
    parent.postMessage('firsthand-preview-ready', location.origin);
    return () => removeEventListener('message', onMessage);
  }, []);
  const brand = shown?.brand;
  // The message is a copy each time: only another colour is another brand.
  useEffect(() => applyBrand(brand), [brand?.colors?.accent]);
  if (!translator || !shown) return <div class="loading" />;
  const view = viewOf(shown);
  const step = view.config.steps[shown.at];
  return (
    <Page.Provider value={{ ...translator, setLanguage, describe, brand, trial: false, platform, announce: nothing }}>
      {step ? (
        <StepScreen
          key={`${shown.at} ${step.type}`}
          place={{ at: 'step', index: shown.at }}
          {...{ view, camera, locator }}
          captures={HELD.captures}
          answers={HELD.answers}
          refusal={undefined}
          reporter={{ at: nothing, end: nothing }}
          go={nothing}
          challengeFor={async () => undefined}
          onFilmed={nothing}
          onCaptured={async () => HELD}
          onHeld={nothing}
          onRemove={async () => {}}
          onAnswer={async () => HELD}
        />
      ) : (
        <Landing view={view} held={HELD} onStart={nothing} />
      )}
    </Page.Provider>
  );
}

export function showPreview(root: HTMLElement): void {
  root.inert = true;
  render(<Preview />, root);
}
