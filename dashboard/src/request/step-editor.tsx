import { LANGUAGE_NAMES, LANGUAGES, type Language, languageOf } from '@firsthand/contract/base/languages.ts';
import { TEXT_FORMAT_NAMES } from '@firsthand/contract/capture/text-formats.ts';
import { useFieldArray } from 'react-hook-form';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { Icon, type IconName } from '../base/parts/icon.tsx';
import { SelectField } from '../base/parts/select-field.tsx';
import { ExampleField } from './example-field.tsx';
import { Line, type RequestForm } from './line.tsx';
import { NEW_STEP } from './values.ts';

const MOST = 20;

/** The photos, files and answers to ask for, in order. */
export function StepEditor({ form }: { form: RequestForm }) {
  const { t } = useWords();
  const { fields, append, remove, swap } = useFieldArray({ control: form.control, name: 'steps' });
  const fault = form.formState.errors.steps;
  const freeKey = () => {
    const taken = new Set(form.getValues('steps').map(step => step.key));
    for (let n = fields.length + 1; ; n += 1) if (!taken.has(`photo_${n}`)) return `photo_${n}`;
  };
  return (
    <>
      <ol className="steps">
        {fields.map((field, index) => (
          <StepItem
            key={field.id}
            form={form}
            index={index}
            total={fields.length}
            onMove={to => swap(index, to)}
            onRemove={() => remove(index)}
          />
        ))}
      </ol>
      {typeof fault?.message === 'string' && <p className="fault">{fault.message}</p>}
      {typeof fault?.root?.message === 'string' && <p className="fault">{fault.root.message}</p>}
      <div className="toolbar">
        <Button slim isDisabled={fields.length >= MOST} onPress={() => append({ ...NEW_STEP, key: freeKey() })}>
          <Icon name="plus" />
          {t('step.add')}
        </Button>
      </div>
    </>
  );
}

interface StepProps {
  form: RequestForm;
  index: number;
}

interface StepItemProps extends StepProps {
  total: number;
  onMove: (to: number) => void;
  onRemove: () => void;
}

function StepItem({ form, index, total, onMove, onRemove }: StepItemProps) {
  const { t } = useWords();
  const place = `steps.${index}` as const;
  const n = index + 1;
  return (
    <li className="step">
      <div className="step-head">
        <strong>{n}</strong>
        <label>
          <span className="unseen">{t('step.type', { n })}</span>
          <select className="input" {...form.register(`${place}.type`)}>
            {(['image', 'upload', 'text'] as const).map(name => (
              <option key={name} value={name}>
                {t(`step.${name}`)}
              </option>
            ))}
          </select>
        </label>
        <span className="step-actions">
          <Small icon="up" label={t('step.up', { n })} off={index === 0} onPress={() => onMove(index - 1)} />
          <Small icon="down" label={t('step.down', { n })} off={n === total} onPress={() => onMove(index + 1)} />
          <Small icon="cross" label={t('step.remove', { n })} off={total === 1} onPress={onRemove} />
        </span>
      </div>
      <Line
        form={form}
        name={`${place}.description`}
        label={t('step.description')}
        hint={t('step.descriptionHint')}
        maxLength={500}
      />
      <Translations form={form} index={index} />
      {form.watch(`${place}.type`) !== 'text' && (
        <ExampleField
          n={n}
          value={form.watch(`${place}.example_picture`)}
          fault={form.formState.errors.steps?.[index]?.example_picture?.message}
          onChange={sha256 => {
            form.setValue(`${place}.example_picture`, sha256, { shouldDirty: true });
            form.clearErrors(`${place}.example_picture`);
          }}
        />
      )}
      <div className="step-more">
        <Line form={form} name={`${place}.key`} label={t('step.key')} maxLength={64} />
        {form.watch(`${place}.type`) === 'text' ? (
          <AnswerFields form={form} index={index} />
        ) : (
          <CountFields form={form} index={index} />
        )}
      </div>
    </li>
  );
}

/** What the person reads, in other languages. Who reads none of them gets the line above. */
function Translations({ form, index }: StepProps) {
  const { t } = useWords();
  const { fields, append, remove } = useFieldArray({ control: form.control, name: `steps.${index}.translations` });
  const taken = fields.map(({ language }) => language);
  const free = LANGUAGE_NAMES.filter(name => !taken.includes(name));
  return (
    <>
      {fields.map(({ id, language }, n) => {
        const name = languageOf(language) === language ? LANGUAGES[language as Language] : language;
        return (
          <div key={id} className="translation">
            <Line
              form={form}
              name={`steps.${index}.translations.${n}.text`}
              label={t('step.descriptionIn', { language: name })}
              maxLength={500}
            />
            <Small
              icon="cross"
              label={t('step.removeLanguage', { language: name })}
              off={false}
              onPress={() => remove(n)}
            />
          </div>
        );
      })}
      {free.length > 0 && (
        <SelectField
          label={t('step.addLanguage', { n: index + 1 })}
          slim
          options={[['', t('step.chooseLanguage')], ...free.map(name => [name, LANGUAGES[name]] as const)]}
          value=""
          onChosen={language => language && append({ language, text: '' })}
        />
      )}
    </>
  );
}

interface SmallProps {
  icon: IconName;
  label: string;
  off: boolean;
  onPress: () => void;
}

const Small = ({ icon, label, off, onPress }: SmallProps) => (
  <Button weight="plain" slim isDisabled={off} aria-label={label} onPress={onPress}>
    <Icon name={icon} />
  </Button>
);

/** What an answer in words looks like, and whether it is needed. */
function AnswerFields({ form, index }: StepProps) {
  const { t } = useWords();
  const place = `steps.${index}` as const;
  return (
    <>
      <SelectField
        label={t('step.format')}
        options={TEXT_FORMAT_NAMES.map(name => [name, t(`step.${name}`)] as const)}
        {...form.register(`${place}.format`)}
      />
      <label className="switch">
        <input type="checkbox" {...form.register(`${place}.required`)} />
        <span>{t('step.required')}</span>
      </label>
    </>
  );
}

/** How many pictures, at least and at most. */
function CountFields({ form, index }: StepProps) {
  const { t } = useWords();
  const errors = form.formState.errors.steps?.[index];
  return (['min', 'max'] as const).map(end => (
    <label key={end} className="field count">
      <span className="label">{t(`step.${end}`)}</span>
      <input
        type="number"
        className="input"
        min={end === 'min' ? 0 : 1}
        max={MOST}
        aria-invalid={errors?.[end] ? true : undefined}
        {...form.register(`steps.${index}.${end}`, { valueAsNumber: true })}
      />
      {errors?.[end] && <span className="fault">{errors[end].message}</span>}
    </label>
  ));
}
