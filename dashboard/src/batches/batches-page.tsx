import type { Batch } from '@firsthand/contract/batches/batches.ts';
import { Link } from 'wouter';
import { useList } from '../base/api/list.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { Rows } from '../base/parts/rows.tsx';
import { saveFile } from '../base/parts/save-file.ts';
import { TitleLine } from '../base/parts/section.tsx';
import { Ago, Progress } from '../base/parts/shown.tsx';
import { Empty } from '../base/parts/states.tsx';
import { useMay } from '../entry/session/signed-in.ts';
import { BATCHES, BatchTag, isUnderWay } from './batch-state.tsx';
import { SAMPLES, sampleText } from './samples.ts';
import './batches.css';

/** Lists of people who each got a link, and how far each list has come. */
export default function BatchesPage() {
  const { t } = useWords();
  const member = useMay('member');
  const batches = useList(BATCHES, 'GET /v1/batches', { whileAny: isUnderWay });
  return (
    <>
      <TitleLine
        title={t('page.batches')}
        intro={t('batches.intro')}
        requests={[{ label: t('batches.list'), to: 'GET /v1/batches' }]}
      />
      {member && (
        <div className="toolbar">
          <Link className="button main" href="/batches/new">
            <Icon name="plus" />
            {t('batches.new')}
          </Link>
        </div>
      )}
      <Rows list={batches} label={t('page.batches')} none={<NoBatch mayMake={member} />}>
        {batch => <Row batch={batch} />}
      </Rows>
    </>
  );
}

function NoBatch({ mayMake }: { mayMake: boolean }) {
  const { t } = useWords();
  return (
    <Empty icon="layers" title={t('batches.none')}>
      <p>{t(mayMake ? 'batches.noneText' : 'batches.noneRead')}</p>
      {mayMake && (
        <>
          <div className="actions">
            {SAMPLES.map(sample => (
              <Link key={sample} className="button quiet" href={`/batches/new?sample=${sample}`}>
                {t(`starter.${sample}`)}
              </Link>
            ))}
          </div>
          <Button weight="plain" onPress={() => saveFile('firsthand-sample.csv', sampleText('claim'))}>
            <Icon name="download" />
            {t('batches.sample')}
          </Button>
        </>
      )}
    </Empty>
  );
}

function Row({ batch }: { batch: Batch }) {
  const { t } = useWords();
  const { id, total, created, failed, created_at } = batch;
  return (
    <li className="row">
      <BatchTag of={batch} />
      <div className="row-main">
        <span className="row-name line">
          <Link href={`/batches/${id}`}>{t('batch.rows', { n: total })}</Link>
        </span>
        <span className="soft small">
          <Ago at={created_at} /> · {t('batch.made', { n: created })}
          {failed > 0 && ` · ${t('batch.failedRows', { n: failed })}`} · <code>…{id.slice(-6)}</code>
        </span>
      </div>
      {isUnderWay(batch) && (
        <Progress
          label={t('batch.progress', { done: created + failed, of: total })}
          done={created + failed}
          of={total}
        />
      )}
    </li>
  );
}
