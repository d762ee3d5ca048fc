import { DECISIONS, REVIEW_QUEUES } from '@firsthand/contract/base/enums.ts';
import type { Decision, ReviewQueue } from '@firsthand/contract/reviews/reviews.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { problemText } from '../../base/api/problem-text.ts';
import { useWords } from '../../base/language.tsx';
import { useChanges } from '../../base/live.ts';
import { Button } from '../../base/parts/button.tsx';
import { type Act, CurlMenu } from '../../base/parts/curl-menu.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { PageTitle } from '../../base/parts/page.tsx';
import { Empty, Failed, Loading } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useShortcuts } from '../../entry/keys/shortcuts.ts';
import { useDraft } from '../../entry/session/draft.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { isAtLeast } from '../../entry/shell/pages.ts';
import { Photos } from '../photo/photos.tsx';
import { NOTHING_LIT, type Part, type ViewerHandle } from '../photo/viewer.tsx';
import { Place } from '../place/place.tsx';
import { Checks } from '../verification/facts.tsx';
import { nameOf } from '../verification/name.ts';
import { gravest } from '../why/findings.ts';
import { WhyPanel } from '../why/why-panel.tsx';
import { DecisionBar } from './decision-bar.tsx';
import { type Done, useQueue } from './queue.ts';
import { KEY_OF, REASONS, type Reason } from './reasons.ts';
import { Today } from './today.tsx';
import '../../entry/keys/keys.css';
import './review.css';

const CompareDialog = lazy(() => import('./compare-dialog.tsx'));

const queueOf = (search: string): ReviewQueue => {
  const wanted = new URLSearchParams(search).get('queue');
  return REVIEW_QUEUES.find(queue => queue === wanted) ?? 'all';
};

/**
 * One case after another, decided by a person. It shows no verdict: a verified case that came up at random looks like any
 * other.
 */
export default function ReviewPage() {
  const { t } = useWords();
  const words = useWords();
  const [, goTo] = useLocation();
  const queue = queueOf(useSearch());
  const review = useQueue(queue);
  const { current, cases, at, done, empty, error, fill } = review;
  useChanges(() => {
    if (cases.length === 0) void fill();
  });
  const say = useSay();
  const undo = async () => {
    const failed = await review.undo();
    say(failed ? problemText(words, failed) : t('review.undone'));
  };
  useShortcuts([
    { key: 'j', label: t('review.next'), run: () => review.go(1) },
    { key: 'k', label: t('review.before'), run: () => review.go(-1) },
    { key: 'u', label: t('review.undo'), run: () => review.mayUndo && void undo() },
  ]);
  return (
    <div className="wide review">
      <div className="title-line">
        <div className="case-title">
          <PageTitle>{current ? nameOf(current) : t('page.review')}</PageTitle>
          {current && (
            <Link className="soft small" href={`/verifications/${current.id}`}>
              …{current.id.slice(-6)}
            </Link>
          )}
        </div>
        <div className="case-acts">
          <span className="soft small" role="status">
            {t('review.done', { n: done.length })}
          </span>
          <label className="queue">
            <span className="unseen">{t('review.queue')}</span>
            <select
              className="input"
              value={queue}
              onChange={event => goTo(event.target.value === 'all' ? '/review' : `/review?queue=${event.target.value}`)}
            >
              {REVIEW_QUEUES.map(name => (
                <option key={name} value={name}>
                  {t(`queue.${name}`)}
                </option>
              ))}
            </select>
          </label>
          <Button slim isDisabled={!review.mayUndo} onPress={() => void undo()}>
            <Icon name="undo" />
            {t('review.undo')}
          </Button>
          <Button slim isDisabled={at <= 0} aria-label={t('review.before')} onPress={() => review.go(-1)}>
            <Icon name="back" />
          </Button>
          <Button slim isDisabled={at >= cases.length - 1} aria-label={t('review.next')} onPress={() => review.go(1)}>
            <Icon name="forward" />
          </Button>
        </div>
      </div>
      {current ? (
        <CaseAtHand
          key={current.id}
          verification={current}
          decide={review.decide}
          queue={queue}
          undoable={review.mayUndo ? done.at(-1) : undefined}
        />
      ) : error ? (
        <Failed error={error} onRetry={() => void fill()} />
      ) : empty ? (
        <Empty icon="check" title={t('review.clear')}>
          <p>{t('review.clearText', { n: done.length })}</p>
          <Today />
          <Button onPress={() => void fill()}>{t('review.look')}</Button>
        </Empty>
      ) : (
        <Loading />
      )}
    </div>
  );
}

