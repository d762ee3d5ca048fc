import { PUBLIC_VERDICTS, type Settings } from '@firsthand/contract/account/management.ts';
import { DEPTH_POLICIES } from '@firsthand/contract/verification/presence.ts';
import { SIGNAL_NAMES, type SignalName } from '@firsthand/contract/verification/signals.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Choice, Switch } from '../../base/parts/choice.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Form } from '../../base/parts/form.tsx';
import { Section } from '../../base/parts/section.tsx';
import { Notice } from '../../base/parts/states.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { SETTINGS } from './settings-key.ts';

const POLICIES = ['none', 'one', 'two_people'] as const;
const MOST_DAYS = 36_500;

/** The rules while a person edits them, what is wrong with them, and the body that saves them. */
function useRules(settings: Settings) {
  const [typed, setTyped] = useState({
    keeps: settings.retention_days === null,
    days: String(settings.retention_days ?? 365),
    policy: settings.review_policy,
    depth: settings.depth_policy,
    shown: settings.public_verdict,
    share: String(Math.round(settings.review_sample * 1_000) / 10),
    own: settings.signals_required !== null,
    signals: (settings.signals_required ?? ['screen', 'ai']) as readonly SignalName[],
  });
  const { keeps, policy, depth, shown, own, signals } = typed;
  const [days, share] = [Number(typed.days), Number(typed.share)];
  const wrong = {
    days: !keeps && !(Number.isInteger(days) && days >= 1 && days <= MOST_DAYS),
    signals: own && signals.length === 0,
    share: typed.share.trim() === '' || !(share >= 0 && share <= 100),
  };
  return {
    typed,
    set: (change: Partial<typeof typed>) => setTyped(before => ({ ...before, ...change })),
    wrong,
    isRight: !wrong.days && !wrong.signals && !wrong.share,
    /** Photos would go sooner than now. */
    isShorter: !keeps && !wrong.days && (settings.retention_days === null || days < settings.retention_days),
    body: {
      retention_days: keeps ? null : days,
      review_policy: policy,
      depth_policy: depth,
      public_verdict: shown,
      review_sample: share / 100,
      signals_required: own ? SIGNAL_NAMES.filter(name => signals.includes(name)) : null,
    },
  };
}

/** How long photos stay, who decides about doubts, and what is checked where a request does not say. */
export function Rules({ settings }: { settings: Settings }) {
  const { t } = useWords();
  const rules = useRules(settings);
  const { typed, set, wrong, body } = rules;
  const [tried, setTried] = useState(false);
  const save = useAction(() => call('PATCH /v1/settings', { body }), {
    refreshes: [SETTINGS],
    says: () => t('settings.saved'),
  });
  const submit = () => {
    setTried(true);
    if (rules.isRight) save.mutate();
  };
  return (
    <Section
      title={t('settings.rules')}
      intro={t('settings.rulesIntro')}
      requests={[{ label: t('settings.saveRules'), to: 'PATCH /v1/settings', body }]}
    >
      <Form label={t('settings.saveRules')} sending={save} onSubmit={submit}>
        <Retention rules={rules} tried={tried} />
        <Choice
          name="policy"
          label={t('settings.review')}
          values={POLICIES}
          nameOf={name => t(`settings.review.${name}`)}
          chosen={typed.policy}
          onChange={policy => set({ policy })}
        />
        <Choice
          name="shown"
          label={t('settings.shown')}
          values={PUBLIC_VERDICTS}
          nameOf={name => t(`settings.shown.${name}`)}
          chosen={typed.shown}
          onChange={shown => set({ shown })}
        />
        <Field
          label={t('settings.sample')}
          hint={t('settings.sampleHint')}
          value={typed.share}
          onChange={share => set({ share })}
          fault={tried && wrong.share ? t('settings.sampleFault') : undefined}
          input={{ inputMode: 'decimal' }}
        />
        <Signals rules={rules} tried={tried} />
        <Choice
          name="depth"
          label={t('settings.depth')}
          values={DEPTH_POLICIES}
          nameOf={name => t(`settings.depth.${name}`)}
          chosen={typed.depth}
          onChange={depth => set({ depth })}
        />
      </Form>
    </Section>
  );
}

interface PartProps {
  rules: ReturnType<typeof useRules>;
  /** The person tried to save: faults are shown from then on. */
  tried: boolean;
}

function Retention({ rules: { typed, set, wrong, isShorter }, tried }: PartProps) {
  const { t } = useWords();
  return (
    <>
      <Switch label={t('settings.keep')} on={typed.keeps} onChange={keeps => set({ keeps })} />
      {!typed.keeps && (
        <Field
          label={t('settings.days')}
          hint={t('settings.daysHint')}
          value={typed.days}
          onChange={days => set({ days })}
          fault={tried && wrong.days ? t('settings.daysFault', { n: MOST_DAYS }) : undefined}
          input={{ inputMode: 'numeric' }}
        />
      )}
      {isShorter && <Notice look="doubtful">{t('settings.shorter')}</Notice>}
    </>
  );
}

function Signals({ rules: { typed, set, wrong }, tried }: PartProps) {
  const { t } = useWords();
  const { own, signals } = typed;
  return (
    <fieldset className="stack">
      <legend className="label">{t('settings.signals')}</legend>
      <p className="soft small">{t('settings.signalsHint')}</p>
      <Switch label={t('settings.signalsUsual')} on={!own} onChange={usual => set({ own: !usual })} />
      {own &&
        SIGNAL_NAMES.map(name => (
          <Switch
            key={name}
            label={t(`signal.${name}`)}
            on={signals.includes(name)}
            onChange={on => set({ signals: on ? [...signals, name] : signals.filter(one => one !== name) })}
          />
        ))}
      {tried && wrong.signals && <p className="fault">{t('settings.signalsFault')}</p>}
    </fieldset>
  );
}
