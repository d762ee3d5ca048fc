import type { IconName } from '@firsthand/look/drawings.ts';
import { Icon } from '@firsthand/look/marks.tsx';
import type { CaptureView, Step } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { fillingOf, type Held, isRequired } from '../flow.ts';
import { openUntil } from '../i18n.ts';
import { usePage } from '../page-context.ts';
import { InApp, lacksCamera } from './in-app.tsx';
import { Note, Screen } from './parts.tsx';

const STEP_ICONS: Record<Step['type'], IconName> = { image: 'camera', text: 'text', upload: 'gallery' };
const STEP_WORDS = { image: 'landing.stepPhoto', text: 'landing.stepText', upload: 'landing.stepUpload' } as const;

export function Landing(props: { view: CaptureView; held: Held; onStart: () => void }): JSX.Element {
  const page = usePage();
  const { t, brand, platform, trial } = page;
  const { steps } = props.view.config;
  const photosOnly = steps.every(step => step.type === 'image');
  const camera = steps.some(step => step.type === 'image');
  const required = steps.reduce((sum, step) => sum + (step.type === 'text' ? 0 : step.min), 0);
  const n = required || steps.length;
  const name = brand?.name ?? '';
  const title = photosOnly
    ? t(brand ? 'landing.title' : 'landing.titlePlain', { n, name })
    : t(brand ? 'landing.titleFew' : 'landing.titleFewPlain', { name });
  const resumed = props.held.captures.length;

  if (camera && lacksCamera(platform)) {
    return (
      <InApp
        actions={
          <button type="button" class="button quiet" onClick={props.onStart}>
            {t('inapp.stay')}
          </button>
        }
      />
    );
  }
  return (
    <Screen
      name="landing"
      title={title}
      lead={t('landing.lead')}
      actions={
        <button type="button" class="button" onClick={props.onStart}>
          {t(resumed > 0 ? 'landing.resume' : 'landing.start')}
        </button>
      }
    >
      {resumed > 0 && (
        <p class="banner" role="status">
          <Icon name="check" />
          {t('landing.resumed', { n: resumed })}
        </p>
      )}
      <section aria-labelledby="asked">
        <h2 id="asked" class="unseen">
          {t('landing.steps')}
        </h2>
        <ol class="card asked">
          {steps.map(step => {
            const filling = fillingOf(props.view, step, props.held);
            const done = filling.needed === 0 && filling.sent + filling.held > 0;
            return (
              <li key={step.key}>
                <Icon name={done ? 'check' : STEP_ICONS[step.type]} />
                <span>
                  <bdi>{step.description || t(STEP_WORDS[step.type])}</bdi>
                  {step.type !== 'text' && step.max > 1 && step.min > 1 && (
                    <span class="soft"> · {t('common.photos', { n: step.min })}</span>
                  )}
                  {!isRequired(step) && <span class="soft"> · {t('common.optional')}</span>}
                </span>
              </li>
            );
          })}
        </ol>
      </section>
      <div class="notes">
        {camera && !trial && (
          <Note icon="camera" title={t('landing.cameraTitle')}>
            {t('landing.camera')}
          </Note>
        )}
        <Note icon="lock" title={t('landing.privacyTitle')}>
          {trial ? t('trial.privacy') : t('landing.privacy', { name: brand?.name ?? t('common.requester') })}
        </Note>
        {props.view.requires.location && <Note icon="place">{t('landing.location')}</Note>}
        <Note icon="time">{openUntil(page, props.view.expires_at)}</Note>
      </div>
    </Screen>
  );
}
