import { SIGNAL_NAMES } from '@firsthand/contract/verification/signals.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useQuery } from '@tanstack/react-query';
import { type FieldPath, useFieldArray } from 'react-hook-form';
import type { Translator } from '../base/i18n.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { Section } from '../base/parts/section.tsx';
import { SelectField } from '../base/parts/select-field.tsx';
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

/** Faults that have no field. */
export const Faults = ({ faults }: { faults: readonly string[] }) =>
  faults.map(fault => (
    <p key={fault} className="fault">
      {fault}
    </p>
  ));

interface RequestFieldsProps {
  form: RequestForm;
  /** Whether the request is for one person; a template is for many. */
  person: boolean;
}

interface PartProps {
  form: RequestForm;
}

/** The fields of a request, as the contract has them. */
export function RequestFields({ form, person }: RequestFieldsProps) {
  const { t } = useWords();
  return (
    <>
      <Section title={t('request.steps')} intro={t('request.stepsIntro')}>
        <StepEditor form={form} />
      </Section>
      {person && <PersonFields form={form} />}
      <ExpectedFields form={form} />
      <Options form={form} />
    </>
  );
}

function PersonFields({ form }: PartProps) {
  const { t } = useWords();
  const line = lineOf(form);
  return (
    <Section title={t('request.person')} intro={t('request.personIntro')}>
      <div className="pairs">
        {line('person_name', t('request.name'), 120)}
        {line('person_ref', t('request.ref'), 120, t('request.refHint'))}
        {line('person_email', t('request.email'), 254)}
        {line('person_phone', t('request.phone'), 16, t('code.phoneHint'))}
      </div>
    </Section>
  );
}

/** What the photos should show, where, and what it is about. */
function ExpectedFields({ form }: PartProps) {
  const { t } = useWords();
  const line = lineOf(form);
  return (
    <Section title={t('request.expected')} intro={t('request.expectedIntro')}>
      <div className="pairs">
        {line('expected_object', t('issue.object'), 200, t('request.objectHint'))}
        {line('expected_location', t('request.location'), 300, t('request.locationHint'))}
        {line('condition_aspects', t('request.aspects'), 250, t('request.aspectsHint'))}
        {line('context_kind', t('request.kind'), 64, t('request.kindHint'))}
      </div>
      {line('context_summary', t('request.summary'), 500, t('request.summaryHint'))}
    </Section>
  );
}

/** One line of the form by its name, label and greatest length. */
const lineOf =
  (form: RequestForm) => (name: FieldPath<RequestValues>, label: string, maxLength: number, hint?: string) => (
    <Line form={form} name={name} label={label} maxLength={maxLength} {...(hint === undefined ? {} : { hint })} />
  );

function Options({ form }: PartProps) {
  const { t } = useWords();
  return (
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
      <Delivery form={form} />
      <Metadata form={form} />
    </Section>
  );
}

/** How long the link is open, whose name it carries, and who hears of the result. */
function Delivery({ form }: PartProps) {
  const { t } = useWords();
  const brands = useQuery(BRANDS);
  const line = lineOf(form);
  return (
    <div className="pairs">
      <SelectField
        label={t('request.expires')}
        options={HOURS.map(seconds => [seconds, t('request.hours', { n: seconds / 3_600 })] as const)}
        {...form.register('expires_in_seconds', { valueAsNumber: true })}
      />
      <SelectField
        label={t('request.brand')}
        options={[
          ['', t('request.noBrand')],
          ...(brands.data?.data ?? []).map(brand => [brand.slug, brand.name] as const),
        ]}
        {...form.register('brand_slug')}
      />
      {line('webhook_url', t('request.webhook'), 2_048, t('request.webhookHint'))}
      <SelectField
        label={t('request.notify')}
        options={(['default', 'address', 'off'] as const).map(
          choice => [choice, t(`request.notify.${choice}`)] as const,
        )}
        {...form.register('notify')}
      />
      {form.watch('notify') === 'address' && line('notify_email', t('request.notifyAddress'), 254)}
    </div>
  );
}

function Metadata({ form }: PartProps) {
  const { t } = useWords();
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'metadata' });
  const line = lineOf(form);
  return (
    <div className="stack">
      <h3>{t('request.metadata')}</h3>
      {fields.map((field, index) => (
        <div key={field.id} className="metadata">
          {line(`metadata.${index}.key`, t('request.key'), 40)}
          {line(`metadata.${index}.value`, t('request.value'), 500)}
          <Button weight="plain" aria-label={t('request.removePair', { n: index + 1 })} onPress={() => remove(index)}>
            <Icon name="cross" />
          </Button>
        </div>
      ))}
      <div className="toolbar">
        <Button slim onPress={() => append({ key: '', value: '' })}>
          <Icon name="plus" />
          {t('request.addPair')}
        </Button>
      </div>
    </div>
  );
}
