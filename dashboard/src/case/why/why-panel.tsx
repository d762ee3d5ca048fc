import { SIGNAL_NAMES } from '@firsthand/contract/verification/signals.ts';
import type { Capture, Verification } from '@firsthand/contract/verification/verification.ts';
import { Link } from 'wouter';
import { useWords } from '../../base/language.tsx';
import { Icon, type IconName } from '../../base/parts/icon.tsx';
import { type Fact, Facts } from '../../base/parts/shown.tsx';
import { Notice } from '../../base/parts/states.tsx';
import type { Part } from '../photo/view.ts';
import { CameraSession } from './camera-session.tsx';
import { type Finding, findingsOf, type Match } from './findings.ts';
import { Odds } from './odds.tsx';
import './why.css';

const REASONS = [
  'no_context',
  'no_model',
  'not_enough_movement',
  'not_enough_matches',
  'no_second_frame',
  'too_small_or_dark',
  'too_small',
  'too_dark',
  'too_plain',
  'nothing_to_search',
  'engine_unavailable',
  'no_session',
  'session_inconclusive',
  'analysis_error',
] as const;
const isReason = (word: string): word is (typeof REASONS)[number] => (REASONS as readonly string[]).includes(word);

const LOOK: Record<Finding['state'], [IconName, string]> = {
  clear: ['check', 'verified'],
  doubtful: ['doubt', 'doubtful'],
  confident: ['cross', 'failed'],
  not_evaluated: ['time', ''],
  not_applicable: ['right', ''],
};

/** No mark of a generator proves nothing: no sign of success stands beside it. */
const lookOf = ({ signal, state }: Finding) =>
  signal === 'ai' && state === 'clear' ? LOOK.not_applicable : LOOK[state];

const wordsOf = ({ signal, state, source, byModel }: Finding) => {
  if (byModel) return 'finding.ai.model';
  if (state !== 'clear' && source === 'attestation') return 'finding.attestation';
  if (state !== 'clear' && source === 'camera_session') return 'finding.session';
  return `finding.${signal}.${state}` as const;
};

interface Pointing {
  /** Lights parts of the photo while the pointer or the focus is on their line. */
  onLight: (parts: readonly Part[]) => void;
  /** Zooms to a part. */
  onShow: (part: Part) => void;
}

interface WhyPanelProps extends Pointing {
  verification: Verification;
  capture: Capture | undefined;
}

/** Why the verdict is what it is: every signal of one photo in words, what it was told by, and what was not looked at. */
export function WhyPanel({ verification, capture, onLight, onShow }: WhyPanelProps) {
  const { t } = useWords();
  const findings = capture ? findingsOf(capture) : [];
  const notAsked = SIGNAL_NAMES.filter(name => !verification.config.signals_required.includes(name)).map(name =>
    t(`signal.${name}`),
  );
  const forced = !verification.livemode ? verification.config.metadata?.test_outcome : undefined;
  return (
    <section className="why stack" aria-label={t('why.title')}>
      <h2>{t('why.title')}</h2>
      {forced !== undefined && (
        <Notice look="info" icon="lens">
          {t('why.forced', { outcome: forced })}
        </Notice>
      )}
      {findings.length === 0 && <p className="soft small">{t(capture ? 'why.notYet' : 'why.noPhoto')}</p>}
      <ul className="findings">
        {findings.map(finding => (
          <FindingItem
            key={finding.signal}
            finding={finding}
            photo={`${verification.id}/${capture?.id}`}
            onLight={onLight}
            onShow={onShow}
          />
        ))}
      </ul>
      {capture?.presence && <CameraSession presence={capture.presence} />}
      {capture && notAsked.length > 0 && (
        <p className="soft small">{t('why.notAsked', { signals: notAsked.join(', ') })}</p>
      )}
    </section>
  );
}

/** One signal. `photo`: the photo as the page that compares names it. */
function FindingItem({ finding, photo, onLight, onShow }: { finding: Finding; photo: string } & Pointing) {
  const { t } = useWords();
  const { signal, missing, explained, probability, matches } = finding;
  const [icon, meaning] = lookOf(finding);
  return (
    <li className={`finding ${meaning}`}>
      <Icon name={icon} />
      <div>
        <h3>{t(`signal.${signal}`)}</h3>
        <p>{t(wordsOf(finding))}</p>
        {missing !== undefined && (
          <p className="soft small">
            {t('why.missing', { why: isReason(missing) ? t(`why.not.${missing}`) : missing })}
            {explained?.unanswered?.chosen_by === 'sender' && ` ${t('why.bySender')}`}
          </p>
        )}
        {explained ? (
          <Odds explained={explained} onLight={onLight} onShow={onShow} />
        ) : (
          probability !== undefined && <Scale probability={probability} />
        )}
        {matches.length > 0 && <Matches matches={matches} own={photo} />}
        {finding.evidence.length > 0 && <Measured finding={finding} />}
      </div>
    </li>
  );
}

/** The numbers behind a finding, folded away. */
function Measured({ finding: { probability, evidence } }: { finding: Finding }) {
  const { t, number } = useWords();
  const facts: Fact[] = [
    ...(probability === undefined
      ? []
      : [[t('why.probability'), number(probability, { maximumFractionDigits: 3 })] as const]),
    ...evidence,
  ];
  return (
    <details>
      <summary>{t('why.measured')}</summary>
      <Facts facts={facts} look="measured" />
    </details>
  );
}

/** Where a probability lies between none and certain. */
function Scale({ probability }: { probability: number }) {
  const { t, number } = useWords();
  const said = number(probability, { style: 'percent', maximumFractionDigits: 1 });
  return (
    <svg
      className="scale"
      viewBox="0 0 200 12"
      role="img"
      aria-label={t('why.scale', { p: said })}
      preserveAspectRatio="none"
    >
      <rect className="scale-way" x="0" y="4" width="200" height="4" rx="2" />
      <rect className="scale-part" x="0" y="4" width={Math.max(2, probability * 200)} height="4" rx="2" />
    </svg>
  );
}

const isWeb = (url: string) => URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);

/** Pictures found elsewhere. `own`: this photo, as the page that compares names it. */
function Matches({ matches, own }: { matches: readonly Match[]; own: string }) {
  const { t } = useWords();
  return (
    <ul className="matches small">
      {matches.map((match, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: finds have no id and never move
        <li key={index}>
          {match.verification_id !== undefined ? (
            <>
              <Link href={`/verifications/${match.verification_id}`}>{t('why.earlier')}</Link> ·{' '}
              <Link href={`/compare?${new URLSearchParams({ a: own, b: match.verification_id })}`}>
                {t('page.compare')}
              </Link>
            </>
          ) : match.url !== undefined && isWeb(match.url) ? (
            <a href={match.url} target="_blank" rel="noreferrer noopener">
              {new URL(match.url).hostname}
            </a>
          ) : (
            (match.label ?? match.source)
          )}
        </li>
      ))}
    </ul>
  );
}
