import type { Settings } from '@firsthand/contract/account/management.ts';
import { DEPTH_POLICIES } from '@firsthand/contract/verification/presence.ts';
import { SIGNAL_NAMES, type SignalName } from '@firsthand/contract/verification/signals.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Section } from '../../base/parts/page.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useAct } from '../../entry/session/recent.ts';
import { SETTINGS } from './settings-key.ts';

const POLICIES = ['none', 'one', 'two_people'] as const;
const MOST_DAYS = 36_500;

/** How long photos stay, who decides about doubts, and what is checked where a request does not say. */
export function Rules({ settings }: { settings: Settings }) {
  const { t } = useWords();
  const say = useSay();
  const [keeps, setKeeps] = useState(settings.retention_days === null);
  const [days, setDays] = useState(String(settings.retention_days ?? 365));
  const [policy, setPolicy] = useState(settings.review_policy);
  const [depth, setDepth] = useState(settings.depth_policy);
  const [share, setShare] = useState(String(Math.round(settings.review_sample * 1_000) / 10));
  const [own, setOwn] = useState(settings.signals_required !== null);
  const [signals, setSignals] = useState<readonly SignalName[]>(settings.signals_required ?? ['screen', 'ai']);
  const [tried, setTried] = useState(false);
  const wrongDays = !keeps && !(Number.isInteger(Number(days)) && Number(days) >= 1 && Number(days) <= MOST_DAYS);
  const noSignals = own && signals.length === 0;
  const wrongShare = share.trim() === '' || !(Number(share) >= 0 && Number(share) <= 100);
  const body = {
    retention_days: keeps ? null : Number(days),
    review_policy: policy,
    depth_policy: depth,
    review_sample: Number(share) / 100,
    signals_required: own ? SIGNAL_NAMES.filter(name => signals.includes(name)) : null,
  };
  const save = useAct(() => call('PATCH /v1/settings', { body }), {
    refreshes: [SETTINGS],
    onDone: () => say(t('settings.saved')),
  });
  const shorter = !keeps && !wrongDays && (settings.retention_days === null || Number(days) < settings.retention_days);
  return (
    <Section
      title={t('settings.rules')}
      intro={t('settings.rulesIntro')}
      aside={
        <CurlMenu
          acts={[{ label: t('settings.saveRules'), request: { method: 'PATCH', path: '/v1/settings', body } }]}
        />
      }
    >
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault();
          setTried(true);
          if (!wrongDays && !wrongShare && !noSignals) save.mutate(undefined);
        }}
      >
        <label className="switch">
          <input type="checkbox" checked={keeps} onChange={event => setKeeps(event.target.checked)} />
          <span>{t('settings.keep')}</span>
        </label>
        {!keeps && (
          <Field
            label={t('settings.days')}
            hint={t('settings.daysHint')}
            value={days}
            onChange={setDays}
            fault={tried && wrongDays ? t('settings.daysFault', { n: MOST_DAYS }) : undefined}
            input={{ inputMode: 'numeric' }}
          />
        )}
        {shorter && <p className="notice doubtful">{t('settings.shorter')}</p>}
        <fieldset className="stack">
          <legend className="label">{t('settings.review')}</legend>
          {POLICIES.map(one => (
            <label key={one} className="switch">
              <input type="radio" name="policy" checked={policy === one} onChange={() => setPolicy(one)} />
              <span>{t(`settings.review.${one}`)}</span>
            </label>
          ))}
        </fieldset>
        <Field
          label={t('settings.sample')}
          hint={t('settings.sampleHint')}
          value={share}
          onChange={setShare}
          fault={tried && wrongShare ? t('settings.sampleFault') : undefined}
          input={{ inputMode: 'decimal' }}
        />
        <fieldset className="stack">
          <legend className="label">{t('settings.signals')}</legend>
          <p className="soft small">{t('settings.signalsHint')}</p>
          <label className="switch">
            <input type="checkbox" checked={!own} onChange={event => setOwn(!event.target.checked)} />
            <span>{t('settings.signalsUsual')}</span>
          </label>
          {own &&
            SIGNAL_NAMES.map(name => (
              <label key={name} className="switch">
                <input
                  type="checkbox"
                  checked={signals.includes(name)}
                  onChange={event =>
                    setSignals(event.target.checked ? [...signals, name] : signals.filter(one => one !== name))
                  }
                />
                <span>{t(`signal.${name}`)}</span>
              </label>
            ))}
          {tried && noSignals && <p className="fault">{t('settings.signalsFault')}</p>}
        </fieldset>
        <fieldset className="stack">
          <legend className="label">{t('settings.depth')}</legend>
          {DEPTH_POLICIES.map(one => (
            <label key={one} className="switch">
              <input type="radio" name="depth" checked={depth === one} onChange={() => setDepth(one)} />
              <span>{t(`settings.depth.${one}`)}</span>
            </label>
          ))}
        </fieldset>
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
