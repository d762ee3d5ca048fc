import { LIVE_IMAGE_TYPES } from '@firsthand/contract/base/enums.ts';
import { Icon } from '@firsthand/look/marks.tsx';
import type { CaptureClient } from '@firsthand/sdk/capture/client.ts';
import { sendHeld } from '@firsthand/sdk/capture/outbox.ts';
import type { SendProgress } from '@firsthand/sdk/capture/sending.ts';
import type { CaptureStore } from '@firsthand/sdk/capture/store.ts';
import type { CaptureView } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type End, endOf, endOfError } from '../flow.ts';
import { usePage } from '../page-context.ts';
import { acceptedOf, refusedAnswers, refusedPhoto } from '../refusal.ts';
import { createAttestation } from '../turnstile.ts';
import { keepAwake } from '../wake-lock.ts';
import { Screen } from './parts.tsx';

const NOTHING = { captures: [], answers: {} };
const RADIUS = 54;
const LENGTH = 2 * Math.PI * RADIUS;

type Props = {
  client: CaptureClient;
  store: CaptureStore;
  view: CaptureView;
  /** `unneeded`: photos that were not sent because their steps had been filled from elsewhere. */
  onDone: (view: CaptureView, unneeded: number) => void;
  onClosed: (end: End, view: CaptureView | undefined) => void;
  onUnknown: () => void;
  /** The service rejected something. `faults` has the reasons by text step key. */
  onRefused: (words: string, faults: Record<string, string>, unneeded?: number) => void;
};

/** Sends what is held while the screen is shown. Leaving the screen stops sending and loses nothing. */
export function SendingScreen(props: Props): JSX.Element {
  const page = usePage();
  const { t } = page;
  const [progress, setProgress] = useState<SendProgress>();
  useEffect(() => {
    const stop = new AbortController();
    const sleep = keepAwake();
    const siteKey = props.view.turnstile_site_key;
    sendHeld({
      client: props.client,
      store: props.store,
      signal: stop.signal,
      onProgress: setProgress,
      ...(siteKey ? { attestation: createAttestation(siteKey) } : {}),
    }).then(
      result => {
        if (result.outcome === 'done') props.onDone(result.view, result.unneeded);
        if (result.outcome === 'closed')
          props.onClosed(endOf(result.view, Date.now(), NOTHING) ?? 'expired', result.view);
        if (result.outcome === 'refused') {
          const accepted = acceptedOf(props.view.config.steps, result.stepKey, LIVE_IMAGE_TYPES);
          const why = refusedPhoto(page, result.code, result.fields, accepted);
          props.onRefused(`${t('refused.title')}. ${why} ${t('refused.others')}`, {}, result.unneeded);
        }
        if (result.outcome === 'answers_refused')
          props.onRefused(t('refused.answer'), refusedAnswers(page, result.faults));
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const end = endOfError(error);
        if (end === 'unknown') props.onUnknown();
        else if (end) props.onClosed(end, undefined);
        else props.onRefused(t('error.text'), {});
      },
    );
    return () => {
      stop.abort();
      sleep();
    };
  }, []);
  return <Sending progress={progress} />;
}

function Sending({ progress }: { progress: SendProgress | undefined }): JSX.Element {
  const { t, number } = usePage();
  const state = progress?.state;
  const waiting = state === 'waiting' || state === 'busy' ? state : undefined;
  const share = progress && progress.totalBytes > 0 ? progress.sentBytes / progress.totalBytes : 0;
  const percent = Math.floor(share * 100);
  const line =
    progress?.state === 'sending' && progress.total > 0
      ? t('sending.item', { n: Math.min(progress.total, progress.sent + 1), total: progress.total })
      : progress?.state === 'finishing'
        ? t('sending.finishing')
        : '';
  return (
    <Screen name="sending" title={t(waiting ? `sending.${waiting}` : 'sending.title')}>
      <div
        class={`ring ${waiting ? 'waiting' : ''}`}
        role="progressbar"
        aria-label={t('sending.progress')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <svg viewBox="0 0 120 120" aria-hidden="true">
          <circle cx="60" cy="60" r={RADIUS} />
          <circle
            class="ring-done"
            cx="60"
            cy="60"
            r={RADIUS}
            stroke-dasharray={LENGTH}
            stroke-dashoffset={LENGTH * (1 - share)}
          />
        </svg>
        {waiting === 'waiting' ? (
          <Icon name="offline" />
        ) : (
          <span>{number(share, { style: 'percent', maximumFractionDigits: 0 })}</span>
        )}
      </div>
      <p class="soft center" role="status">
        {line}
      </p>
      <p class="soft center small">{t(waiting ? `sending.${waiting}Text` : 'sending.keepOpen')}</p>
    </Screen>
  );
}
