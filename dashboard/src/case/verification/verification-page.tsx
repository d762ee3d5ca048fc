import type { Capture, Verification } from '@firsthand/contract/verification/verification.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useParams } from 'wouter';
import { useRead } from '../../base/api/read.ts';
import { shortId, useCaseName } from '../../base/case-name.ts';
import { useWords } from '../../base/language.tsx';
import { useChanges } from '../../base/live.ts';
import { useMoments } from '../../base/parts/date-times.ts';
import { PageTitle } from '../../base/parts/page.tsx';
import { Back, Section } from '../../base/parts/section.tsx';
import { Empty, Failed, Loading, Notice } from '../../base/parts/states.tsx';
import { queryClient } from '../../entry/session/query-client.ts';
import { useMay, useSignedIn } from '../../entry/session/signed-in.ts';
import { OtherMode } from '../../entry/shell/mode.tsx';
import { Photos } from '../photo/photos.tsx';
import { usePhotoView } from '../photo/use-photo-view.ts';
import { Place } from '../place/place.tsx';
import { WhyPanel } from '../why/why-panel.tsx';
import { Actions } from './actions.tsx';
import { Comments } from './comments.tsx';
import { People } from './decide.tsx';
import { Deliveries } from './deliveries.tsx';
import { credentialUrl } from './evidence.ts';
import { Answers, CaseAnalysis, Checks, FileFacts } from './facts.tsx';
import { DELIVERIES, VERIFICATION } from './keys.ts';
import { OutcomeTag, useScore } from './outcome.tsx';
import { Timeline } from './timeline.tsx';
import { Warnings } from './warnings.tsx';
import './verification.css';

/** One verification: its photos first, then why the verdict is what it is, then everything that happened. */
export default function VerificationPage() {
  const { t } = useWords();
  const { id } = useParams<{ id: string }>();
  const verification = useRead(VERIFICATION(id), 'GET /v1/verifications/:id', { id });
  useChanges(ids => {
    if (ids && !ids.has(id)) return;
    void queryClient.invalidateQueries({ queryKey: VERIFICATION(id) });
    void queryClient.invalidateQueries({ queryKey: DELIVERIES(id) });
  });
  return (
    <div className="wide tall case stack" key={id}>
      <Back to="/verifications">{t('page.verifications')}</Back>
      {verification.data ? (
        <Case verification={verification.data} />
      ) : verification.error ? (
        <NotHere id={id} error={verification.error} onRetry={() => void verification.refetch()} />
      ) : (
        <Loading />
      )}
    </div>
  );
}

interface NotHereProps {
  id: string;
  error: Error;
  onRetry: () => void;
}

/** A verification that could not be read: it may be one of the other mode, as its public view says. */
function NotHere({ id, error, onRetry }: NotHereProps) {
  const { livemode } = useSignedIn().tenant;
  const isMissing = error instanceof ApiError && error.status === 404;
  const shown = useRead(
    ['public', id],
    'GET /v1/verifications/:id/public',
    { id },
    { enabled: isMissing, retry: false },
  );
  const isLive = shown.data && shown.data.livemode !== false;
  if (isMissing && shown.isPending) return <Loading />;
  return isLive === undefined || isLive === livemode ? (
    <Failed only error={error} onRetry={onRetry} />
  ) : (
    <OtherMode livemode={isLive} />
  );
}

function Case({ verification }: { verification: Verification }) {
  const { t } = useWords();
  const { captures } = verification;
  const view = usePhotoView(captures);
  return (
    <>
      <div className="title-line">
        <CaseTitle verification={verification} />
        <Actions verification={verification} />
      </div>
      <Redacted at={verification.redacted_at} />
      <Warnings of={verification} />
      <div className="case-main">
        <div className="case-photos">
          {captures.length > 0 ? (
            <Photos captures={captures} view={view} />
          ) : (
            <Empty icon="camera" title={t('case.noPhotos')}>
              <p>{t(`case.waiting.${verification.cancelled_at ? 'cancelled' : verification.status}`)}</p>
            </Empty>
          )}
        </div>
        <div className="card case-why stack">
          <WhyPanel verification={verification} capture={view.capture} onLight={view.light} onShow={view.showPart} />
          <Checks verification={verification} />
          <People verification={verification} view={view} />
        </div>
      </div>
      <More verification={verification} capture={view.capture} />
    </>
  );
}

/** The name and the outcome. */
function CaseTitle({ verification }: { verification: Verification }) {
  const { t } = useWords();
  const nameOf = useCaseName();
  const score = useScore();
  const { verdict, review } = verification;
  return (
    <div className="case-title">
      <PageTitle>{nameOf(verification)}</PageTitle>
      <code className="soft small">{shortId(verification.id)}</code>
      <OutcomeTag of={verification} />
      {verdict && verdict.label !== 'verified' && (
        <span className="tag">{t(`reason.${verdict.reason_code ?? 'none'}`)}</span>
      )}
      {verdict && <span className="soft small">{t('case.confidence', { p: score(verdict) })}</span>}
      {review.decision && (
        <span className="tag">{t('case.decided', { decision: t(`decision.${review.decision}`) })}</span>
      )}
    </div>
  );
}

function Redacted({ at }: { at: string | null | undefined }) {
  const { t } = useWords();
  const { exactly } = useMoments();
  if (!at) return null;
  return (
    <Notice look="info" icon="lock">
      {t('case.redacted', { at: exactly(at) })}
    </Notice>
  );
}

/** Everything else that is known of the case and of the photo that is seen. */
function More({ verification, capture }: { verification: Verification; capture: Capture | undefined }) {
  const { t } = useWords();
  const { case_analysis, config } = verification;
  const isMember = useMay('member');
  return (
    <div className="case-more">
      {case_analysis && <CaseAnalysis verification={verification} analysis={case_analysis} />}
      {capture && (capture.location || config.expected_location !== undefined) && (
        <div id="place">
          <Section title={t('place.title')}>
            <Place capture={capture} expected={config.expected_location} />
          </Section>
        </div>
      )}
      <Answers verification={verification} />
      {capture && <FileFacts capture={capture} credential={isMember ? credentialUrl(verification, capture) : null} />}
      <Comments id={verification.id} isErased={verification.redacted_at !== undefined} />
      <Timeline verification={verification} />
      <Deliveries verificationId={verification.id} />
    </div>
  );
}
