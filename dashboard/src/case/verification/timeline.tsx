import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { useWords } from '../../base/language.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Icon, type IconName } from '../../base/parts/icon.tsx';
import { Section } from '../../base/parts/page.tsx';

interface Moment {
  at: string;
  icon: IconName;
  text: string;
}

/** Everything that happened, oldest first, with the time between. */
export function Timeline({ verification }: { verification: Verification }) {
  const { t } = useWords();
  const { exactly, span } = useMoments();
  const { status, captures, answers = {}, progress, verdict, redacted_at } = verification;
  const open = ['pending', 'partially_captured', 'abandoned'].includes(status);
  const all: Moment[] = [
    { at: verification.created_at, icon: 'plus', text: t('timeline.created') },
    ...captures.map(
      (capture, index): Moment => ({
        at: capture.created_at,
        icon: capture.source === 'live' ? 'camera' : 'gallery',
        text: t(`timeline.${capture.source}`, { n: index + 1, step: capture.step_key }),
      }),
    ),
    ...Object.entries(answers).map(
      ([key, { answered_at }]): Moment => ({
        at: answered_at,
        icon: 'text',
        text: t('timeline.answered', { step: key }),
      }),
    ),
    ...(progress
      ? [{ at: progress.updated_at, icon: 'phone', text: t(`progress.${progress.step}`) } satisfies Moment]
      : []),
    ...(verification.completed_at
      ? [
          {
            at: verification.completed_at,
            icon: 'seal',
            text: verdict ? t('timeline.verdict', { verdict: t(`verdict.${verdict.label}`) }) : t('timeline.ended'),
          } satisfies Moment,
        ]
      : []),
    ...(redacted_at ? [{ at: redacted_at, icon: 'lock', text: t('timeline.redacted') } satisfies Moment] : []),
    ...(open || status === 'expired'
      ? [
          {
            at: verification.expires_at,
            icon: 'time',
            text: t(open ? 'timeline.willExpire' : 'timeline.expired'),
          } satisfies Moment,
        ]
      : []),
  ];
  const moments = all.sort((a, b) => a.at.localeCompare(b.at));
  return (
    <Section title={t('timeline.title')}>
      <ol className="timeline">
        {moments.map((moment, index) => {
          const before = moments[index - 1];
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two moments can be alike
            <li key={index}>
              <Icon name={moment.icon} />
              <span className="timeline-text">{moment.text}</span>
              <time className="soft small" dateTime={moment.at}>
                {exactly(moment.at)}
                {before && ` · +${span(Date.parse(moment.at) - Date.parse(before.at))}`}
              </time>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
