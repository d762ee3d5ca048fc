import type { Batch, BatchCheck } from '@firsthand/contract/batches/batches.ts';
import { useEffect, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { call } from '../base/api/call.ts';
import { useRead } from '../base/api/read.ts';
import { useSignInMethods } from '../base/api/sign-in-methods.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { Switch } from '../base/parts/choice.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { PageTitle } from '../base/parts/page.tsx';
import { saveFile } from '../base/parts/save-file.ts';
import { Back, Section } from '../base/parts/section.tsx';
import { SelectField } from '../base/parts/select-field.tsx';
import { NoPermission, Problem } from '../base/parts/states.tsx';
import { useAction } from '../entry/session/recent.ts';
import { useMay } from '../entry/session/signed-in.ts';
import { TEMPLATES } from '../templates/keys.ts';
import { BATCHES } from './batch-state.tsx';
import { Checked } from './checked.tsx';
import { ChooseFile } from './choose-file.tsx';
import { Columns } from './columns.tsx';
import { SAMPLES, sampleOf } from './samples.ts';
import { csvOf, guess, type Sheet } from './sheet.ts';
import './batches.css';

const CSV = 'text/csv';

/** A list becomes verifications: choose the file, say what its columns are, check it, make them. */
export default function NewBatchPage() {
  const { t } = useWords();
  const mayMake = useMay('member');
  const wanted = new URLSearchParams(useSearch()).get('sample');
  const sample = SAMPLES.find(name => name === wanted);
  const [sheet, setSheet] = useState<Sheet | null>(() => (sample ? sampleOf(sample) : null));
  return (
    <div className="wide tall stack">
      <Back to="/batches">{t('page.batches')}</Back>
      <PageTitle intro={t('batch.newIntro')}>{t('batches.new')}</PageTitle>
      {mayMake ? (
        <>
          <ChooseFile sheet={sheet} onChosen={setSheet} />
          {/* A mended file with the same headings keeps what was said of them. */}
          {sheet && <Prepare key={JSON.stringify(sheet.header)} sheet={sheet} />}
        </>
      ) : (
        <NoPermission />
      )}
    </div>
  );
}

/** Sends the list to be checked, or to become verifications. Forgets both results when the list or the question changes. */
function useBatch(csv: string, query: Record<string, string>, sheet: Sheet) {
  const [, goTo] = useLocation();
  const body = () => new Blob([csv], { type: CSV });
  const check = useAction(
    (): Promise<BatchCheck> =>
      call('POST /v1/batches', { body: body(), query: { ...query, dry_run: 'true' } }) as Promise<BatchCheck>,
  );
  const make = useAction((): Promise<Batch> => call('POST /v1/batches', { body: body(), query }) as Promise<Batch>, {
    refreshes: [BATCHES],
    onDone: ({ id }) => goTo(`/batches/${id}`),
  });
  const forget = () => {
    check.reset();
    make.reset();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another file was not checked yet
  useEffect(forget, [sheet]);
  return { check, make, forget };
}

function Prepare({ sheet }: { sheet: Sheet }) {
  const mails = useSignInMethods().data?.magic_link ?? false;
  const [mapping, setMapping] = useState(() => guess(sheet.header));
  const [templateId, setTemplateId] = useState('');
  const [send, setSend] = useState(false);
  const csv = useMemo(() => csvOf(sheet, mapping), [sheet, mapping]);
  const mapped = mapping.includes('email');
  const sends = send && mails && mapped;
  const query = { send: String(sends), ...(templateId === '' ? {} : { template_id: templateId }) };
  const batch = useBatch(csv, query, sheet);
  const change = (set: () => void) => {
    set();
    batch.forget();
  };
  const { check, make } = batch;
  return (
    <>
      <Columns sheet={sheet} mapping={mapping} onChange={next => change(() => setMapping(next))} />
      <Asked
        templateId={templateId}
        onTemplate={id => change(() => setTemplateId(id))}
        sending={{ mails, mapped, on: sends, set: on => change(() => setSend(on)) }}
      />
      <Problem error={check.error ?? make.error} />
      {check.data && <Checked check={check.data} sheet={sheet} mapping={mapping} />}
      <BatchActions
        batch={batch}
        csv={csv}
        query={query}
        isEmpty={mapping.every(place => place === '')}
        sends={sends}
        rows={sheet.rows.size}
      />
    </>
  );
}

interface BatchActionsProps {
  batch: ReturnType<typeof useBatch>;
  csv: string;
  query: Record<string, string>;
  /** No column goes anywhere. */
  isEmpty: boolean;
  sends: boolean;
  rows: number;
}

/** Checks the list, then makes its verifications. */
function BatchActions({ batch: { check, make }, csv, query, isEmpty, sends, rows }: BatchActionsProps) {
  const { t } = useWords();
  const path = `/v1/batches?${new URLSearchParams(query)}`;
  const file = { name: 'firsthand-batch.csv', type: CSV };
  const isReady = check.data?.faults.length === 0;
  return (
    <div className="actions batch-actions">
      <CurlMenu
        requests={[
          { label: t('batch.check'), to: `POST ${path}&dry_run=true`, file },
          { label: t('batches.new'), to: `POST ${path}`, file },
        ]}
      />
      <Button weight="plain" onPress={() => saveFile(file.name, csv)}>
        <Icon name="download" />
        {t('batch.asMapped')}
      </Button>
      <Button
        weight={isReady ? 'quiet' : 'main'}
        busy={check.isPending}
        isDisabled={isEmpty}
        onPress={() => check.mutate()}
      >
        {t('batch.check')}
      </Button>
      {isReady && (
        <Button weight="main" busy={make.isPending} onPress={() => make.mutate()}>
          {t(sends ? 'batch.makeAndSend' : 'batch.makeN', { n: rows })}
        </Button>
      )}
    </div>
  );
}

interface AskedProps {
  templateId: string;
  onTemplate: (id: string) => void;
  sending: { mails: boolean; mapped: boolean; on: boolean; set: (on: boolean) => void };
}

function Asked({ templateId, onTemplate, sending }: AskedProps) {
  const { t } = useWords();
  const templates = useRead([...TEMPLATES, 'choice'], 'GET /v1/link-templates', { query: { limit: '100' } });
  const active = templates.data?.data.filter(({ status }) => status === 'active') ?? [];
  return (
    <Section title={t('batch.asked')}>
      <SelectField
        label={t('batch.template')}
        look="batch-template"
        options={[
          ['', t('batch.onePhoto')],
          ...active.map(({ id, name, version }) => [id, t('batch.templateLine', { name, version })] as const),
        ]}
        value={templateId}
        onChosen={onTemplate}
      />
      <Switch
        label={t('batch.send')}
        on={sending.on}
        disabled={!sending.mails || !sending.mapped}
        onChange={sending.set}
      />
      <p className="soft small">
        {t(!sending.mails ? 'batch.noMail' : sending.mapped ? 'batch.sendHint' : 'batch.noAddress')}
      </p>
    </Section>
  );
}
