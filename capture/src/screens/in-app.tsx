import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ownLink } from '../embedding.ts';
import { usePage } from '../page-context.ts';
import type { Platform } from '../platform.ts';
import { Press, Screen } from './parts.tsx';

/** True inside an app whose browser has no camera to ask for. */
export const lacksCamera = (platform: Platform): boolean =>
  platform.inApp !== undefined && navigator.mediaDevices?.getUserMedia === undefined;

/** An address that leaves the app: Android hands an intent to the browser, iOS (17 and later) the scheme to Safari. */
function outsideLink({ system }: Platform): string | undefined {
  const { protocol, host, pathname } = location;
  const scheme = protocol.replace(':', '');
  if (system === 'android') {
    return `intent://${host}${pathname}#Intent;scheme=${scheme};action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE;end`;
  }
  return system === 'ios' ? `x-safari-${scheme}://${host}${pathname}` : undefined;
}

type Props = {
  kicker?: string;
  onBack?: (() => void) | undefined;
  /** How to go on without leaving the app. */
  actions: ComponentChildren;
  children?: ComponentChildren;
};

/** Tells a person inside an app such as Instagram how to open the page in the browser, where the camera works. */
export function InApp({ kicker, onBack, actions, children }: Props): JSX.Element {
  const { t, platform } = usePage();
  const outside = outsideLink(platform);
  return (
    <Screen
      name="in-app"
      kicker={kicker}
      onBack={onBack}
      sign={{ icon: 'globe' }}
      title={t('inapp.title')}
      lead={platform.inApp ? t('inapp.text', { app: platform.inApp }) : t('inapp.textGeneric')}
      actions={
        <>
          {outside && (
            <a class="button" href={outside} target="_top">
              {t('inapp.open')}
            </a>
          )}
          {actions}
        </>
      }
    >
      <ol class="numbered stack">
        <li>{t('inapp.menu')}</li>
        <li>{t('inapp.choose')}</li>
      </ol>
      <p class="soft">{t('inapp.orCopy')}</p>
      <CopyLink />
      {children}
    </Screen>
  );
}

function CopyLink(): JSX.Element {
  const { t, announce } = usePage();
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(ownLink());
      setState('copied');
      announce(t('inapp.copied'));
    } catch {
      setState('failed');
    }
  };
  return (
    <div class="copy stack">
      <Press look="quiet" onClick={copy}>
        {t(state === 'copied' ? 'inapp.copied' : 'inapp.copy')}
      </Press>
      <p class="small soft" role="status">
        {state === 'failed' && t('inapp.copyFailed')}
      </p>
      <p class="address card">{ownLink()}</p>
    </div>
  );
}
