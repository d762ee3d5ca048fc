import type { IconName } from '@firsthand/look/drawings.ts';
import { Icon } from '@firsthand/look/marks.tsx';
import type { CaptureView, Step } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { fillingOf, type Held, isRequired } from '../flow.ts';
import { openUntil } from '../i18n.ts';
import { usePage } from '../page-context.ts';
import { InApp, lacksCamera } from './in-app.tsx';
import { Note, Press, Screen } from './parts.tsx';

const STEP_ICONS: Record<Step['type'], IconName> = { image: 'camera', text: 'text', upload: 'gallery' };
const STEP_WORDS = { image: 'landing.stepPhoto', text: 'landing.stepText', upload: 'landing.stepUpload' } as const;

type Props = { view: CaptureView; held: Held; onStart: () => void };

export function Landing({ view, held, onStart }: Props): JSX.Element {
  const { t, platform } = usePage();
  const title = useTitle(view);
  const resumed = held.captures.length;
  if (asksForCamera(view) && lacksCamera(platform)) {
    return (
      <InApp
        actions={
          <Press look="quiet" onClick={onStart}>
            {t('inapp.stay')}
          </Press>
        }
      />
    );
  }
  return (
    <Screen
      name="landing"
      title={title}
      lead={t('landing.lead')}
      actions={<Press onClick={onStart}>{t(resumed > 0 ? 'landing.resume' : 'landing.start')}</Press>}
    >
      {resumed > 0 && (
        <p class="banner verified" role="status">
          <Icon name="check" />
          {t('landing.resumed', { n: resumed })}
        </p>
      )}
      <AskedList {...{ view, held }} />
      <Notes view={view} />
    </Screen>
  );
}

/** What is asked for, with a check beside what is there. */
export function AskedList({ view, held }: Pick<Props, 'view' | 'held'>): JSX.Element {
  const { t } = usePage();
  return (
    <section aria-labelledby="asked">
      <h2 id="asked" class="unseen">
        {t('landing.steps')}
      </h2>
      <ol class="card asked">
        {view.config.steps.map(step => (
          <Asked key={step.key} {...{ view, held, step }} />
        ))}
      </ol>
    </section>
  );
}

export const asksForCamera = ({ config }: CaptureView): boolean => config.steps.some(step => step.type === 'image');

/** Who asks, and for how many photos. */
function useTitle({ config: { steps } }: CaptureView): string {
  const { t, brand } = usePage();
  const name = brand?.name ?? '';
  if (!steps.every(step => step.type === 'image'))
    return t(brand ? 'landing.titleFew' : 'landing.titleFewPlain', { name });
  const required = steps.reduce((sum, step) => sum + step.min, 0);
  return t(brand ? 'landing.title' : 'landing.titlePlain', { n: required || steps.length, name });
}

function Asked({ view, held, step }: Omit<Props, 'onStart'> & { step: Step }): JSX.Element {
  const { t, describe } = usePage();
  const filling = fillingOf(view, step, held);
  const done = filling.needed === 0 && filling.sent + filling.held > 0;
  return (
    <li>
      <Icon name={done ? 'check' : STEP_ICONS[step.type]} />
      <span>
        <bdi>{describe(step) || t(STEP_WORDS[step.type])}</bdi>
        {step.type !== 'text' && step.max > 1 && step.min > 1 && (
          <span class="soft"> · {t('common.photos', { n: step.min })}</span>
        )}
        {!isRequired(step) && <span class="soft"> · {t('common.optional')}</span>}
      </span>
    </li>
  );
}

function Notes({ view }: { view: CaptureView }): JSX.Element {
  const page = usePage();
  const { t, brand, trial } = page;
  return (
    <div class="notes stack">
      {asksForCamera(view) && !trial && (
        <Note icon="camera" title={t('landing.cameraTitle')}>
          {t('landing.camera')}
        </Note>
      )}
      <Note icon="lock" title={t('landing.privacyTitle')}>
        {trial ? t('trial.privacy') : t('landing.privacy', { name: brand?.name ?? t('common.requester') })}
      </Note>
      {view.requires.location && <Note icon="place">{t('landing.location')}</Note>}
      <Note icon="time">{openUntil(page, view.expires_at)}</Note>
    </div>
  );
}
