import type { BulkAction } from '@firsthand/contract/batches/bulk-actions.ts';
import { Link } from 'wouter';
import { useList } from '../base/api/list.ts';
import { useWords } from '../base/language.tsx';
import { Rows } from '../base/parts/rows.tsx';
import { Back, TitleLine } from '../base/parts/section.tsx';
import { Ago, Progress } from '../base/parts/shown.tsx';
import { Empty } from '../base/parts/states.tsx';
import { BULK, BulkTag, isUnderWay } from './bulk-state.tsx';

/** Actions on many verifications, newest first. */
export default function BulkActionsPage() {
  const { t } = useWords();
  const acts = useList(BULK, 'GET /v1/bulk-acts', { whileAny: isUnderWay });
  return (
    <>
      <Back to="/verifications">{t('page.verifications')}</Back>
      <TitleLine
        title={t('page.bulkActions')}
        intro={t('bulk.intro')}
        requests={[{ label: t('bulk.list'), to: 'GET /v1/bulk-acts' }]}
      />
      <Rows
        list={acts}
        label={t('page.bulkActions')}
        none={
          <Empty icon="layers" title={t('bulk.none')}>
            <p>{t('bulk.noneText')}</p>
          </Empty>
        }
      >
        {one => <BulkRow bulk={one} />}
      </Rows>
    </>
  );
}

function BulkRow({ bulk }: { bulk: BulkAction }) {
  const { t } = useWords();
  const { id, act, total, done, failed, created_at } = bulk;
  return (
    <li className="row">
      <BulkTag of={bulk} />
      <div className="row-main">
        <span className="row-name line">
          <Link href={`/bulk-acts/${id}`}>{t('bulk.start', { action: t(`bulk.${act}`), n: total })}</Link>
        </span>
        <span className="soft small">
          <Ago at={created_at} />
          {failed > 0 && ` · ${t('bulk.failedOf', { n: failed })}`}
        </span>
      </div>
      {isUnderWay(bulk) && <Progress label={t('batch.progressOf')} done={done + failed} of={total} />}
    </li>
  );
}
