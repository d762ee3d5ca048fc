import { BULK_ACTIONS } from '@firsthand/contract/base/enums.ts';
import type { BulkActionName, BulkActionRequest } from '@firsthand/contract/batches/bulk-actions.ts';
import { hasRole } from '@firsthand/contract/people/roles.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../base/api/call.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { Switch } from '../base/parts/choice.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { Dialog } from '../base/parts/dialog.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { Problem } from '../base/parts/states.tsx';
import { useAction } from '../entry/session/recent.ts';
import { useSignedIn } from '../entry/session/signed-in.ts';
import { type Filters, queryOf } from '../verifications/filters.ts';
import { COUNTED, EXPORTED_MAX, NOTHING_PICKED, PICKED_MAX, type Picked, reachOf } from './picked.ts';

interface BulkBarProps {
  picked: Picked;
  onPicked: (picked: Picked) => void;
  total: number;
  filters: Filters;
}

/** What can be done with the rows that are picked, by whoever may. */
export function BulkBar({ picked, onPicked, total, filters }: BulkBarProps) {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const [act, setAct] = useState<BulkActionName | null>(null);
  const n = picked.all ? total : picked.ids.size;
  if (!picked.all && n === 0) return null;
  const about = picked.all && total > COUNTED;
  const acts = BULK_ACTIONS.filter(name => hasRole(tenant.role, name === 'redact' ? 'owner' : 'member'));
  const tooMany = !picked.all && n > PICKED_MAX;
  const asked = Object.entries(picked.all ? queryOf(filters) : { id: [...picked.ids].join() });
  const query = new URLSearchParams(asked.filter((entry): entry is [string, string] => entry[1] !== undefined));
  return (
    <section className="bulk-bar toolbar" aria-label={t('page.bulkActions')}>
      <strong role="status">
        {picked.all ? t(about ? 'bulk.pickedAbout' : 'bulk.pickedAll', { n }) : t('bulk.picked', { n })}
      </strong>
      {!picked.all && total > picked.ids.size && (
        <Button weight="plain" slim onPress={() => onPicked({ all: true, ids: new Set() })}>
          {t(total > COUNTED ? 'bulk.takeAbout' : 'bulk.takeAll', { n: total })}
        </Button>
      )}
      {tooMany ? (
        <span className="fault">{t('bulk.tooMany', { n: PICKED_MAX })}</span>
      ) : (
        acts.map(name => (
          <Button key={name} slim onPress={() => setAct(name)}>
            {t(`bulk.${name}`)}
          </Button>
        ))
      )}
      {(picked.all || n <= EXPORTED_MAX) && (
        <a className="button quiet slim" href={`${ROOT}/v1/verifications/export?${query}`} download="verifications.csv">
          <Icon name="download" />
          {t('bulk.export')}
        </a>
      )}
      <Button weight="plain" slim onPress={() => onPicked(NOTHING_PICKED)}>
        {t('bulk.clear')}
      </Button>
      {act && <Start act={act} n={n} about={about} reach={reachOf(picked, filters)} onClose={() => setAct(null)} />}
    </section>
  );
}

interface StartProps {
  act: BulkActionName;
  n: number;
  about: boolean;
  reach: Pick<BulkActionRequest, 'ids' | 'filter'>;
  onClose: () => void;
}

/** Says what will happen, to how many, and starts it. */
function Start({ act, n, about, reach, onClose }: StartProps) {
  const { t } = useWords();
  const [, goTo] = useLocation();
  const [send, setSend] = useState(false);
  const body: BulkActionRequest = { act, ...reach, ...(send ? { send } : {}) };
  const start = useAction(() => call('POST /v1/bulk-acts', { body }), {
    onDone: ({ id }) => goTo(`/bulk-acts/${id}`),
  });
  const title = t(about ? 'bulk.startAbout' : 'bulk.start', { action: t(`bulk.${act}`), n });
  return (
    <Dialog title={title} role="alertdialog" onClose={onClose}>
      <p>{t(`bulk.${act}Text`)}</p>
      {act === 'reissue' && <Switch label={t('bulk.send')} on={send} onChange={on => setSend(on)} />}
      <Problem error={start.error} />
      <div className="actions">
        <CurlMenu requests={[{ label: t(`bulk.${act}`), to: 'POST /v1/bulk-acts', body }]} />
        <Button onPress={onClose}>{t('common.cancel')}</Button>
        <Button
          weight={act === 'redact' || act === 'cancel' ? 'grave' : 'main'}
          busy={start.isPending}
          onPress={() => start.mutate()}
        >
          {t(`bulk.${act}`)}
        </Button>
      </div>
    </Dialog>
  );
}
