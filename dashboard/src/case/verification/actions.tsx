import type { BulkActionRequest } from '@firsthand/contract/batches/bulk-actions.ts';
import { hasRole } from '@firsthand/contract/people/roles.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu, type NamedRequest } from '../../base/parts/curl-menu.tsx';
import { Confirm, Dialog } from '../../base/parts/dialog.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useDraft } from '../../entry/session/draft.ts';
import { useAction } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { hasEvidence } from './evidence.ts';
import { DELIVERIES, VERIFICATION } from './keys.ts';

const OPEN = ['pending', 'partially_captured', 'abandoned'];
const NARRATIVE_MAX = 2_000;

/** What a member may do to a verification. */
function allowed(verification: Verification, isMember: boolean) {
  const { status, captures_count, redacted_at, narrative, review } = verification;
  const kept = isMember && !redacted_at;
  return {
    bundle: isMember && hasEvidence(verification),
    cancel: isMember && OPEN.includes(status),
    finalize: kept && narrative === undefined && captures_count > 0 && status !== 'expired' && status !== 'failed',
    review: kept && (status === 'completed' || status === 'failed') && review.state === 'none',
  };
}

/** The actions on a verification that the person's role allows. */
export function Actions({ verification }: { verification: Verification }) {
  const { t } = useWords();
  const [open, setOpen] = useState<'finalize' | 'cancel' | null>(null);
  const { id, status, capture_url } = verification;
  const may = allowed(verification, hasRole(useSignedIn().tenant.role, 'member'));
  const putIntoReview = usePutIntoReview(id);
  const bundle = useBundle(id);
  const close = () => setOpen(null);
  return (
    <div className="case-actions">
      {OPEN.includes(status) && capture_url && <CopyLink url={capture_url} />}
      {may.finalize && (
        <Button slim onPress={() => setOpen('finalize')}>
          <Icon name="text" />
          {t('case.finalize')}
        </Button>
      )}
      {may.review && (
        <Button slim busy={putIntoReview.isPending} onPress={() => putIntoReview.mutate(undefined)}>
          <Icon name="eye" />
          {t('bulk.review')}
        </Button>
      )}
      {may.cancel && (
        <Button slim onPress={() => setOpen('cancel')}>
          <Icon name="cross" />
          {t('case.cancel')}
        </Button>
      )}
      {may.bundle && (
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
      <Requests id={id} may={may} />
      <Problem error={bundle.error ?? putIntoReview.error} />
      {open === 'cancel' && <Cancel id={id} onClose={close} />}
      {open === 'finalize' && <Finalize id={id} onClose={close} />}
    </div>
  );
}

/** The same actions as command lines. */
function Requests({ id, may }: { id: string; may: ReturnType<typeof allowed> }) {
  const { t } = useWords();
  const path = `/v1/verifications/${id}`;
  const requests: (NamedRequest | false)[] = [
    { label: t('case.read'), request: { method: 'GET', path } },
    may.bundle && { label: t('case.evidence'), request: { method: 'GET', path: `${path}/evidence` } },
    may.finalize && {
      label: t('case.finalize'),
      request: { method: 'POST', path: `${path}/finalize`, body: { narrative: '' } },
    },
    may.review && {
      label: t('bulk.review'),
      request: { method: 'POST', path: '/v1/bulk-acts', body: intoReview(id) },
    },
    may.cancel && { label: t('case.cancel'), request: { method: 'POST', path: `${path}/cancel` } },
  ];
  return <CurlMenu requests={requests.filter(request => request !== false)} />;
}

function CopyLink({ url }: { url: string }) {
  const { t } = useWords();
  const say = useSay();
  return (
    <Button slim onPress={() => void navigator.clipboard.writeText(url).then(() => say(t('case.linkCopied')))}>
      <Icon name="link" />
      {t('case.copyLink')}
    </Button>
  );
}

const refreshes = (id: string) => [VERIFICATION(id), DELIVERIES(id)];

const intoReview = (id: string): BulkActionRequest => ({ act: 'review', ids: [id] });

function usePutIntoReview(id: string) {
  const [, goTo] = useLocation();
  return useAction(() => call('POST /v1/bulk-acts', { body: intoReview(id) }), {
    refreshes: refreshes(id),
    onDone: () => goTo('/review'),
  });
}

/** Downloads the evidence, or says that it comes later. */
function useBundle(id: string) {
  const { t } = useWords();
  const say = useSay();
  return useAction(() => bundleReady(id), {
    onDone: ready => {
      if (ready) location.assign(`${ROOT}/v1/verifications/${id}/evidence`);
      else say(t('case.bundleLater'));
    },
  });
}

function Cancel({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useWords();
  const say = useSay();
  const cancel = useAction(() => call('POST /v1/verifications/:id/cancel', { id, body: {} }), {
    refreshes: refreshes(id),
    onDone: () => {
      onClose();
      say(t('case.cancelled'));
    },
  });
  return (
    <Confirm
      title={t('case.cancelTitle')}
      action={t('case.cancel')}
      mutation={{ ...cancel, mutate: () => cancel.mutate(undefined) }}
      onClose={onClose}
    >
      <p>{t('case.cancelText')}</p>
    </Confirm>
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

function Finalize({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useWords();
  const say = useSay();
  const { person } = useSignedIn();
  const draft = useDraft(person.id, `finalize:${id}`, { narrative: '' });
  const [narrative, setNarrative] = useState(draft.kept.narrative);
  const finalize = useAction(() => call('POST /v1/verifications/:id/finalize', { id, body: { narrative } }), {
    refreshes: refreshes(id),
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
            requests={[
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
