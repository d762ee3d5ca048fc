import type { BulkActionRequest } from '@firsthand/contract/batches/bulk-actions.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { useCopy } from '../../base/parts/copy.tsx';
import { CurlMenu, type NamedRequest } from '../../base/parts/curl-menu.tsx';
import { Dialog } from '../../base/parts/dialog.tsx';
import { Form } from '../../base/parts/form.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { Ask } from '../../entry/session/ask.tsx';
import { useDraft } from '../../entry/session/draft.ts';
import { useAction } from '../../entry/session/recent.ts';
import { useMay, useSignedIn } from '../../entry/session/signed-in.ts';
import { hasEvidence } from './evidence.ts';
import { DELIVERIES, VERIFICATION } from './keys.ts';
import { SendLink, useLinkChannels } from './send-link.tsx';

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
  const [finalizing, setFinalizing] = useState(false);
  const { id, status, capture_url } = verification;
  const may = allowed(verification, useMay('member'));
  const putIntoReview = usePutIntoReview(id);
  const bundle = useBundle(id);
  return (
    <div className="case-actions">
      {OPEN.includes(status) && capture_url && <CopyLink url={capture_url} />}
      {may.cancel && <SendButton id={id} />}
      {may.finalize && (
        <Button slim onPress={() => setFinalizing(true)}>
          <Icon name="text" />
          {t('case.finalize')}
        </Button>
      )}
      {may.review && (
        <Button slim busy={putIntoReview.isPending} onPress={() => putIntoReview.mutate()}>
          <Icon name="eye" />
          {t('bulk.review')}
        </Button>
      )}
      {may.cancel && (
        <Ask
          label={t('case.cancel')}
          icon={<Icon name="cross" />}
          weight="quiet"
          slim
          title={t('case.cancelTitle')}
          text={t('case.cancelText')}
          run={() => call('POST /v1/verifications/:id/cancel', { id, body: {} })}
          refreshes={refreshes(id)}
          says={() => t('case.cancelled')}
        />
      )}
      {may.bundle && (
        <Button slim busy={bundle.isPending} onPress={() => bundle.mutate()}>
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
      {finalizing && <Finalize id={id} onClose={() => setFinalizing(false)} />}
    </div>
  );
}

/** The same actions as command lines. */
function Requests({ id, may }: { id: string; may: ReturnType<typeof allowed> }) {
  const { t } = useWords();
  const path = `/v1/verifications/${id}`;
  const requests: (NamedRequest | false)[] = [
    { label: t('case.read'), to: `GET ${path}` },
    may.bundle && { label: t('case.evidence'), to: `GET ${path}/evidence` },
    may.finalize && { label: t('case.finalize'), to: `POST ${path}/finalize`, body: { narrative: '' } },
    may.review && { label: t('bulk.review'), to: 'POST /v1/bulk-acts', body: intoReview(id) },
    may.cancel && { label: t('case.cancel'), to: `POST ${path}/cancel` },
  ];
  return <CurlMenu requests={requests.filter(request => request !== false)} />;
}

function CopyLink({ url }: { url: string }) {
  const { t } = useWords();
  const copy = useCopy();
  return (
    <Button slim onPress={() => copy(url, t('case.linkCopied'))}>
      <Icon name="link" />
      {t('case.copyLink')}
    </Button>
  );
}

function SendButton({ id }: { id: string }) {
  const { t } = useWords();
  const channels = useLinkChannels();
  const [sending, setSending] = useState(false);
  const close = () => setSending(false);
  if (channels.length === 0) return null;
  return (
    <>
      <Button slim onPress={() => setSending(true)}>
        <Icon name="phone" />
        {t('send.title')}
      </Button>
      {sending && (
        <Dialog title={t('send.title')} onClose={close}>
          <SendLink {...{ id, channels }} onSent={close} onCancel={close} />
        </Dialog>
      )}
    </>
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
  const { person } = useSignedIn();
  const draft = useDraft(person.id, `finalize:${id}`, { narrative: '' });
  const [narrative, setNarrative] = useState(draft.kept.narrative);
  const finalize = useAction(() => call('POST /v1/verifications/:id/finalize', { id, body: { narrative } }), {
    refreshes: refreshes(id),
    says: done => t(done.case_analysis ? 'case.finalized' : 'case.finalizing'),
    onDone: () => {
      draft.forget();
      onClose();
    },
  });
  return (
    <Dialog title={t('case.finalize')} onClose={onClose}>
      <Form
        label={t('case.finalize')}
        sending={finalize}
        requests={[{ label: t('case.finalize'), to: `POST /v1/verifications/${id}/finalize`, body: { narrative } }]}
        onSubmit={() => finalize.mutate()}
        onCancel={onClose}
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
      </Form>
    </Dialog>
  );
}