type Decide = ReturnType<typeof useQueue>['decide'];

interface CaseProps {
  verification: Verification;
  decide: Decide;
  queue: ReviewQueue;
  /** The last decision, while it can be taken back, and its case. */
  undoable: Done | undefined;
}

function CaseAtHand({ verification, decide, queue, undoable }: CaseProps) {
  const words = useWords();
  const { t } = words;
  const say = useSay();
  const { person, tenant } = useSignedIn();
  const { id, captures, config, reviews } = verification;
  const [at, setAt] = useState(() => gravest(captures));
  const [heat, setHeat] = useState(0);
  const [blink, setBlink] = useState(false);
  const [comparing, setComparing] = useState(false);
  const [lit, setLit] = useState<readonly Part[]>(NOTHING_LIT);
  const [placeOpen, setPlaceOpen] = useState(true);
  const [choosing, setChoosing] = useState<Decision | null>(null);
  const [flags, setFlags] = useState<Record<string, boolean>>({});
  const draft = useDraft(person.id, `review:${id}`, { note: '' });
  const [note, setNote] = useState(draft.kept.note);
  const viewer = useRef<ViewerHandle>(null);
  const noteField = useRef<HTMLTextAreaElement>(null);
  const capture = captures[at];
  const mayReview = isAtLeast(tenant.role, 'reviewer');
  const hasPlace = capture && (capture.location || config.expected_location !== undefined);
  const inputOf = (decision: Decision, reason?: Reason) => ({
    decision,
    ...(reason ? { reasons: [reason] } : {}),
    ...(note.trim() ? { note: note.trim() } : {}),
    ...(Object.keys(flags).length > 0
      ? { flags: Object.entries(flags).map(([capture_id, genuine]) => ({ capture_id, genuine })) }
      : {}),
  });
  const send = async (decision: Decision, reason?: Reason) => {
    setChoosing(null);
    const failed = await decide(inputOf(decision, reason));
    if (failed) say(problemText(words, failed));
    else draft.forget();
  };
  const choose = (decision: Decision) => setChoosing(was => (was === decision ? null : decision));
  useShortcuts([
    ...(Object.entries(KEY_OF) as [Decision, string][]).map(([decision, key]) => ({
      key,
      label: t(`decide.${decision}`),
      run: () => choose(decision),
    })),
    { key: 'n', label: t('review.note'), run: () => noteField.current?.focus() },
    { key: 'ArrowLeft', label: t('review.photoBefore'), run: () => setAt(Math.max(0, at - 1)) },
    { key: 'ArrowRight', label: t('review.photoNext'), run: () => setAt(Math.min(captures.length - 1, at + 1)) },
    { key: 'z', label: t('photo.toggle'), run: () => viewer.current?.toggleZoom() },
    { key: 'h', label: t('photo.heatOn'), run: () => setHeat(heat > 0 ? 0 : 0.7) },
    ...(captures.length > 1
      ? [{ key: 'c', label: t('page.compare'), run: () => setComparing(true) }]
      : capture?.second_frame_url
        ? [{ key: 'c', label: t('photo.blinkOn'), run: () => setBlink(!blink) }]
        : []),
    { key: 'm', label: t('review.place'), run: () => setPlaceOpen(!placeOpen) },
  ]);
  const reasons: readonly Reason[] = choosing ? REASONS[choosing] : [];
  useShortcuts(
    choosing
      ? [
          ...reasons.map((reason, index) => ({
            key: String(index + 1),
            label: t(`why.${reason}`),
            unlisted: true,
            run: () => void send(choosing, reason),
          })),
          { key: '0', label: '', unlisted: true, run: () => void send(choosing) },
          { key: 'Escape', label: '', unlisted: true, run: () => setChoosing(null) },
        ]
      : [],
  );
  useEffect(() => {
    // The keys work wherever the focus is; it only must not stay on what is gone.
    if (!document.activeElement || document.activeElement === document.body) viewer.current?.focus();
  }, []);
  const post = (label: string, path: string, body: object): Act => ({
    label,
    request: { method: 'POST', path, body, personal: true },
  });
  const read: Act = { label: t('review.curl'), request: { method: 'GET', path: `/v1/verifications/${id}` } };
  const acts: Act[] = [
    ...DECISIONS.map(decision => post(t(`decide.${decision}`), `/v1/verifications/${id}/reviews`, inputOf(decision))),
    ...(undoable?.review
      ? [
          {
            label: t('review.undo'),
            request: {
              method: 'DELETE' as const,
              path: `/v1/verifications/${undoable.verification.id}/reviews/${undoable.review.id}`,
              personal: true,
            },
          },
        ]
      : []),
    post(t('review.next'), '/v1/reviews/next', { queue }),
    post(t('review.release'), `/v1/reviews/${id}/release`, {}),
  ];
  const before = (reviews ?? []).filter(review => !review.struck_at);
  return (
    <div className="review-main">
      {comparing && (
        <Suspense>
          <CompareDialog captures={captures} at={at} onClose={() => setComparing(false)} />
        </Suspense>
      )}
      <div className="review-photos">
        {captures.length > 0 ? (
          <Photos
            captures={captures}
            at={at}
            onAt={setAt}
            heat={heat}
            onHeat={setHeat}
            blink={blink}
            onBlink={setBlink}
            lit={lit}
            wheel="always"
            handle={viewer}
          />
        ) : (
          <Empty icon="camera" title={t('case.noPhotos')} />
        )}
      </div>
      <div className="card review-side">
        <div className="review-read">
          <WhyPanel
            verification={verification}
            capture={capture}
            onLight={setLit}
            onShow={part => viewer.current?.showPart(part)}
          />
          <Checks verification={verification} />
          {hasPlace && placeOpen && (
            <section aria-label={t('place.title')} className="stack">
              <h2>{t('place.title')}</h2>
              <Place capture={capture} expected={config.expected_location} />
            </section>
          )}
          <Told verification={verification} />
          {before.length > 0 && (
            <section aria-label={t('review.before2')} className="stack">
              <h2>{t('review.before2')}</h2>
              <ul className="stack small">
                {before.map(review => (
                  <li key={review.id}>
                    <strong>{review.by.name}</strong>: {t(`decision.${review.decision}`)}
                    {review.note && <blockquote>{review.note}</blockquote>}
                  </li>
                ))}
              </ul>
            </section>
          )}
          {capture && (
            <fieldset className="genuine">
              <legend className="label">{t('review.flag', { n: at + 1 })}</legend>
              {([true, false] as const).map(genuine => (
                <Button
                  key={String(genuine)}
                  slim
                  aria-pressed={flags[capture.id] === genuine}
                  onPress={() =>
                    setFlags(({ [capture.id]: was, ...others }) =>
                      was === genuine ? others : { ...others, [capture.id]: genuine },
                    )
                  }
                >
                  <Icon name={genuine ? 'check' : 'cross'} />
                  {t(genuine ? 'review.genuine' : 'review.notGenuine')}
                </Button>
              ))}
            </fieldset>
          )}
          <label className="field">
            <span className="label">
              {t('review.note')} <kbd>n</kbd>
            </span>
            <textarea
              ref={noteField}
              className="input"
              rows={2}
              maxLength={2_000}
              value={note}
              onKeyDown={event => event.key === 'Escape' && event.currentTarget.blur()}
              onChange={event => {
                setNote(event.target.value);
                draft.keep({ note: event.target.value });
              }}
            />
          </label>
        </div>
        {mayReview && (
          <DecisionBar
            choosing={choosing}
            onChoose={choose}
            reasons={reasons}
            onDecide={(decision, reason) => void send(decision, reason)}
          />
        )}
        <CurlMenu acts={mayReview ? [read, ...acts] : [read]} />
      </div>
    </div>
  );
}

/** The request and the person's answers. */
function Told({ verification }: { verification: Verification }) {
  const { t } = useWords();
  const { config, answers = {}, narrative } = verification;
  const metadata = Object.entries(config.metadata ?? {}).filter(([key]) => key !== 'test_outcome');
  const facts: [string, string][] = [
    ...(config.context ? [[config.context.kind, config.context.summary] as [string, string]] : []),
    ...(config.expected_object ? [[t('issue.object'), config.expected_object] as [string, string]] : []),
    ...metadata,
    ...Object.entries(answers).map(([key, { value }]): [string, string] => [key, value]),
  ];
  if (facts.length === 0 && narrative === undefined) return null;
  return (
    <section aria-label={t('review.told')} className="stack">
      <h2>{t('review.told')}</h2>
      {narrative && <blockquote>{narrative}</blockquote>}
      <dl className="measured roomy">
        {facts.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd className="words">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
