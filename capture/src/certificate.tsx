import type { IconName } from '@firsthand/look/drawings.ts';
import { Icon } from '@firsthand/look/marks.tsx';
import { ROOT } from '@firsthand/look/root.ts';
import { createCaptureClient } from '@firsthand/sdk/capture/client.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import type { PublicView } from '@firsthand/sdk/capture/wire.ts';
import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { applyBrand } from './brand.ts';
import { useLanguage } from './language.ts';
import { Page, usePage } from './page-context.ts';
import { platformOf } from './platform.ts';
import { Press, Screen } from './screens/parts.tsx';

const apiBase = document.querySelector<HTMLMetaElement>('meta[name=firsthand-api]')?.content ?? ROOT;
/** When the photos and personal data were deleted, if they were. The public view does not say so. */
const redactedAt = document.querySelector<HTMLMetaElement>('meta[name=firsthand-redacted]')?.content;
/** Who signs the Content Credentials of photos, and who issued the certificate; no issuer for one that the service made itself. */
const said = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name=firsthand-${name}]`)?.content;
const [signer, issuer] = [said('signer'), said('issuer')];
const token = location.pathname.slice(ROOT.length).split('/')[2] ?? '';

type Load = { state: 'loading' | 'unreachable' | 'unknown' } | { state: 'shown'; view: PublicView };
type Finding = 'verified' | 'suspicious' | 'failed' | 'pending' | 'expired' | 'error' | 'reviewing' | 'approved';

const SIGNS: Record<Finding, { icon: IconName; tone: 'info' | 'verified' | 'doubtful' | 'failed' }> = {
  verified: { icon: 'check', tone: 'verified' },
  suspicious: { icon: 'doubt', tone: 'doubtful' },
  failed: { icon: 'cross', tone: 'failed' },
  pending: { icon: 'time', tone: 'info' },
  expired: { icon: 'time', tone: 'doubtful' },
  error: { icon: 'doubt', tone: 'doubtful' },
  reviewing: { icon: 'zoom', tone: 'info' },
  approved: { icon: 'check', tone: 'verified' },
};

function findingOf(view: PublicView): Finding {
  if (view.review?.state === 'approved' && view.verdict?.label !== 'verified') return 'approved';
  if (view.verdict) return view.verdict.label;
  if (view.review?.state === 'open') return 'reviewing';
  if (view.status === 'expired') return 'expired';
  return view.status === 'failed' ? 'error' : 'pending';
}

function Root() {
  const { translator, ...language } = useLanguage();
  const [loaded, setLoaded] = useState<Load>({ state: 'loading' });
  const platform = useMemo(() => platformOf(navigator.userAgent, navigator.maxTouchPoints), []);
  const start = () => {
    createCaptureClient({ token, baseUrl: apiBase })
      .publicView()
      .then(
        view => setLoaded({ state: 'shown', view }),
        error => setLoaded({ state: error instanceof ApiError && error.status === 404 ? 'unknown' : 'unreachable' }),
      );
  };
  useEffect(start, []);
  const brand = loaded.state === 'shown' ? loaded.view.brand : undefined;
  useEffect(() => applyBrand(brand), [brand]);
  if (!translator || loaded.state === 'loading') return <div class="loading" />;
  const { t } = translator;
  return (
    <Page.Provider value={{ ...translator, ...language, brand: undefined, trial: false, platform, announce: () => {} }}>
      {loaded.state === 'shown' ? (
        <Certificate view={loaded.view} />
      ) : (
        <Screen
          name={`certificate-${loaded.state}`}
          sign={{ icon: loaded.state === 'unknown' ? 'link' : 'offline', tone: 'doubtful' }}
          title={t(loaded.state === 'unknown' ? 'certificate.unknown.title' : 'unreachable.title')}
          lead={t(loaded.state === 'unknown' ? 'certificate.unknown.text' : 'unreachable.text')}
          actions={loaded.state === 'unreachable' ? <Press onClick={start}>{t('common.tryAgain')}</Press> : undefined}
        />
      )}
    </Page.Provider>
  );
}

function Certificate({ view }: { view: PublicView }) {
  const page = usePage();
  const { t } = page;
  const finding = findingOf(view);
  const test = view.livemode === false;
  const title = t(`certificate.${finding}`);
  const rows = useRows(view, finding);
  return (
    <Screen
      name="certificate"
      kicker={t('certificate.title')}
      sign={test ? { icon: 'doubt', tone: 'doubtful' } : SIGNS[finding]}
      title={test ? t('certificate.testTitle', { title }) : title}
      lead={t(test ? 'certificate.testText' : `certificate.${finding}Text`)}
      actions={
        <button type="button" class="button quiet" onClick={() => print()}>
          <Icon name="printer" />
          {t('certificate.print')}
        </button>
      }
    >
      {test && <div class="test-mark" data-word={t('certificate.test')} aria-hidden="true" />}
      {view.review?.state === 'open' && finding !== 'reviewing' && (
        <p class="card with-icon deleted">
          <Icon name="zoom" />
          {t('certificate.reviewing')}
        </p>
      )}
      {redactedAt && (
        <p class="card with-icon deleted">
          <Icon name="lock" />
          {t('certificate.redacted', { time: page.dateTime(redactedAt) })}
        </p>
      )}
      <dl class="card facts">
        {rows.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {view.record_seal && <Seal hash={view.record_seal.hash} />}
      {signer && view.captures_count > 0 && !redactedAt && <Credentials signer={signer} issuer={issuer} view={view} />}
      <How />
      <p class="small soft">
        {t('certificate.shows')} {t('certificate.at', { time: page.dateTime(new Date().toISOString()) })}
      </p>
    </Screen>
  );
}

/** The facts of a certificate, each with its name. */
function useRows(view: PublicView, finding: Finding): (readonly [string, string])[] {
  const { t, dateTime, number } = usePage();
  const { brand, completed_at, review, verdict } = view;
  return [
    ...(brand ? [[t('certificate.for'), brand.name] as const] : []),
    [t('certificate.id'), view.id],
    [t('certificate.created'), dateTime(view.created_at)],
    ...(completed_at ? [[t('certificate.completed'), dateTime(completed_at)] as const] : []),
    ...(finding === 'approved' && verdict
      ? [[t('certificate.automatic'), t(`certificate.${verdict.label}`)] as const]
      : []),
    ...(review?.decided_at ? [[t('certificate.approved'), dateTime(review.decided_at)] as const] : []),
    [t('certificate.photos'), number(view.captures_count)],
  ];
}

function Seal({ hash }: { hash: string }) {
  const { t } = usePage();
  return (
    <section class="card seal stack">
      <h2 class="with-icon">
        <Icon name="seal" />
        {t('certificate.seal')}
      </h2>
      <p class="hash">{hash}</p>
      <p class="small soft">{t('certificate.sealText')}</p>
    </section>
  );
}

/** How the photos were taken and checked. */
function How() {
  const { t } = usePage();
  return (
    <section class="how stack">
      <h2>{t('certificate.how')}</h2>
      <ol class="numbered stack">
        <li>{t('certificate.how1')}</li>
        <li>{t('certificate.how2')}</li>
        {!redactedAt && <li>{t('certificate.how3')}</li>}
      </ol>
      <p>
        <a class="button plain" href={`${ROOT}/verify`}>
          {t('certificate.check')}
        </a>
      </p>
    </section>
  );
}

/** What the photos carry. This page shows none: whoever signs in downloads them from the case. */
function Credentials({ signer, issuer, view }: { signer: string; issuer: string | undefined; view: PublicView }) {
  const { t } = usePage();
  const mode = view.livemode === false ? 'test' : 'live';
  return (
    <section class="card seal credentials stack">
      <h2 class="with-icon">
        <Icon name="seal" />
        {t('certificate.credentials')}
      </h2>
      <p>{t('certificate.credentialsText')}</p>
      <p>
        {issuer
          ? t('certificate.credentialsSigned', { signer, issuer })
          : t('certificate.credentialsSelfSigned', { signer })}
      </p>
      <p class="small soft">
        {t('certificate.credentialsWho')}{' '}
        <a class="button plain" href={`${ROOT}/dashboard/verifications/${view.id}?mode=${mode}`}>
          {t('certificate.credentialsDownload')}
        </a>
      </p>
    </section>
  );
}

render(<Root />, document.getElementById('app')!);
