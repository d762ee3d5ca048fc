import { useFieldArray } from 'react-hook-form';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { Line, type RequestForm } from './line.tsx';
import { NEW_STEP } from './values.ts';

const MOST = 20;

/** The photos, files and answers to ask for, in order. */
export function StepEditor({ form }: { form: RequestForm }) {
  const { t } = useWords();
  const { fields, append, remove, swap } = useFieldArray({ control: form.control, name: 'steps' });
  const steps = form.watch('steps');
  const fault = form.formState.errors.steps;
  const freeKey = () => {
    const taken = new Set(form.getValues('steps').map(step => step.key));
    for (let n = fields.length + 1; ; n += 1) if (!taken.has(`photo_${n}`)) return `photo_${n}`;
  };
  return (
    <>
      <ol className="steps">
        {fields.map((field, index) => {
          const type = steps[index]?.type ?? 'image';
          const place = `steps.${index}` as const;
          const errors = fault?.[index];
          return (
            <li key={field.id} className="step">
              <div className="step-head">
                <strong>{index + 1}</strong>
                <label>
                  <span className="unseen">{t('step.type', { n: index + 1 })}</span>
                  <select className="input" {...form.register(`${place}.type`)}>
                    {(['image', 'upload', 'text'] as const).map(name => (
                      <option key={name} value={name}>
                        {t(`step.${name}`)}
                      </option>
                    ))}
                  </select>
                </label>
                <span className="step-acts">
                  <Button
                    weight="plain"
                    slim
                    isDisabled={index === 0}
                    aria-label={t('step.up', { n: index + 1 })}
                    onPress={() => swap(index, index - 1)}
                  >
                    <Icon name="up" />
                  </Button>
                  <Button
                    weight="plain"
                    slim
                    isDisabled={index === fields.length - 1}
                    aria-label={t('step.down', { n: index + 1 })}
                    onPress={() => swap(index, index + 1)}
                  >
                    <Icon name="down" />
                  </Button>
                  <Button
                    weight="plain"
                    slim
                    isDisabled={fields.length === 1}
                    aria-label={t('step.remove', { n: index + 1 })}
                    onPress={() => remove(index)}
                  >
                    <Icon name="cross" />
                  </Button>
                </span>
              </div>
              <Line
                form={form}
                name={`${place}.description`}
                label={t('step.description')}
                hint={t('step.descriptionHint')}
                maxLength={500}
              />
              <div className="step-more">
                <Line form={form} name={`${place}.key`} label={t('step.key')} maxLength={64} />
                {type === 'text' ? (
                  <>
                    <label className="field">
                      <span className="label">{t('step.format')}</span>
                      <select className="input" {...form.register(`${place}.format`)}>
                        {(['free_text', 'numeric_id', 'alphanumeric_id'] as const).map(name => (
                          <option key={name} value={name}>
                            {t(`step.${name}`)}
                          </option>
                        ))}
                      </select>
                    </label>
                    <label className="switch">
                      <input type="checkbox" {...form.register(`${place}.required`)} />
                      <span>{t('step.required')}</span>
                    </label>
                  </>
                ) : (
                  (['min', 'max'] as const).map(end => (
                    <label key={end} className="field count">
                      <span className="label">{t(`step.${end}`)}</span>
                      <input
                        type="number"
                        className="input"
                        min={end === 'min' ? 0 : 1}
                        max={MOST}
                        aria-invalid={errors?.[end] ? true : undefined}
                        {...form.register(`${place}.${end}`, { valueAsNumber: true })}
                      />
                      {errors?.[end] && <span className="fault">{errors[end].message}</span>}
                    </label>
                  ))
                )}
              </div>
            </li>
          );
        })}
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
