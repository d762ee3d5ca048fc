import { Icon } from '@firsthand/look/marks.tsx';
import type { DeviceLocation } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Locator } from '../location.ts';
import { usePage } from '../page-context.ts';
import { Press } from './parts.tsx';
import { Sheet } from './sheet.tsx';

/** Asks for the location once, at the first photo, and gives the reason. The person can refuse and continue. */
export function LocationSheet(props: {
  locator: Locator;
  onDone: (location: DeviceLocation | undefined) => void;
}): JSX.Element {
  const { t, brand } = usePage();
  const text = t('location.text', { name: brand?.name ?? t('common.requester') });
  const [waiting, setWaiting] = useState(false);
  const allow = async () => {
    props.locator.allow();
    setWaiting(true);
    props.onDone(await props.locator.locate());
  };
  const decline = () => {
    props.locator.decline();
    props.onDone(undefined);
  };
  return (
    <Sheet title={t('location.title')}>
      <p>{text}</p>
      {waiting ? (
        <p class="with-icon soft" role="status">
          <Icon name="place" />
          {t('location.waiting')}
        </p>
      ) : (
        <Press onClick={allow}>{t('location.allow')}</Press>
      )}
      <Press look="plain" onClick={decline}>
        {t('location.decline')}
      </Press>
    </Sheet>
  );
}
