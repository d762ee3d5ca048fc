import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { useWords } from '../../base/language.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Icon, type IconName } from '../../base/parts/icon.tsx';
import { Section } from '../../base/parts/section.tsx';

interface Moment {
  at: string;
  icon: IconName;
  text: string;
}

/** Everything that happened, oldest first, with the time between. */
export function Timeline({ verification }: { verification: Verification }) {
  const { t } = useWords();
  const { exactly, span } = useMoments();
  const moments = useHistory(verification);
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

/** What happened, and the end that an open verification will have, oldest first. */
function useHistory(verification: Verification): Moment[] {
  const { t } = useWords();
  const { status, captures, answers = {}, progress, verdict, created_at, completed_at } = verification;
  const { cancelled_at, redacted_at } = verification;
  const moments: Moment[] = [{ at: created_at, icon: 'plus', text: t('timeline.created') }];
  for (const [index, { created_at: at, source, step_key: step }] of captures.entries()) {
    const icon = source === 'live' ? 'camera' : 'gallery';
    moments.push({ at, icon, text: t(`timeline.${source}`, { n: index + 1, step }) });
  }
  for (const [step, { answered_at }] of Object.entries(answers))
    moments.push({ at: answered_at, icon: 'text', text: t('timeline.answered', { step }) });
  if (progress) moments.push({ at: progress.updated_at, icon: 'phone', text: t(`progress.${progress.step}`) });
  if (completed_at) {
    const text = verdict ? t('timeline.verdict', { verdict: t(`verdict.${verdict.label}`) }) : t('timeline.ended');
    moments.push({ at: completed_at, icon: 'seal', text });
  }
  if (cancelled_at) moments.push({ at: cancelled_at, icon: 'cross', text: t('status.cancelled') });
  if (redacted_at) moments.push({ at: redacted_at, icon: 'lock', text: t('timeline.redacted') });
  const open = ['pending', 'partially_captured', 'abandoned'].includes(status);
  if (open || (status === 'expired' && !cancelled_at)) {
    const text = t(open ? 'timeline.willExpire' : 'timeline.expired');
    moments.push({ at: verification.expires_at, icon: 'time', text });
  }
  return moments.sort((a, b) => a.at.localeCompare(b.at));
}
