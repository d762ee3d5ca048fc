import { Icon } from '@firsthand/look/marks.tsx';
import type { JSX } from 'preact';
import type { Camera, CameraState } from '../camera/camera.ts';
import { usePage } from '../page-context.ts';
import { SmallExample } from './example.tsx';
import { Press, useScreen } from './parts.tsx';

type Props = {
  title: string;
  kicker: string;
  /** Where the step's example picture is shown. */
  example: string | undefined;
  camera: Camera;
  state: CameraState;
  /** The video shows a picture. */
  ready: boolean;
  taking: boolean;
  fault: string;
  video: { current: HTMLVideoElement | null };
  /** A sheet that lies over the bottom, in place of the buttons. */
  children: (JSX.Element | false | undefined)[];
  onReady: () => void;
  onBack: () => void;
  onSkip: (() => void) | undefined;
  onShutter: () => void;
};

/** The live picture with the buttons around it. */
export function Viewfinder(props: Props): JSX.Element {
  const { state, taking } = props;
  const { t } = usePage();
  return (
    <div class={`viewfinder ${taking ? 'flash' : ''}`} data-screen={state.status === 'lost' ? 'lost' : 'camera'}>
      <main>
        <video
          ref={props.video}
          class={state.status === 'live' && state.facing === 'front' ? 'mirrored' : ''}
          aria-label={t('camera.preview')}
          autoPlay
          playsInline
          muted
          onLoadedData={props.onReady}
        />
        <div class="guide" aria-hidden="true" />
        <FinderTop {...props} />
        <FinderNotice {...props} />
        <p class="finder-fault" role="alert">
          {props.fault}
        </p>
        {props.children.some(Boolean) ? props.children : <FinderBottom {...props} />}
      </main>
    </div>
  );
}

function FinderTop({ title, kicker, example, onBack, onSkip }: Props): JSX.Element {
  const { t } = usePage();
  const heading = useScreen(title);
  return (
    <div class="finder-top">
      <button type="button" class="round dark" onClick={onBack} aria-label={t('common.back')}>
        <Icon name="back" class="flips" />
      </button>
      <div class="finder-words">
        {kicker && <p class="kicker">{kicker}</p>}
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        <SmallExample url={example} />
      </div>
      {onSkip && (
        <button type="button" class="pill dark" onClick={onSkip}>
          {t('common.skip')}
        </button>
      )}
    </div>
  );
}

/** Why there is no live picture. */
function FinderNotice({ camera, state, ready }: Props): JSX.Element | null {
  const { t } = usePage();
  if (state.status === 'live' && ready) return null;
  if (state.status === 'lost') {
    return (
      <div class="finder-notice" role="alert">
        <h2>{t('camera.lostTitle')}</h2>
        <p>{t('camera.lost')}</p>
        <Press onClick={camera.open}>{t('common.tryAgain')}</Press>
      </div>
    );
  }
  return (
    <p class="finder-notice" role="status">
      {t(state.status === 'asking' ? 'camera.asking' : 'camera.starting')}
    </p>
  );
}

/** Torch, shutter, lens. */
function FinderBottom({ camera, state, ready, taking, onShutter }: Props): JSX.Element {
  const { t } = usePage();
  const live = state.status === 'live';
  return (
    <div class="finder-bottom">
      {live && state.torch !== 'none' ? (
        <button
          type="button"
          class="round dark"
          onClick={camera.toggleTorch}
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
        onClick={onShutter}
        disabled={!live || !ready || taking}
        aria-label={t('camera.shutter')}
      >
        <span />
      </button>
      {live && state.lenses > 1 ? (
        <button type="button" class="round dark" onClick={camera.switchLens} aria-label={t('camera.lens')}>
          <Icon name="lens" />
        </button>
      ) : (
        <span class="round-space" />
      )}
    </div>
  );
}
