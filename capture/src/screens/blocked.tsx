import type { JSX } from 'preact';
import type { MessageKey } from '../i18n.ts';
import { usePage } from '../page-context.ts';
import type { Platform } from '../platform.ts';
import { Example } from './example.tsx';
import { InApp } from './in-app.tsx';
import { FileButton, Press, Screen, Skip } from './parts.tsx';

type Props = {
  reason: 'denied' | 'none' | 'insecure' | 'busy';
  kicker: string;
  step: string;
  example: string | undefined;
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

const REASONS = { none: 'nocamera.text', insecure: 'nocamera.insecure', busy: 'nocamera.busy' } as const;

/** Shown without a camera: the reason, how to allow it, and how to continue without it. */
export function Blocked(props: Props): JSX.Element {
  const { t, platform } = usePage();
  const { reason, onBack } = props;
  const kicker = [props.kicker, props.step].filter(Boolean).join(' · ');
  const more = (
    <>
      <Example url={props.example} />
      <p class="fault" role="alert">
        {props.fault}
      </p>
      <Skip onSkip={props.onSkip} />
    </>
  );
  if (platform.inApp !== undefined && reason !== 'busy') {
    return (
      <InApp {...{ kicker, onBack }} actions={<UseFile quiet onFile={props.onFile} />}>
        {more}
      </InApp>
    );
  }
  const mayRetry = reason === 'denied' || reason === 'busy';
  return (
    <Screen
      name="blocked"
      {...{ kicker, onBack }}
      sign={{ icon: 'camera', tone: 'doubtful' }}
      title={t(reason === 'denied' ? 'blocked.title' : reason === 'busy' ? 'camera.lostTitle' : 'nocamera.title')}
      lead={t(reason === 'denied' ? 'blocked.lead' : REASONS[reason])}
      actions={
        <>
          {mayRetry && <Press onClick={props.onRetry}>{t('common.tryAgain')}</Press>}
          <UseFile quiet={mayRetry} onFile={props.onFile} />
        </>
      }
    >
      {reason === 'denied' && <HowToAllow />}
      {more}
    </Screen>
  );
}

function HowToAllow(): JSX.Element {
  const { t, platform } = usePage();
  return (
    <>
      <ol class="numbered stack">
        {[...instructionsFor(platform), 'blocked.reload' as const].map(key => (
          <li key={key}>{t(key, { browser: BROWSER_NAMES[platform.browser] })}</li>
        ))}
      </ol>
      <p class="soft">{t('blocked.stillFile')}</p>
    </>
  );
}

function UseFile({ quiet, onFile }: { quiet: boolean; onFile: Props['onFile'] }): JSX.Element {
  const { t, platform } = usePage();
  return (
    <FileButton
      label={t(platform.system === 'desktop' ? 'camera.useFile' : 'camera.takeWithApp')}
      icon="camera"
      accept="image/*"
      camera
      quiet={quiet}
      onFiles={files => onFile(files[0])}
    />
  );
}
