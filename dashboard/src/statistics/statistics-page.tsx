import type { Statistics, StatisticsBucket } from '@firsthand/contract/statistics/statistics.ts';
import { useLocation, useSearch } from 'wouter';
import { useRead } from '../base/api/read.ts';
import type { MessageKey } from '../base/i18n.ts';
import { useWords } from '../base/language.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { PageTitle } from '../base/parts/page.tsx';
import { Section } from '../base/parts/section.tsx';
import { SelectField } from '../base/parts/select-field.tsx';
import { type Fact, Facts } from '../base/parts/shown.tsx';
import { Empty, Read } from '../base/parts/states.tsx';
import { sumOf } from '../base/today.ts';
import { Agreement } from './agreement.tsx';
import { Bars, StackedBars } from './chart.tsx';
import './statistics.css';

const SPANS = { day: 1, week: 7, month: 30, quarter: 91 } as const;
type Span = keyof typeof SPANS;
const INTERVALS: Record<Span, 'hour' | 'day' | 'week'> = { day: 'hour', week: 'day', month: 'day', quarter: 'week' };
const FUNNEL = ['landing', 'ready', 'camera_blocked', 'capturing', 'reviewing', 'uploading', 'success'] as const;
const HOUR_MS = 3_600_000;

const spanOf = (search: string): Span => {
  const wanted = new URLSearchParams(search).get('span') ?? '';
  return Object.hasOwn(SPANS, wanted) ? (wanted as Span) : 'month';
};

/** Outcomes of the verifications of a span of time, and how long they took. */
export default function StatisticsPage() {
  const { t } = useWords();
  const span = spanOf(useSearch());
  // To the hour, so that the same question is asked once.
  const to = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const asked = {
    from: new Date(to - SPANS[span] * 24 * HOUR_MS).toISOString(),
    to: new Date(to).toISOString(),
    interval: INTERVALS[span],
  };
  const statistics = useRead(['statistics', asked], 'GET /v1/statistics', { query: asked });
  return (
    <div className="wide tall statistics">
      <div className="title-line">
        <PageTitle>{t('page.statistics')}</PageTitle>
        <div className="case-actions">
          <ChooseSpan span={span} />
          <CurlMenu
            requests={[
              { label: t('page.statistics'), to: `GET /v1/statistics?${new URLSearchParams(asked)}` },
              {
                label: t('agreement.title'),
                to: `GET /v1/reviews/agreement?${new URLSearchParams({ since: asked.from })}`,
              },
            ]}
          />
        </div>
      </div>
      <Read query={statistics}>
        {data =>
          sumOf(data.buckets, bucket => bucket.created) === 0 ? (
            <Empty icon="chart" title={t('statistics.none')}>
              <p>{t('statistics.noneText')}</p>
            </Empty>
          ) : (
            <>
              <Numbers statistics={data} interval={asked.interval} />
              <Agreement since={asked.from} />
            </>
          )
        }
      </Read>
    </div>
  );
}

function ChooseSpan({ span }: { span: Span }) {
  const { t } = useWords();
  const [, goTo] = useLocation();
  return (
    <SelectField
      label={t('statistics.span')}
      slim
      options={(Object.keys(SPANS) as Span[]).map(name => [name, t(`span.${name}`)] as const)}
      value={span}
      onChosen={name => goTo(`/statistics?span=${name}`, { replace: true })}
    />
  );
}

const failedOf = ({ rejected_by_signal }: StatisticsBucket): number =>
  Object.values(rejected_by_signal).reduce((total, count) => total + count, 0);

interface NumbersProps {
  statistics: Statistics;
  interval: 'hour' | 'day' | 'week';
}

function Numbers({ statistics, interval }: NumbersProps) {
  const { t } = useWords();
  return (
    <>
      <Figures statistics={statistics} />
      <Outcomes statistics={statistics} interval={interval} />
      <div className="two">
        <Section title={t('statistics.funnel')} intro={t('statistics.funnelIntro')}>
          <Bars rows={FUNNEL.map(step => [t(`progress.${step}`), statistics.funnel[step]] as const)} />
        </Section>
        <Reasons buckets={statistics.buckets} />
      </div>
    </>
  );
}

function Figures({ statistics }: { statistics: Statistics }) {
  const { t, number } = useWords();
  const { span } = useMoments();
  const all = (of: (bucket: StatisticsBucket) => number) => sumOf(statistics.buckets, of);
  const share = (part: number, whole: number) =>
    whole > 0 ? number(part / whole, { style: 'percent', maximumFractionDigits: 1 }) : '–';
  /** The median of the newest bucket that has one: medians cannot be added up. */
  const latest = (of: (bucket: StatisticsBucket) => number | undefined) => {
    const seconds = statistics.buckets.map(of).findLast(value => value !== undefined);
    return seconds === undefined ? '–' : span(seconds * 1_000);
  };
  const created = all(bucket => bucket.created);
  const completed = all(bucket => bucket.completed);
  const reviewed = all(bucket => bucket.reviewed);
  const overridden = all(bucket => bucket.overridden);
  const facts: Fact[] = [
    [t('statistics.created'), number(created)],
    [t('statistics.completed'), share(completed, created)],
    [t('statistics.toCapture'), latest(bucket => bucket.median_seconds_to_capture)],
    [t('statistics.toVerdict'), latest(bucket => bucket.median_seconds_to_verdict)],
    [t('statistics.toReview'), latest(bucket => bucket.median_seconds_to_review)],
    [t('statistics.overridden'), share(overridden, reviewed)],
  ];
  return <Facts facts={facts} look="figures" card />;
}

function Outcomes({ statistics: { buckets }, interval }: NumbersProps) {
  const { t, language } = useWords();
  const format = new Intl.DateTimeFormat(
    language,
    interval === 'hour' ? { weekday: 'short', hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' },
  );
  const seriesOf = (name: MessageKey, look: string, of: (bucket: StatisticsBucket) => number) => ({
    name: t(name),
    look,
    values: buckets.map(of),
  });
  return (
    <Section title={t('statistics.outcomes')}>
      <StackedBars
        title={t('statistics.outcomes')}
        labels={buckets.map(bucket => format.format(new Date(bucket.start)))}
        series={[
          seriesOf('verdict.verified', 'bar-verified', bucket => bucket.verified),
          seriesOf('verdict.suspicious', 'bar-doubtful', bucket => bucket.suspicious),
          seriesOf('verdict.failed', 'bar-failed', failedOf),
          seriesOf('status.ended', 'bar-soft', bucket => bucket.expired),
          seriesOf('status.failed', 'bar-ink', bucket => bucket.failed),
        ]}
      />
    </Section>
  );
}

/** Why verdicts failed, the most frequent reason first. */
function Reasons({ buckets }: Pick<Statistics, 'buckets'>) {
  const { t } = useWords();
  const reasons = new Map<string, number>();
  for (const { rejected_by_signal } of buckets)
    for (const [reason, count] of Object.entries(rejected_by_signal))
      reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  return (
    <Section title={t('statistics.reasons')} intro={t('statistics.reasonsIntro')}>
      {reasons.size === 0 ? (
        <p className="soft small">{t('statistics.noReasons')}</p>
      ) : (
        <Bars
          look="bar-failed"
          rows={[...reasons]
            .sort(([, a], [, b]) => b - a)
            .map(([reason, count]) => [t(`reason.${reason}` as MessageKey) || reason, count] as const)}
        />
      )}
    </Section>
  );
}
