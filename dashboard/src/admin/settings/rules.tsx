import type { Settings } from '@firsthand/contract/account/management.ts';
import { DEPTH_POLICIES } from '@firsthand/contract/verification/presence.ts';
import { SIGNAL_NAMES, type SignalName } from '@firsthand/contract/verification/signals.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Choice } from '../../base/parts/choice.tsx';
import { CurlMenu, type NamedRequest } from '../../base/parts/curl-menu.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Section } from '../../base/parts/page.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
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
    share: String(Math.round(settings.review_sample * 1_000) / 10),
    own: settings.signals_required !== null,
    signals: (settings.signals_required ?? ['screen', 'ai']) as readonly SignalName[],
  });
  const { keeps, policy, depth, own, signals } = typed;
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
      review_sample: share / 100,
      signals_required: own ? SIGNAL_NAMES.filter(name => signals.includes(name)) : null,
    },
  };
}

/** How long photos stay, who decides about doubts, and what is checked where a request does not say. */
export function Rules({ settings }: { settings: Settings }) {
  const { t } = useWords();
  const say = useSay();
  const rules = useRules(settings);
  const { typed, set, wrong, body } = rules;
  const [tried, setTried] = useState(false);
  const save = useAction(() => call('PATCH /v1/settings', { body }), {
    refreshes: [SETTINGS],
    onDone: () => say(t('settings.saved')),
  });
  const request: NamedRequest = {
    label: t('settings.saveRules'),
    request: { method: 'PATCH', path: '/v1/settings', body },
  };
  return (
    <Section title={t('settings.rules')} intro={t('settings.rulesIntro')} aside={<CurlMenu requests={[request]} />}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault();
          setTried(true);
          if (rules.isRight) save.mutate(undefined);
        }}
      >
        <Retention rules={rules} tried={tried} />
        <Choice
          name="policy"
          label={t('settings.review')}
          values={POLICIES}
          nameOf={name => t(`settings.review.${name}`)}
          chosen={typed.policy}
          onChange={policy => set({ policy })}
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
        <Problem error={save.error} />
        <div className="actions">
          <Button weight="main" type="submit" busy={save.isPending}>
            {t('settings.saveRules')}
          </Button>
        </div>
      </form>
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
      <label className="switch">
        <input type="checkbox" checked={typed.keeps} onChange={event => set({ keeps: event.target.checked })} />
        <span>{t('settings.keep')}</span>
      </label>
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
      {isShorter && <p className="notice doubtful">{t('settings.shorter')}</p>}
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
      <label className="switch">
        <input type="checkbox" checked={!own} onChange={event => set({ own: !event.target.checked })} />
        <span>{t('settings.signalsUsual')}</span>
      </label>
      {own &&
        SIGNAL_NAMES.map(name => (
          <label key={name} className="switch">
            <input
              type="checkbox"
              checked={signals.includes(name)}
              onChange={event =>
                set({ signals: event.target.checked ? [...signals, name] : signals.filter(one => one !== name) })
              }
            />
            <span>{t(`signal.${name}`)}</span>
          </label>
        ))}
      {tried && wrong.signals && <p className="fault">{t('settings.signalsFault')}</p>}
    </fieldset>
  );
}
