import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../base/api/call.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { Qr } from '../base/parts/qr.tsx';
import { Empty, Problem } from '../base/parts/states.tsx';
import { useAction } from '../entry/session/recent.ts';
import { useSignedIn } from '../entry/session/signed-in.ts';

/** In the place of a list that has no rows yet: makes the first one, with the phone of whoever is here. */
export function First({ mayMake, onArrived }: { mayMake: boolean; onArrived: () => void }) {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const [made, setMade] = useState<Verification | null>(null);
  const create = useAction(() => call('POST /v1/verifications', { body: {} }), { onDone: setMade });
  if (!mayMake) {
    return (
      <Empty icon="list" title={t('first.none')}>
        <p>{t('first.noneText')}</p>
      </Empty>
    );
  }
  if (!made) {
    return (
      <Empty icon="phone" title={t('first.title')}>
        <p>{t('first.text')}</p>
        {tenant.livemode && <p className="soft small">{t('first.testToo')}</p>}
        <Problem error={create.error} />
        <Button weight="main" busy={create.isPending} onPress={() => create.mutate()}>
          {t('first.make')}
        </Button>
        <CurlMenu requests={[{ label: t('first.make'), to: 'POST /v1/verifications', body: {} }]} />
      </Empty>
    );
  }
  // Whoever creates gets the link.
  const url = made.capture_url!;
  const near = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
  return (
    <Empty icon="phone" title={t('first.scan')}>
      <Qr text={url} label={t('first.qr')} />
      <p>{t(near ? 'first.near' : 'first.scanText')}</p>
      <p>
        <a href={url} target="_blank" rel="noreferrer">
          {t('first.openHere')}
        </a>
      </p>
      <div className="actions">
        <Link className="button quiet" href={`/verifications/${made.id}`}>
          {t('first.watch')}
        </Link>
        <Button onPress={onArrived}>{t('first.toList')}</Button>
      </div>
    </Empty>
  );
}
