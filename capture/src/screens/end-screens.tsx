import type { IconName } from '@firsthand/look/drawings.ts';
import { Icon } from '@firsthand/look/marks.tsx';
import { ROOT } from '@firsthand/look/root.ts';
import type { CaptureView } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { isFramed, returnUrl } from '../embedding.ts';
import type { End } from '../flow.ts';
import { usePage } from '../page-context.ts';
import { Note, Press, Screen } from './parts.tsx';

const SIGNS: Record<End, { icon: IconName; tone: 'info' | 'verified' | 'doubtful' | 'failed' }> = {
  expired: { icon: 'time', tone: 'doubtful' },
  withdrawn: { icon: 'cross', tone: 'info' },
  completed: { icon: 'check', tone: 'verified' },
  failed: { icon: 'doubt', tone: 'failed' },
  unknown: { icon: 'link', tone: 'doubtful' },
  revoked: { icon: 'cross', tone: 'info' },
  redacted: { icon: 'lock', tone: 'info' },
  staff: { icon: 'lock', tone: 'doubtful' },
  reviewing: { icon: 'zoom', tone: 'info' },
};

type EndProps = {
  end: End;
  view: CaptureView | undefined;
  /** This page has watched the phone send everything. */
  watched?: boolean;
};

export function EndScreen({ end, view, watched = false }: EndProps): JSX.Element {
  const { t, dateTime } = usePage();
  return (
    <Screen
      name={`end-${end}`}
      sign={SIGNS[end]}
      title={t(watched && end === 'completed' ? 'success.title' : `end.${end}.title`)}
      lead={
        end === 'expired' && !view
          ? t('end.expired.textPlain')
          : t(`end.${end}.text`, { time: view ? dateTime(view.expires_at) : '' })
      }
      actions={
        <>
          <ReturnLink />
          {end === 'completed' && view && <CertificateLink id={view.id} />}
        </>
      }
    />
  );
}

type SuccessProps = {
  view: CaptureView;
  /** Photos of this device that were not sent because another device had sent enough. */
  unneeded: number;
  refresh: () => Promise<void>;
};

/** Everything is sent. The certificate follows once there is a result and no person looks at it first. */
export function Success({ view, unneeded, refresh }: SuccessProps): JSX.Element {
  const { t, brand } = usePage();
  const isCompleted = view.status === 'completed';
  useResult(view, refresh);
  return (
    <Screen
      name="success"
      sign={{ icon: 'check', tone: 'verified' }}
      title={t('success.title')}
      lead={
        isFramed || returnUrl
          ? t('end.completed.text')
          : brand
            ? t('success.text', { name: brand.name })
            : t('success.textPlain')
      }
      actions={
        <>
          <ReturnLink />
          {isCompleted && !view.under_review && <CertificateLink id={view.id} />}
        </>
      }
    >
      {isCompleted && view.under_review && (
        <Note icon="zoom" title={t('end.reviewing.title')}>
          {t('success.reviewing')}
        </Note>
      )}
      {unneeded > 0 && <Note icon="camera">{t('success.unneeded', { n: unneeded })}</Note>}
      <p class="soft small with-icon">
        <Icon name="lock" />
        {t('success.wiped')}
      </p>
    </Screen>
  );
}

const FIRST_LOOK_MS = 2_000;
const LAST_LOOK_MS = 60_000;

/** Looks for the result, ever more seldom, and when the person comes back to the page. */
function useResult({ status }: CaptureView, refresh: () => Promise<void>): void {
  const waits = !['completed', 'expired', 'failed'].includes(status);
  useEffect(() => {
    const onVisible = () => {
      if (document.visibilityState === 'visible') void refresh();
    };
    document.addEventListener('visibilitychange', onVisible);
    let timer = 0;
    const lookIn = (ms: number) => {
      timer = window.setTimeout(() => {
        void refresh();
        if (ms < LAST_LOOK_MS) lookIn(ms * 2);
      }, ms);
    };
    if (waits) lookIn(FIRST_LOOK_MS);
    return () => {
      document.removeEventListener('visibilitychange', onVisible);
      clearTimeout(timer);
    };
  }, [waits, refresh]);
}

/** Leads back to the site that the person came from, where it named an address. */
function ReturnLink(): JSX.Element | null {
  const { t, brand } = usePage();
  if (!returnUrl) return null;
  return (
    <a class="button" href={returnUrl} target="_top">
      {t('success.return', { site: brand?.name ?? new URL(returnUrl).host })}
    </a>
  );
}

const CertificateLink = ({ id }: { id: string }): JSX.Element => {
  const { t } = usePage();
  return (
    <a class="button quiet" href={`${ROOT}/c/${id}`} {...(isFramed ? { target: '_blank', rel: 'noopener' } : {})}>
      <Icon name="seal" />
      {t('success.certificate')}
    </a>
  );
};

export function Unreachable({ onRetry }: { onRetry: () => void }): JSX.Element {
  const { t } = usePage();
  return (
    <Screen
      name="unreachable"
      sign={{ icon: 'offline', tone: 'doubtful' }}
      title={t('unreachable.title')}
      lead={t('unreachable.text')}
      actions={<Press onClick={onRetry}>{t('common.tryAgain')}</Press>}
    />
  );
}

export function Broken(): JSX.Element {
  const { t } = usePage();
  return (
    <Screen
      name="broken"
      sign={{ icon: 'doubt', tone: 'doubtful' }}
      title={t('error.title')}
      lead={t('error.text')}
      actions={<Press onClick={() => location.reload()}>{t('error.reload')}</Press>}
    />
  );
}
