import type { CaseAnalysis as Analysis, Capture, Verification } from '@firsthand/contract/verification/verification.ts';
import type { ReactNode } from 'react';
import { useWords } from '../../base/language.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Icon } from '../../base/parts/icon.tsx';
import { Section } from '../../base/parts/section.tsx';
import { Facts } from '../../base/parts/shown.tsx';
import { useFileFacts } from './file-facts.ts';
import '../why/why.css';
import './facts.css';

/** The independent checks; they stand beside the verdict and never change it. */
export function Checks({ verification }: { verification: Verification }) {
  const { t, number } = useWords();
  const { object_match, condition, location_match, instructions_found } = verification;
  if (!object_match && !condition && !location_match && !instructions_found) return null;
  const byProgram = verification.captures.some(capture => capture.location_source === 'program');
  return (
    <section className="checks stack" aria-label={t('checks.title')}>
      <h2>{t('checks.title')}</h2>
      <ul className="findings">
        {instructions_found && (
          <Check good={false}>
            <h3>{t('checks.instructions')}</h3>
            <p>
              {t('checks.instructionsText', {
                checks: instructions_found.map(name => t(`instructed.${name}`)).join(', '),
              })}
            </p>
          </Check>
        )}
        {location_match && (
          <Check good={location_match.result === 'verified'} grave={location_match.result === 'rejected'}>
            <h3>{t('checks.location')}</h3>
            <p>{t(`location.${location_match.result}`)}</p>
            {byProgram && <p>{t('location.byProgram')}</p>}
            <p className="soft small">{location_match.expected_location}</p>
          </Check>
        )}
        {object_match && (
          <Check good={object_match.status === 'match'} unknown={object_match.status === 'inconclusive'}>
            <h3>{t('checks.object')}</h3>
            <p>{t(`object.${object_match.status}`, { object: object_match.expected_object })}</p>
          </Check>
        )}
        {condition && (
          <Check good={condition.label === 'good'}>
            <h3>{t('checks.condition')}</h3>
            <p>{t(`condition.${condition.label}`, { score: number(condition.score, { maximumFractionDigits: 1 }) })}</p>
            <ul className="small">
              {condition.aspects.map(aspect => (
                <li key={aspect.name}>
                  <strong>
                    {aspect.name} {number(aspect.score, { maximumFractionDigits: 1 })}
                  </strong>{' '}
                  <span className="soft">{aspect.reasoning}</span>
                </li>
              ))}
            </ul>
          </Check>
        )}
      </ul>
    </section>
  );
}

interface CheckProps {
  good: boolean;
  grave?: boolean;
  unknown?: boolean;
  children: ReactNode;
}

const Check = ({ good, grave = false, unknown = false, children }: CheckProps) => (
  <li className={`finding ${unknown ? '' : good ? 'verified' : grave ? 'failed' : 'doubtful'}`}>
    <Icon name={unknown ? 'time' : good ? 'check' : grave ? 'cross' : 'doubt'} />
    <div>{children}</div>
  </li>
);

/** The person's answers, and the seal that proves them unchanged. */
export function Answers({ verification }: { verification: Verification }) {
  const { t } = useWords();
  const { exactly } = useMoments();
  const answers = Object.entries(verification.answers ?? {});
  const seal = verification.record_seal;
  if (answers.length === 0 && !seal) return null;
  const described = (key: string) => verification.config.steps.find(step => step.key === key)?.description || key;
  return (
    <Section title={t('answers.title')} intro={t('answers.intro')}>
      <Facts
        look="measured roomy"
        value="words"
        facts={answers.map(([key, { value, answered_at }]) => [
          described(key),
          <>
            <strong>{value}</strong> <span className="soft">{exactly(answered_at)}</span>
          </>,
        ])}
      />
      {seal && (
        <p className="soft small seal">
          <Icon name="seal" />
          <span>
            {t('answers.seal')} <code>{seal.hash}</code>
          </span>
        </p>
      )}
    </Section>
  );
}

/** Facts from the file itself. All of them may be forged. */
export function FileFacts({ capture, credential }: { capture: Capture; credential: string | null }) {
  const { t } = useWords();
  const factsOf = useFileFacts();
  return (
    <Section title={t('file.title')} intro={t('file.intro')}>
      <Facts
        look="measured roomy"
        value="words"
        facts={factsOf(capture).map(({ label, value, code }) => [
          label,
          code ? <code key={value}>{value}</code> : value,
        ])}
      />
      {credential !== null && (
        <p>
          <a className="button quiet slim" href={credential}>
            <Icon name="download" />
            {t('file.credential')}
          </a>
        </p>
      )}
    </Section>
  );
}

/** The deeper look over all photos and the claimant's narrative. */
export function CaseAnalysis({ verification, analysis }: { verification: Verification; analysis: Analysis }) {
  const { t, number } = useWords();
  const percent = (value: number) => number(value, { style: 'percent', maximumFractionDigits: 0 });
  const dimensions = Object.entries(analysis.dimensions) as [
    keyof Analysis['dimensions'],
    { score: number; evidence: string; concerns?: string[] },
  ][];
  return (
    <Section
      title={t('analysis.title')}
      intro={t('analysis.intro', {
        risk: percent(analysis.overall_risk_score),
        confidence: percent(analysis.confidence),
        priority: t(`priority.${analysis.review_priority}`),
      })}
    >
      {verification.narrative && <blockquote>{verification.narrative}</blockquote>}
      <ul className="dimensions">
        {dimensions.map(([name, { score, evidence, concerns = [] }]) => (
          <li key={name}>
            <h3>
              {t(`dimension.${name}`)} <span className="soft">{percent(score)}</span>
            </h3>
            <p className="small">{evidence}</p>
            {concerns.map(concern => (
              <p key={concern} className="small concern">
                <Icon name="doubt" />
                {concern}
              </p>
            ))}
          </li>
        ))}
      </ul>
      {analysis.uncertainty_areas.length > 0 && (
        <details className="more">
          <summary>{t('analysis.uncertain')}</summary>
          <ul className="plain small soft">
            {analysis.uncertainty_areas.map(area => (
              <li key={area}>{area}</li>
            ))}
          </ul>
        </details>
      )}
      <p className="soft small">{t('analysis.model', { model: analysis.model })}</p>
    </Section>
  );
}
