import type { JSX } from 'preact';
import type { MessageKey } from '../i18n.ts';
import { usePage } from '../page-context.ts';
import type { Platform } from '../platform.ts';
import { InApp } from './in-app.tsx';
import { FileButton, Screen } from './parts.tsx';

type Props = {
  reason: 'denied' | 'none' | 'insecure' | 'busy';
  kicker: string;
  step: string;
  fault: string;
  onRetry: () => void;
  onFile: (file: File | undefined) => void;
  onBack: () => void;
  onSkip: (() => void) | undefined;
};

const BROWSER_NAMES: Record<Platform['browser'], string> = {
  safari: 'Safari',
  chrome: 'Chrome',
  firefox: 'Firefox',
  samsung: 'Samsung Internet',
  edge: 'Edge',
  other: 'Browser',
};

/** Instructions for allowing the camera in this browser, in the order to try them. */
function instructionsFor({ system, browser }: Platform): MessageKey[] {
  if (system === 'ios') {
    return browser === 'safari' ? ['blocked.iosSafari', 'blocked.iosSafariSystem'] : ['blocked.iosOther'];
  }
  if (system === 'android') {
    if (browser === 'firefox') return ['blocked.androidFirefox'];
    return [browser === 'samsung' ? 'blocked.androidSamsung' : 'blocked.androidChrome'];
  }
  return ['blocked.desktop'];
}

/** Shown without a camera: the reason, how to allow it, and how to continue without it. */
export function Blocked(props: Props): JSX.Element {
  const { t, platform } = usePage();
  const inApp = platform.inApp !== undefined && props.reason !== 'busy';
  const retry = (
    <button type="button" class="button" onClick={props.onRetry}>
      {t('common.tryAgain')}
    </button>
  );
  const file = (quiet: boolean) => (
    <FileButton
      label={t(platform.system === 'desktop' ? 'camera.useFile' : 'camera.takeWithApp')}
      icon="camera"
      accept="image/*"
      camera
      quiet={quiet}
      onFiles={files => props.onFile(files[0])}
    />
  );
  const shared = {
    name: 'blocked',
    kicker: [props.kicker, props.step].filter(Boolean).join(' · '),
    onBack: props.onBack,
  };
  const more = (
    <>
      <p class="fault" role="alert">
        {props.fault}
      </p>
      {props.onSkip && (
        <button type="button" class="button plain" onClick={props.onSkip}>
          {t('common.skip')}
        </button>
      )}
    </>
  );

  if (inApp) {
    return (
      <InApp kicker={shared.kicker} onBack={props.onBack} actions={file(true)}>
        {more}
      </InApp>
    );
  }
  if (props.reason === 'denied') {
    return (
      <Screen
        {...shared}
        sign={{ icon: 'camera', tone: 'doubtful' }}
        title={t('blocked.title')}
        lead={t('blocked.lead')}
        actions={
          <>
            {retry}
            {file(true)}
          </>
        }
      >
        <ol class="numbered">
          {[...instructionsFor(platform), 'blocked.reload' as const].map(key => (
            <li key={key}>{t(key, { browser: BROWSER_NAMES[platform.browser] })}</li>
          ))}
        </ol>
        <p class="soft">{t('blocked.stillFile')}</p>
        {more}
      </Screen>
    );
  }
  const texts = { none: 'nocamera.text', insecure: 'nocamera.insecure', busy: 'nocamera.busy' } as const;
  return (
    <Screen
      {...shared}
      sign={{ icon: 'camera', tone: 'doubtful' }}
      title={t(props.reason === 'busy' ? 'camera.lostTitle' : 'nocamera.title')}
      lead={t(texts[props.reason])}
      actions={
        props.reason === 'busy' ? (
          <>
            {retry}
            {file(true)}
          </>
        ) : (
          file(false)
        )
      }
    >
      {more}
    </Screen>
  );
}
