import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { becomeSwitched } from '../session/me.ts';
import { useAction } from '../session/recent.ts';
import { useSignedIn } from '../session/signed-in.ts';

/** Switches the account, or between live and test, for this session. */
export function useSwitch() {
  return useAction((to: { tenant_id: string; livemode: boolean }) => call('POST /v1/me/tenant', { body: to }), {
    onDone: becomeSwitched,
  });
}

/** Live or test: in words and in colour, on every page. */
export function ModeSwitch() {
  const { t } = useWords();
  const say = useSay();
  const { tenant } = useSignedIn();
  const change = useSwitch();
  return (
    <fieldset className="modes">
      <legend className="unseen">{t('mode.legend')}</legend>
      {([true, false] as const).map(livemode => (
        <label key={String(livemode)} className="mode" data-mode={livemode ? 'live' : 'test'}>
          <input
            type="radio"
            name="mode"
            checked={tenant.livemode === livemode}
            // A disabled input would lose the focus, so it stays enabled during the change.
            onChange={() => {
              if (change.isPending) return;
              change.mutate({ tenant_id: tenant.id, livemode }, { onError: () => say(t('mode.notServed')) });
            }}
          />
          <span>{t(livemode ? 'mode.live' : 'mode.test')}</span>
        </label>
      ))}
    </fieldset>
  );
}
