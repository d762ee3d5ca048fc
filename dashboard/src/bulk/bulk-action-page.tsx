import type { BulkAction } from '@firsthand/contract/batches/bulk-actions.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { call } from '../base/api/call.ts';
import { firstLines } from '../base/api/first-lines.ts';
import { codeText } from '../base/api/problem-text.ts';
import { useRead } from '../base/api/read.ts';
import { useWords } from '../base/language.tsx';
import { CaseLink } from '../base/parts/case-link.tsx';
import { Back, Section } from '../base/parts/section.tsx';
import { Table } from '../base/parts/shown.tsx';
import { Read } from '../base/parts/states.tsx';
import { LongWork } from '../batches/long-work.tsx';
import { BULK, BulkTag, isUnderWay } from './bulk-state.tsx';

const LOOK_AGAIN_MS = 1_000;
const SHOWN = 50;

/** One action on many verifications: how far it has come, what refused it and why. */
export default function BulkActionPage() {
  const { id } = useParams<{ id: string }>();
  const { t } = useWords();
  const act = useRead(
    [...BULK, id],
    'GET /v1/bulk-acts/:id',
    { id },
    { refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? LOOK_AGAIN_MS : false) },
  );
  return (
    <div className="wide tall stack">
      <Back to="/bulk-acts">{t('page.bulkActions')}</Back>
      <Read query={act} only>
        {data => <Shown act={data} />}
      </Read>
    </div>
  );
}

function Shown({ act }: { act: BulkAction }) {
  const { t, number } = useWords();
  const { id, total, done, failed } = act;
  return (
    <LongWork
      id={id}
      path={`/v1/bulk-acts/${id}`}
      title={t(`bulk.${act.act}`)}
      tag={<BulkTag of={act} />}
      progress={t('bulk.progress', { done: number(done + failed), of: number(total) })}
      done={done + failed}
      total={total}
      counts={[
        [t('bulk.factTotal'), number(total)],
        [t('bulk.factDone'), number(done)],
        [t('bulk.factFailed'), number(failed)],
      ]}
      created_at={act.created_at}
      ended_at={act.ended_at}
      stopped={act.stopped}
      stop={{
        possible: isUnderWay(act),
        label: t('bulk.stop'),
        title: t('bulk.stopTitle'),
        text: t('bulk.stopText'),
        run: () => call('POST /v1/bulk-acts/:id/cancel', { id, body: {} }),
        refreshes: BULK,
        said: after => t('bulk.wasStopped', { n: after.done }),
      }}
    >
      <Refused act={act} />
    </LongWork>
  );
}

/** The first verifications that refused the action; the file has them all. */
function Refused({ act }: { act: BulkAction }) {
  const words = useWords();
  const { t } = words;
  const results = useQuery({
    queryKey: [...BULK, act.id, 'refused', Math.min(act.failed, SHOWN)],
    queryFn: ({ signal }) => firstLines(`/v1/bulk-acts/${act.id}/results?result=failed`, SHOWN, signal),
  });
  return (
    <Section title={t('bulk.refused')} {...(act.failed > SHOWN ? { intro: t('bulk.refusedIntro') } : {})}>
      <Read query={results}>
        {lines =>
          lines.length === 0 ? (
            <p className="soft small">{t('bulk.noneRefused')}</p>
          ) : (
            <Table look="columns folds" heads={[t('batch.verification'), t('bulk.why')]}>
              {lines.map(([id = '', , code = '', , name]) => (
                <tr key={id}>
                  <th scope="row">
                    <CaseLink id={id} name={name} />
                  </th>
                  <td>
                    {codeText(words, code)} <code className="soft">{code}</code>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Read>
    </Section>
  );
}
