import type { BulkActRequest } from '@firsthand/contract/batches/bulk-acts.ts';
import { hasRole } from '@firsthand/contract/people/roles.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { ROOT } from '@firsthand/look/root.ts';
import type { QueryKey } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { type Act, CurlMenu } from '../../base/parts/curl-menu.tsx';
import { Confirm, Dialog } from '../../base/parts/dialog.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useDraft } from '../../entry/session/draft.ts';
import { useAct } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { hasEvidence } from './evidence.ts';
import { DELIVERIES, VERIFICATION } from './keys.ts';

const OPEN = ['pending', 'partially_captured', 'abandoned'];
const NARRATIVE_MAX = 2_000;

/** The acts on a verification that the person's role allows. */
export function Acts({ verification }: { verification: Verification }) {
  const { t } = useWords();
  const say = useSay();
  const { tenant } = useSignedIn();
  const [, goTo] = useLocation();
  const [open, setOpen] = useState<'finalize' | 'cancel' | null>(null);
  const { id, status, captures_count, redacted_at, narrative, review, capture_url } = verification;
  const member = hasRole(tenant.role, 'member');
  const mayCancel = member && OPEN.includes(status);
  const mayFinalize =
    member &&
    !redacted_at &&
    narrative === undefined &&
    captures_count > 0 &&
    status !== 'expired' &&
    status !== 'failed';
  const mayPutIntoReview =
    member && !redacted_at && (status === 'completed' || status === 'failed') && review.state === 'none';
  const mayBundle = member && hasEvidence(verification);
  const refreshes = [VERIFICATION(id), DELIVERIES(id)];
  const cancel = useAct(() => call('POST /v1/verifications/:id/cancel', { id, body: {} }), {
    refreshes,
    onDone: () => {
      setOpen(null);
      say(t('case.cancelled'));
    },
  });
  const intoReview: BulkActRequest = { act: 'review', ids: [id] };
  const putIntoReview = useAct(() => call('POST /v1/bulk-acts', { body: intoReview }), {
    refreshes,
    onDone: () => goTo('/review'),
  });
  const bundle = useAct(() => bundleReady(id), {
    onDone: ready => {
      if (ready) location.assign(`${ROOT}/v1/verifications/${id}/evidence`);
      else say(t('case.bundleLater'));
    },
  });
  const path = `/v1/verifications/${id}`;
  const acts: Act[] = [
    { label: t('case.read'), request: { method: 'GET', path } },
    ...(mayBundle ? [{ label: t('case.evidence'), request: { method: 'GET', path: `${path}/evidence` } } as Act] : []),
    ...(mayFinalize
      ? [
          {
            label: t('case.finalize'),
            request: { method: 'POST', path: `${path}/finalize`, body: { narrative: '' } },
          } as Act,
        ]
      : []),
    ...(mayPutIntoReview
      ? [{ label: t('bulk.review'), request: { method: 'POST', path: '/v1/bulk-acts', body: intoReview } } as Act]
      : []),
    ...(mayCancel ? [{ label: t('case.cancel'), request: { method: 'POST', path: `${path}/cancel` } } as Act] : []),
  ];
  const copyLink = (url: string) => void navigator.clipboard.writeText(url).then(() => say(t('case.linkCopied')));
  return (
    <div className="case-acts">
      {OPEN.includes(status) && capture_url && (
        <Button slim onPress={() => copyLink(capture_url)}>
          <Icon name="link" />
          {t('case.copyLink')}
        </Button>
      )}
      {mayFinalize && (
        <Button slim onPress={() => setOpen('finalize')}>
          <Icon name="text" />
          {t('case.finalize')}
        </Button>
      )}
      {mayPutIntoReview && (
        <Button slim busy={putIntoReview.isPending} onPress={() => putIntoReview.mutate(undefined)}>
          <Icon name="eye" />
          {t('bulk.review')}
        </Button>
      )}
      {mayCancel && (
        <Button slim onPress={() => setOpen('cancel')}>
          <Icon name="cross" />
          {t('case.cancel')}
        </Button>
      )}
      {mayBundle && (
        <Button slim busy={bundle.isPending} onPress={() => bundle.mutate(undefined)}>
          <Icon name="download" />
          {t('case.evidence')}
        </Button>
      )}
      {status === 'completed' && (
        <a className="button quiet slim" href={`${ROOT}/c/${id}`} target="_blank" rel="noreferrer">
          <Icon name="seal" />
          {t('case.certificate')}
        </a>
      )}
      <CurlMenu acts={acts} />
      <Problem error={bundle.error ?? putIntoReview.error} />
      {open === 'cancel' && (
        <Confirm
          title={t('case.cancelTitle')}
          action={t('case.cancel')}
          act={{ ...cancel, mutate: () => cancel.mutate(undefined) }}
          onClose={() => setOpen(null)}
        >
          <p>{t('case.cancelText')}</p>
        </Confirm>
      )}
      {open === 'finalize' && <Finalize id={id} refreshes={refreshes} onClose={() => setOpen(null)} />}
    </div>
  );
}

/** Whether the bundle can be downloaded now; false while its last entry waits for its place in the log. */
async function bundleReady(id: string): Promise<boolean> {
  const stop = new AbortController();
  const response = await fetch(`${ROOT}/v1/verifications/${id}/evidence`, {
    credentials: 'same-origin',
    signal: stop.signal,
  });
  stop.abort();
  if (!response.ok) await call('GET /v1/verifications/:id', { id });
  return response.status === 200;
}

function Finalize({ id, refreshes, onClose }: { id: string; refreshes: readonly QueryKey[]; onClose: () => void }) {
  const { t } = useWords();
  const say = useSay();
  const { person } = useSignedIn();
  const draft = useDraft(person.id, `finalize:${id}`, { narrative: '' });
  const [narrative, setNarrative] = useState(draft.kept.narrative);
  const finalize = useAct(() => call('POST /v1/verifications/:id/finalize', { id, body: { narrative } }), {
    refreshes,
    onDone: done => {
      draft.forget();
      onClose();
      say(t(done.case_analysis ? 'case.finalized' : 'case.finalizing'));
    },
  });
  return (
    <Dialog title={t('case.finalize')} onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault();
          finalize.mutate(undefined);
        }}
      >
        <label className="field">
          <span className="label">{t('case.narrative')}</span>
          <textarea
            className="input"
            rows={6}
            maxLength={NARRATIVE_MAX}
            value={narrative}
            onChange={event => {
              setNarrative(event.target.value);
              draft.keep({ narrative: event.target.value });
            }}
          />
          <span className="hint">{t('case.narrativeHint')}</span>
        </label>
        <Problem error={finalize.error} />
        <div className="actions">
          <CurlMenu
            acts={[
              {
                label: t('case.finalize'),
                request: { method: 'POST', path: `/v1/verifications/${id}/finalize`, body: { narrative } },
              },
            ]}
          />
          <Button onPress={onClose}>{t('common.cancel')}</Button>
          <Button weight="main" type="submit" busy={finalize.isPending}>
            {t('case.finalize')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
