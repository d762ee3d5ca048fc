import { SIGNAL_NAMES } from '@firsthand/contract/verification/signals.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type FieldPath, useFieldArray } from 'react-hook-form';
import type { Translator } from '../base/i18n.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { Section } from '../base/parts/page.tsx';
import { BRANDS } from './brands.ts';
import { faultWords } from './fault-words.ts';
import { Line, type RequestForm } from './line.tsx';
import { StepEditor } from './step-editor.tsx';
import type { RequestValues } from './values.ts';
import './request.css';

const HOURS = [3_600, 14_400, 43_200, 86_400] as const;

/** Where the API's paths are other than the form's. */
const PATHS: Record<string, FieldPath<RequestValues>> = {
  'context.kind': 'context_kind',
  'context.summary': 'context_summary',
  'expected_info.subject.person.name': 'person_name',
  'expected_info.subject.person.email': 'person_email',
  'expected_info.subject.person.phone_e164': 'person_phone',
  'expected_info.subject.person.external_ref': 'person_ref',
};

/** Shows the service's faults beside their fields. Returns those that have no field, to be said above the button. */
export function showFaults(words: Pick<Translator, 't'>, form: RequestForm, error: unknown): string[] {
  if (!(error instanceof ApiError)) return [];
  const known = form.getValues();
  return error.fields.flatMap(fault => {
    const { path } = fault;
    const message = faultWords(words, fault);
    const field = PATHS[path] ?? (path.replace(/^request\./, '') as FieldPath<RequestValues>);
    const first = field.split('.')[0]!;
    if (!(first in known) || first === 'metadata') return [`${path}: ${message}`];
    form.setError(field, { message });
    return [];
  });
}

/** The fields of a request, as the contract has them. `person`: for one person; a template is for many. */
export function RequestFields({ form, person, before }: { form: RequestForm; person: boolean; before?: ReactNode }) {
  const { t } = useWords();
  const brands = useQuery(BRANDS);
  const metadata = useFieldArray({ control: form.control, name: 'metadata' });
  const notify = form.watch('notify');
  return (
    <>
      {before}
      <Section title={t('request.steps')} intro={t('request.stepsIntro')}>
        <StepEditor form={form} />
      </Section>
      {person && (
        <Section title={t('request.person')} intro={t('request.personIntro')}>
          <div className="pairs">
            <Line form={form} name="person_name" label={t('request.name')} maxLength={120} />
            <Line form={form} name="person_ref" label={t('request.ref')} hint={t('request.refHint')} maxLength={120} />
            <Line form={form} name="person_email" label={t('request.email')} maxLength={254} />
            <Line
              form={form}
              name="person_phone"
              label={t('request.phone')}
              hint={t('code.phoneHint')}
              maxLength={16}
            />
          </div>
        </Section>
      )}
      <Section title={t('request.expected')} intro={t('request.expectedIntro')}>
        <div className="pairs">
          <Line
            form={form}
            name="expected_object"
            label={t('issue.object')}
            hint={t('request.objectHint')}
            maxLength={200}
          />
          <Line
            form={form}
            name="expected_location"
            label={t('request.location')}
            hint={t('request.locationHint')}
            maxLength={300}
          />
          <Line
            form={form}
            name="condition_aspects"
            label={t('request.aspects')}
            hint={t('request.aspectsHint')}
            maxLength={250}
          />
          <Line form={form} name="context_kind" label={t('request.kind')} hint={t('request.kindHint')} maxLength={64} />
        </div>
        <Line
          form={form}
          name="context_summary"
          label={t('request.summary')}
          hint={t('request.summaryHint')}
          maxLength={500}
        />
      </Section>
      <Section title={t('request.options')}>
        <fieldset className="checks-line">
          <legend className="label">{t('request.signals')}</legend>
          {SIGNAL_NAMES.map(name => (
            <label key={name} className="switch">
              <input type="checkbox" value={name} {...form.register('signals')} />
              <span>{t(`signal.${name}`)}</span>
            </label>
          ))}
        </fieldset>
        <label className="switch">
          <input type="checkbox" {...form.register('audit')} />
          <span>{t('request.audit')}</span>
        </label>
        <div className="pairs">
          <label className="field">
            <span className="label">{t('request.expires')}</span>
            <select className="input" {...form.register('expires_in_seconds', { valueAsNumber: true })}>
              {HOURS.map(seconds => (
                <option key={seconds} value={seconds}>
                  {t('request.hours', { n: seconds / 3_600 })}
                </option>
              ))}
            </select>
          </label>
          <label className="field">
            <span className="label">{t('request.brand')}</span>
            <select className="input" {...form.register('brand_slug')}>
              <option value="">{t('request.noBrand')}</option>
              {brands.data?.data.map(brand => (
                <option key={brand.slug} value={brand.slug}>
                  {brand.name}
                </option>
              ))}
            </select>
          </label>
          <Line
            form={form}
            name="webhook_url"
            label={t('request.webhook')}
            hint={t('request.webhookHint')}
            maxLength={2_048}
          />
          <label className="field">
            <span className="label">{t('request.notify')}</span>
            <select className="input" {...form.register('notify')}>
              {(['default', 'address', 'off'] as const).map(choice => (
                <option key={choice} value={choice}>
                  {t(`request.notify.${choice}`)}
                </option>
              ))}
            </select>
          </label>
          {notify === 'address' && (
            <Line form={form} name="notify_email" label={t('request.notifyAddress')} maxLength={254} />
          )}
        </div>
        <div className="stack">
          <h3>{t('request.metadata')}</h3>
          {metadata.fields.map((field, index) => (
            <div key={field.id} className="metadata">
              <Line form={form} name={`metadata.${index}.key`} label={t('request.key')} maxLength={40} />
              <Line form={form} name={`metadata.${index}.value`} label={t('request.value')} maxLength={500} />
              <Button
                weight="plain"
                aria-label={t('request.removePair', { n: index + 1 })}
                onPress={() => metadata.remove(index)}
              >
                <Icon name="cross" />
              </Button>
            </div>
          ))}
          <div className="toolbar">
            <Button slim onPress={() => metadata.append({ key: '', value: '' })}>
              <Icon name="plus" />
              {t('request.addPair')}
            </Button>
          </div>
        </div>
      </Section>
    </>
  );
}
