import type { Me } from '@firsthand/contract/people/people.ts';
import { type ReactNode, useEffect } from 'react';
import { useSearch } from 'wouter';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Empty, Notice } from '../../base/parts/states.tsx';
import { modeOf, showInAddress } from '../session/address.ts';
import { ME, queryClient } from '../session/query-client.ts';
import { useSignedIn } from '../session/signed-in.ts';
import { useSwitch } from './mode-switch.tsx';

/** The page of an address, or a way to the mode that its address names. */
export function InMode({ children }: { children: ReactNode }) {
  const asked = modeOf(useSearch());
  const { livemode } = useSignedIn().tenant;
  useEffect(() => {
    if (asked === undefined) showInAddress(livemode);
  }, [asked, livemode]);
  // What was read last: a switch has written the address by then, and its news are on their way here.
  const here = queryClient.getQueryData<Me>(ME)?.tenant.livemode ?? livemode;
  return asked !== undefined && asked !== here ? <OtherMode livemode={asked} /> : children;
}

/** Says that a link leads to the data of the other mode, and switches with one press. */
export function OtherMode({ livemode }: { livemode: boolean }) {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const change = useSwitch();
  const mode = livemode ? 'live' : 'test';
  return (
    <Empty only icon="link" title={t(`mode.leadsTo.${mode}`)}>
      <p>{t('mode.need', { mode: t(livemode ? 'mode.test' : 'mode.live') })}</p>
      {change.error && (
        <Notice look="failed" icon="doubt" role="alert">
          {t('mode.notServed')}
        </Notice>
      )}
      <Button weight="main" busy={change.isPending} onPress={() => change.mutate({ tenant_id: tenant.id, livemode })}>
        {t('mode.switchTo', { mode: t(`mode.${mode}`) })}
      </Button>
    </Empty>
  );
}
